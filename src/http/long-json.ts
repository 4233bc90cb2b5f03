import { setImmediate as nextTurn } from 'node:timers/promises';

/** Written and encoded in one turn of the event loop: some milliseconds. */
const CHARACTERS_IN_TURN = 256 * 1_024;
/** Of the items written at once. */
const SHORT_CHARACTERS = 16 * 1_024;
const MAX_ITEMS = 16;

interface Json {
  /** As bytes where it is long. */
  body: string | Uint8Array<ArrayBuffer>;
  characters: number;
}

/** Something whose JSON is written already. */
export class Written<Shown> {
  readonly json: string;
  declare readonly shown?: Shown;
  constructor(json: string) {
    this.json = json;
  }
}

/** A page whose items are written already. */
export type WrittenPage<Page extends { items: unknown[] }> = Omit<Page, 'items'> & {
  items: Written<Page['items'][number]>[];
};

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
  let count = 1;
  for (let done = 0; done < items.length; ) {
    const some = jsonOfItems(items.slice(done, done + count));
    text += done === 0 ? some : `,${some}`;
    done += count;
    // To write several at once costs half as much, where they are short.
    count = some.length > SHORT_CHARACTERS ? 1 : Math.min(2 * count, MAX_ITEMS);
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

const jsonOfItems = (items: unknown[]): string =>
  items[0] instanceof Written
    ? (items as Written<unknown>[]).map(({ json }) => json).join()
    : JSON.stringify(items).slice(1, -1);

/** Only what has items first is written as if by `JSON.stringify` alone. */
const isPage = (value: unknown): value is { items: unknown[] } =>
  typeof value === 'object' &&
  value !== null &&
  'items' in value &&
  Array.isArray(value.items) &&
  Object.keys(value)[0] === 'items';
