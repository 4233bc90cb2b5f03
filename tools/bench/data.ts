import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { createAccount } from '../../src/auth/account/account.ts';
import { createConfig } from '../../src/config.ts';
import { query } from '../../src/db/connection.ts';
import type { Tx } from '../../src/db/tx.ts';
import type { Deps } from '../../src/deps.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDeps } from '../../src/open.ts';
import type { NewTask } from '../../src/storage/insert-task.ts';
import { addTask } from '../../src/tasks/tasks.ts';
import { argon2Passwords } from '../../src/users/passwords.ts';
import { seeded } from '../../test/seeded-random.ts';
import { floorSchema } from './floor-schema.ts';

const BEGAN = Date.parse('2026-01-01T00:00:00.000Z');
const EVERY_MS = 20_000;
const DAY_MS = 86_400_000;
const PEOPLE = 20;
const SPACES = 5;
const LISTS = 50;
const TASKS_PER_COMMIT = 500;
const LABELS = 500;

export const EMAIL = 'ada@example.com';
export const PASSWORD = 'correct horse battery staple';
/** The session that the floor's token speaks for. */
export const FLOOR_SESSION = '019b0000-0000-7000-8000-000000000000';

/** What requests are made of. */
export interface Facts {
  workspaceId: string;
  userId: string;
  userIds: string[];
  listIds: string[];
  taskIds: string[];
  /** Those that tasks have; none where the data is made without. */
  labelIds: string[];
}

