import { setImmediate as nextTurn } from 'node:timers/promises';

/** Written and encoded in one turn of the event loop: some milliseconds. */
const CHARACTERS_IN_TURN = 256 * 1_024;

export interface Json {
  /** As bytes where it is long. */
  body: string | Uint8Array<ArrayBuffer>;
  characters: number;
}

/**
 * The JSON of a response. That of a long page is made item by item, while others are served; `onGrowth` is told how
 * many bytes it has so far, and may throw.
 */
export async function jsonOf(value: unknown, onGrowth: (bytes: number) => void): Promise<Json> {
  if (!isPage(value)) {
    const body = JSON.stringify(value);
    return { body, characters: body.length };
  }
  const { items, ...rest } = value;
  const pieces: Buffer[] = [];
  let bytes = 0;
  let characters = 0;
  let text = '{"items":[';
  for (const [i, item] of items.entries()) {
    text += (i === 0 ? '' : ',') + JSON.stringify(item);
    if (text.length < CHARACTERS_IN_TURN) continue;
    const piece = Buffer.from(text);
    pieces.push(piece);
    bytes += piece.length;
    characters += text.length;
    text = '';
    onGrowth(bytes);
    await nextTurn();
  }
  const others = JSON.stringify(rest);
  text += others === '{}' ? ']}' : `],${others.slice(1)}`;
  characters += text.length;
  if (pieces.length === 0) return { body: text, characters };
  return { body: Buffer.concat([...pieces, Buffer.from(text)]), characters };
}

/** Only what has items first is written as if by `JSON.stringify` alone. */
const isPage = (value: unknown): value is { items: unknown[] } =>
  typeof value === 'object' &&
  value !== null &&
  'items' in value &&
  Array.isArray(value.items) &&
  Object.keys(value)[0] === 'items';
