/** Before which of some elements, one below the other, a pointer is; their number where it is below all. */
export function indexAt(elements: Iterable<Element>, y: number): number {
  const all = [...elements];
  const at = all.findIndex((element) => {
    const { top, height } = element.getBoundingClientRect();
    return y < top + height / 2;
  });
  return at === -1 ? all.length : at;
}
