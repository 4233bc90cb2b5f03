import type { Db } from '../db/connection.ts';
import type { Keys } from '../kernel/keys.ts';
import { findChange, newestChange } from '../storage/changes.ts';
import type { Key, Scope } from '../storage/contents.ts';

/** A row of the journal, known by its number and its tag. */
export interface Position {
  seq: number;
  tag: number;
}

/** Where reading a scope as a whole has come to. */
export interface Load {
  scope: Scope;
  /** What follows after it: the position of the moment it began. */
  resume: Position;
  /** The newest position whose contents were shown on the way. */
  seen?: Position;
  /** Index into the sections, and the keys of the last row read there. */
  section: number;
  after?: Key;
}

/**
 * Where a reader of a workspace stands: at a row, or within a load. Things are shown as they are now, which may be ahead
 * of where a reader stands: a file that goes back behind `seen` leaves them with what never was.
 */
export type Cursor = { at: Position; seen?: Position } | { load: Load };

/** The positions whose rows must all be there for a cursor to be of use. */
export const positionsOf = (cursor: Cursor): Position[] => {
  const [at, seen] = 'at' in cursor ? [cursor.at, cursor.seen] : [cursor.load.resume, cursor.load.seen];
  return seen ? [at, seen] : [at];
};

/** What no cursor is longer than: a title may be a key of a load, and takes most of it. */
const MAX_CURSOR_CHARACTERS = 4_096;

/** Whether the text could be a cursor at all. */
export const isCursorText = (text: string): boolean =>
  text.length <= MAX_CURSOR_CHARACTERS && /^[A-Za-z0-9_-]{20,}$/.test(text);

/** Opaque texts for the positions in one workspace, in one epoch: one text for each, for every caller. */
export function cursorsOf(keys: Keys, epoch: string, workspaceId: string) {
  const context = `changes ${epoch} ${workspaceId}`;
  return {
    textOf: (cursor: Cursor): string =>
      keys.sealPosition(
        context,
        'load' in cursor
          ? JSON.stringify(cursor.load)
          : (cursor.seen?.seq === cursor.at.seq ? [cursor.at] : positionsOf(cursor)).map(plainOf).join(' '),
      ),
    /** Undefined for the text of another workspace, epoch or key. */
    read: (text: string): Cursor | undefined => {
      const plain = keys.unsealPosition(context, text);
      if (plain === undefined) return undefined;
      if (plain.startsWith('{')) return { load: JSON.parse(plain) as Load };
      const [seq = 0, tag = 0, seenSeq, seenTag] = plain.split(' ').map(Number);
      const at = { seq, tag };
      return seenSeq === undefined || seenTag === undefined
        ? { at }
        : { at, seen: { seq: seenSeq, tag: seenTag } };
    },
  };
}

const plainOf = ({ seq, tag }: Position): string =>
  `${String(seq).padStart(16, '0')} ${String(tag).padStart(10, '0')}`;

/** Whether the row of that position is still there: otherwise what followed it cannot be told. */
export const isKnown = (db: Db, workspaceKey: number, { seq, tag }: Position): boolean =>
  findChange(db, workspaceKey, seq)?.tag === tag;

/** The position of everything that is committed by now. */
export function presentPosition(db: Db, workspaceKey: number): Position {
  const newest = newestChange(db, workspaceKey);
  return newest ? { seq: newest.seq, tag: newest.tag } : { seq: 0, tag: 0 };
}
