import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Db } from '../db/connection.ts';
import type { Write } from '../db/writer.ts';
import { findChange, newestOfAll } from '../storage/changes.ts';
import { epochOf, setMeta } from '../storage/meta.ts';

const Note = z.object({ epoch: z.string(), workspaceKey: z.int(), seq: z.int(), tag: z.int() });
type Note = z.output<typeof Note>;

/** Beside the key file, which is never restored with the database. */
const noteFileOf = (databasePath: string) => join(dirname(databasePath), 'position.json');

/**
 * Makes sure that there is an epoch, and a new one where the row noted last is not there: then the file is older than
 * what clients have seen of it, as a copy put back or a snapshot of the machine is.
 */
export async function openEpoch(db: Db, write: Write, databasePath: string): Promise<void> {
  const note = readNote(databasePath);
  const epoch = epochOf(db);
  const isSetBack =
    note !== undefined &&
    note.epoch === epoch &&
    findChange(db, note.workspaceKey, note.seq)?.tag !== note.tag;
  if (epoch === '' || isSetBack) await write((tx) => void renewEpoch(tx));
}

/** Begins a new epoch. */
export const renewEpoch = (db: Db): void => void setMeta(db, 'epoch', randomBytes(4).toString('hex'));

/** Notes the newest row there is, for `openEpoch` to look for. Unsynced: a note that is lost makes nothing untrue. */
export function notePosition(db: Db, databasePath: string): void {
  const newest = newestOfAll(db);
  if (!newest) return;
  const { workspace_code: workspaceKey, seq, tag } = newest;
  const note: Note = { epoch: epochOf(db), workspaceKey, seq, tag };
  const path = noteFileOf(databasePath);
  writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** None where there is no file, or one that was damaged: then nothing can be told by it. */
function readNote(databasePath: string): Note | undefined {
  try {
    return Note.parse(JSON.parse(readFileSync(noteFileOf(databasePath), 'utf8')));
  } catch {
    return undefined;
  }
}