/** Twenty thousand words; the first ones are far more frequent, as in a language. */
export const wordAt = (rank: number): string => {
  let word = '';
  for (let rest = rank + 30; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
};
const WORDS = 20_000;
const SYLLABLES = 'ba ke li mo nu ra se ti vo wu da fe gi ho ju pa qe xi yo zu cra ple sti dro flu'.split(
  ' ',
);

const words = (roll: () => number, atLeast: number, more: number): string =>
  Array.from({ length: atLeast + Math.floor(roll() * more) }, () =>
    wordAt(Math.floor(WORDS ** roll()) - 1),
  ).join(' ');

interface TaskText {
  title: string;
  description: string | null;
}

export const taskText = (roll: () => number): TaskText => ({
  title: words(roll, 3, 6),
  description: roll() < 0.7 ? words(roll, 5, 50) : null,
});

export interface Data {
  /** A folder with `errand.db`, `keys.json` and `floor.db`: to be copied, never to be opened. */
  folder: string;
  facts: Facts;
}

/**
 * Both files with so many tasks, the same in both; made once and kept in `root` as long as the schema stays. Each task
 * has so many of 500 labels.
 */
export async function dataOf(size: number, root: string, lean: boolean, labels = 0): Promise<Data> {
  const kind = `${lean ? 'lean-' : ''}${labels > 0 ? `${labels}-labels-` : ''}`;
  const folder = join(root, `${size}-${kind}${fingerprint()}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await seedErrand(join(unfinished, 'errand.db'), size, labels);
    seedFloor(join(unfinished, 'floor.db'), join(unfinished, 'errand.db'), lean);
    renameSync(unfinished, folder);
  }
  return { folder, facts: factsIn(join(folder, 'floor.db')) };
}

/** Copies what one of the servers needs, onto the disk, so that nothing of it is written while one measures. */
export function copyData({ folder }: Data, to: string, server: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const names = server.startsWith('errand') ? ['errand.db', 'keys.json'] : ['floor.db'];
  for (const name of names) {
    copyFileSync(join(folder, name), join(to, name));
    const file = openSync(join(to, name), 'r+');
    fsyncSync(file);
    closeSync(file);
  }
}

/** Of what the data is made by. */
function fingerprint(): string {
  const here = (path: string) => new URL(path, import.meta.url);
  const hash = createHash('sha256');
  for (const name of readdirSync(here('../../migrations')).sort()) {
    hash.update(readFileSync(here(`../../migrations/${name}`)));
  }
  for (const path of ['data.ts', 'floor-schema.ts', '../../src/storage/words.ts'])
    hash.update(readFileSync(here(path)));
  return hash.digest('hex').slice(0, 12);
}

async function seedErrand(path: string, size: number, labels: number): Promise<void> {
  const config = createConfig({ database: { path } });
  const opened = await openDeps(config, silentLog, { role: 'server' });
  const { storage, writer } = opened;
  storage.writing.pragma('synchronous = off');
  const passwordHash = await argon2Passwords().hash(PASSWORD);
  const roll = seeded(1);
  const place = await writer.write((tx) => {
    const ada = createAccount(opened.deps, tx, { email: EMAIL, name: 'Ada', passwordHash }, BEGAN);
    return seedPlace(opened.deps, tx, ada.id, labels > 0 ? LABELS : 0);
  });
  for (let made = 0; made < size; ) {
    const upTo = Math.min(size, made + TASKS_PER_COMMIT);
    await writer.write((tx) => {
      for (; made < upTo; made += 1) addTask(tx, taskAt(made, place, roll, labels));
    });
  }
  await writer.idle();
  storage.writing.pragma('wal_checkpoint(truncate)');
  await opened.close();
}

type Place = ReturnType<typeof seedPlace>;

function seedPlace(deps: Deps, tx: Tx, ownerId: string, labels: number) {
  const stamps = { created_at: new Date(BEGAN).toISOString(), updated_at: new Date(BEGAN).toISOString() };
  const workspace = tx.one(query.selectFrom('workspaces').select(['id', 'code']));
  const template = tx.one(query.selectFrom('status_templates').select('id'));
  if (!workspace || !template) throw new Error('An account has no workspace');
  const workspaceId = workspace.id;
  const userIds = [ownerId];
  for (let i = 1; i < PEOPLE; i += 1) {
    const { id } = createAccount(
      deps,
      tx,
      { email: `p${i}@example.com`, name: `Person ${i}`, passwordHash: null },
      BEGAN,
    );
    const row = {
      user_id: id,
      role: 'member' as const,
      is_default: 0 as const,
      joined_at: stamps.created_at,
    };
    tx.run(query.insertInto('members').values({ workspace_id: workspaceId, ...row }));
    userIds.push(id);
  }
  const spaceIds = Array.from({ length: SPACES }, (_, i) => {
    const row = {
      id: newId(BEGAN),
      title: `Space ${i}`,
      description: null,
      position: 2048 + i,
      creator_code: null,
      version: 1,
    };
    tx.run(query.insertInto('spaces').values({ ...row, workspace_id: workspaceId, ...stamps }));
    return row.id;
  });
  const lists = Array.from({ length: LISTS }, (_, i) => {
    const row = {
      id: newId(BEGAN),
      title: `List ${i}`,
      space_id: spaceIds[i % SPACES] ?? '',
      position: 2048 + i,
      creator_code: null,
      version: 1,
    };
    const rest = { workspace_id: workspaceId, status_template_id: template.id, ...stamps };
    tx.run(query.insertInto('lists').values({ ...row, ...rest }));
    return { id: row.id, spaceId: row.space_id };
  });
  const labelIds = Array.from({ length: labels }, (_, i) => {
    const title = `Label ${i}`;
    const row = { id: newId(BEGAN), title, title_key: title.toLowerCase(), color: '#123456', position: i };
    const rest = { workspace_id: workspaceId, creator_code: null, version: 1, ...stamps };
    tx.run(query.insertInto('labels').values({ ...row, ...rest }));
    return row.id;
  });
  const statuses = tx.all(
    query
      .selectFrom('statuses')
      .select(['id', 'type'])
      .where('template_id', '=', template.id)
      .orderBy('position'),
  );
  return { code: workspace.code, workspaceId, userIds, lists, labelIds, statuses };
}

function taskAt(
  i: number,
  { code, workspaceId, userIds, lists, labelIds, statuses }: Place,
  roll: () => number,
  labels: number,
): NewTask {
  const some = <Value>(values: readonly Value[], share: number): Value => {
    const value = values[Math.floor(values.length * share)];
    if (value === undefined) throw new Error('There is nothing to choose from');
    return value;
  };
  const createdMs = BEGAN + i * EVERY_MS;
  const at = new Date(createdMs).toISOString();
  const due = new Date(createdMs + Math.floor((roll() * 120 - 30) * DAY_MS)).toISOString();
  // Lists differ in size.
  const list = some(lists, roll() * roll());
  const status = some(statuses, roll());
  const text = taskText(roll);
  const taken = new Set<string>();
  while (taken.size < labels) taken.add(some(labelIds, roll()));
  return {
    label_ids: taken.size === 0 ? null : JSON.stringify([...taken]),
    id: newId(createdMs),
    workspace_code: code,
    workspace_id: workspaceId,
    space_id: list.spaceId,
    list_id: list.id,
    status_id: status.id,
    priority: Math.floor(roll() * 5),
    assignee_id: roll() < 0.2 ? null : some(userIds, roll()),
    creator_id: some(userIds, roll()),
    start_date: null,
    due_date: roll() < 0.4 ? null : due,
    completed_at: status.type === 'completed' ? at : null,
    position: (i + 1) * 1024,
    recurring_task_id: null,
    occurrence_at: null,
    occurrence_number: null,
    overridden: null,
    created_at: at,
    updated_at: at,
    ...text,
  };
}

function seedFloor(path: string, errandPath: string, lean: boolean): void {
  const db = new SqliteDatabase(path);
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = off');
  db.exec(floorSchema(lean));
  db.prepare('attach ? as errand').run(errandPath);
  db.exec('begin');
  for (const table of ['users', 'workspaces', 'members', 'lists', 'statuses', 'tasks']) {
    const columns = db.pragma(`main.table_info(${table})`) as { name: string }[];
    const names = columns.map(({ name }) => name).join(', ');
    db.exec(`insert into main.${table} (${names}) select ${names} from errand.${table}`);
  }
  db.exec(`
    insert into counts select workspace_id, ifnull(assignee_id, ''), priority, count(*) from main.tasks group by 1, 2, 3;
    insert into numbers select workspace_id, max(number) from main.tasks group by 1;
    insert into main.task_search (rowid, title, description) select seq, title, description from main.tasks;
  `);
  const owner = db.prepare('select id from main.users where email = ?').pluck().get(EMAIL);
  db.prepare('insert into main.sessions values (?, ?, ?)').run(
    FLOOR_SESSION,
    owner,
    '2999-01-01T00:00:00.000Z',
  );
  db.exec('commit');
  db.exec('detach errand');
  db.close();
}

function factsIn(path: string): Facts {
  const db = new SqliteDatabase(path, { readonly: true });
  const ids = (sql: string) => db.prepare(sql).pluck().all() as string[];
  const [userId = ''] = ids(`select id from users where email = '${EMAIL}'`);
  const [workspaceId = ''] = ids('select workspace_id from tasks limit 1');
  const facts = {
    workspaceId,
    userId,
    userIds: ids(
      'select user_id from members where workspace_id in (select workspace_id from tasks limit 1)',
    ),
    listIds: ids('select distinct list_id from tasks'),
    taskIds: ids('select id from tasks order by id'),
    labelIds: ids('select distinct value from tasks, json_each(label_ids) limit 500'),
  };
  db.close();
  return facts;
}
