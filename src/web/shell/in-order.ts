/**
 * Keeps late responses from replacing newer ones: call it when a request is begun, and what it returns when its response
 * is there, which is false where that of a later request was there before.
 */
export function inOrder(): () => () => boolean {
  let begun = 0;
  let shown = 0;
  return () => {
    const own = ++begun;
    return () => {
      if (own < shown) return false;
      shown = own;
      return true;
    };
  };
}
