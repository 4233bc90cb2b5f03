import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { Written } from '../http/long-json.ts';
import { ownState } from '../kernel/own-state.ts';
import type { LeftOut } from '../storage/long-texts.ts';
import { type FoundTask, type PagedTask, taskOf } from '../storage/task-fields.ts';
import { completeTasks, readPagedTasks } from '../storage/tasks.ts';
import type { Member } from '../workspaces/authorization.ts';
import { type Asker, type Kind, readInSteps } from './long-pages.ts';
import type { Task } from './schema.ts';

/** Of the JSON that is kept, in either half: what is kept in all is at most twice as much. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_CHARACTERS_OF_ONE = 16 * 1024;

type WrittenTask = Written<Task>;

/** A task of a page: read for it, or known already. */
type PageRow = PagedTask | (LeftOut & { known: WrittenTask });

/** As `readInSteps`, of tasks: of those whose JSON is known nothing but their version is read. */
export function readTaskPage<Found extends { rows: FoundTask[] }>(
  deps: Deps,
  who: Member,
  asker: Asker,
  find: (db: Db) => Found,
): Promise<Omit<Found, 'rows'> & { items: WrittenTask[] }> {
  const texts = textsOf(deps);
  const kind: Kind<PageRow, WrittenTask> = {
    complete: (db, rows) => completeTasks(db, rows.filter(isRead)),
    itemOf: (row) => ('known' in row ? row.known : written(row)),
  };
  return readInSteps(deps, who, asker, kind, (db) =>
    db.atOneMoment(() => {
      const found = find(db);
      return { ...found, rows: rowsOf(db, who, texts, found.rows) };
    }),
  );
}

const isRead = (row: PageRow | FoundTask): row is PagedTask => 'left_out' in row && !('known' in row);

const written = (row: PagedTask): WrittenTask => new Written(JSON.stringify(taskOf(row)));

/**
 * Nothing is written between what found the tasks and this. Those far behind are read whole already: each page there is
 * hardly shown twice, so they are not sought among what is known, nor kept.
 */
function rowsOf(db: Db, { workspaceKey }: Member, texts: TaskTexts, found: readonly FoundTask[]): PageRow[] {
  const known = found.map((task) => (isRead(task) ? undefined : texts.find(task)));
  const unknown = found.filter((task, i) => known[i] === undefined && !isRead(task));
  const read = new Map<number, PageRow>();
  if (unknown.length > 0)
    for (const row of readPagedTasks(db, workspaceKey, unknown))
      read.set(row.seq, row.left_out === 0 ? { known: texts.write(row), left_out: 0 } : row);
  return found.flatMap((task, i) => {
    const text = known[i];
    if (text) return { known: text, left_out: 0 };
    return isRead(task) ? task : (read.get(task.seq) ?? []);
  });
}

/**
 * The JSON of tasks that pages showed lately. All that a task shows goes with its version (what raises that is tested),
 * and keys of tasks are never reused, so it is never stale; who may see a task is not asked here.
 */
export class TaskTexts {
  #recent = new Map<number, { version: number; text: WrittenTask }>();
  #older = new Map<number, { version: number; text: WrittenTask }>();
  #characters = 0;

  find({ seq, version }: FoundTask): WrittenTask | undefined {
    const recent = this.#recent.get(seq);
    if (recent?.version === version) return recent.text;
    const older = this.#older.get(seq);
    if (older?.version !== version) return undefined;
    this.#keep(seq, older);
    return older.text;
  }

  /** Writes a task as it was committed, with all its texts, and keeps that. */
  write(row: PagedTask): WrittenTask {
    const text = written(row);
    if (text.json.length <= MAX_CHARACTERS_OF_ONE) this.#keep(row.seq, { version: row.version, text });
    return text;
  }

  #keep(seq: number, known: { version: number; text: WrittenTask }): void {
    const { length } = known.text.json;
    if (this.#characters + length > MAX_CHARACTERS) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    this.#recent.set(seq, known);
    this.#characters += length;
  }
}

const textsOf = ownState(() => new TaskTexts());
