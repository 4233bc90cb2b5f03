import { useRef } from 'preact/hooks';

/** Letters that come within this time are of one word. */
const WORD_MS = 1000;

/**
 * Finds by letters, typed one after the other: the place of the entry whose title begins with them, else -1. The same
 * letter again leads to the next one.
 */
export function useTypeAhead() {
  const word = useRef({ text: '', at: 0 });
  return (
    { key, timeStamp }: KeyboardEvent,
    entries: readonly { title: string }[],
    active: number,
  ): number => {
    const letter = key.toLocaleLowerCase();
    const before = timeStamp - word.current.at < WORD_MS ? word.current.text : '';
    const text = before === letter ? letter : before + letter;
    word.current = { text, at: timeStamp };
    const first = text === letter ? active + 1 : active;
    const places = entries.map((_, index) => (first + index) % entries.length);
    return places.find((index) => entries[index]?.title.toLocaleLowerCase().startsWith(text)) ?? -1;
  };
}
