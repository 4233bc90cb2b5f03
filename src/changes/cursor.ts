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
  /** Index into the sections, and the keys of the last row read there. */
  section: number;
  after?: Key;
}

/** Where a reader of a workspace stands: at a row, or within a load. */
export type Cursor = { at: Position } | { load: Load };

/** What no cursor is longer than: a title may be a key of a load, and takes most of it. */
export const MAX_CURSOR_CHARACTERS = 4_096;

/** Whether the text could be a cursor at all. */
export const isCursorText = (text: string): boolean =>
  text.length <= MAX_CURSOR_CHARACTERS && /^[A-Za-z0-9_-]{20,}$/.test(text);

/** Opaque texts for the positions in one workspace, in one epoch: one text for each, whoever asks. */
export function cursorsOf(keys: Keys, epoch: string, workspaceId: string) {
  const context = `changes ${epoch} ${workspaceId}`;
  return {
    textOf: (cursor: Cursor): string =>
      keys.sealPosition(
        context,
        'at' in cursor
          ? `${String(cursor.at.seq).padStart(16, '0')} ${String(cursor.at.tag).padStart(10, '0')}`
          : JSON.stringify(cursor.load),
      ),
    /** Undefined for the text of another workspace, epoch or key. */
    read: (text: string): Cursor | undefined => {
      const plain = keys.unsealPosition(context, text);
      if (plain === undefined) return undefined;
      if (plain.startsWith('{')) return { load: JSON.parse(plain) as Load };
      const [seq, tag] = plain.split(' ').map(Number);
      return { at: { seq: seq ?? 0, tag: tag ?? 0 } };
    },
  };
}

/** Whether the row of that position is still there: otherwise what followed it cannot be told. */
export const isKnown = (db: Db, workspaceKey: number, { seq, tag }: Position): boolean =>
  findChange(db, workspaceKey, seq)?.tag === tag;

/** The position of everything that is committed by now. */
export function presentPosition(db: Db, workspaceKey: number): Position {
  const newest = newestChange(db, workspaceKey);
  return newest ? { seq: newest.seq, tag: newest.tag } : { seq: 0, tag: 0 };
}
