interface Props {
  text: string;
  /** In order, each from an index to before another; what overlaps the one before is left out. */
  spans: readonly (readonly [number, number])[];
}

/** A text in which what was found is marked. */
export function Marked({ text, spans }: Props) {
  const parts = [];
  let end = 0;
  for (const [from, to] of spans) {
    if (from < end) continue;
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
