import { query } from '../src/db/connection.ts';
import { newId } from '../src/kernel/ids.ts';
import { DAY, toInstant } from '../src/kernel/instants.ts';
import type { StatusType, TaskRow } from '../src/storage/tables.ts';
import { titleKey } from '../src/storage/words.ts';
import { PRIORITIES } from '../src/tasks/schema.ts';
import { addTask } from '../src/tasks/tasks.ts';
import { openHome } from './people.ts';
import { type Person, START, type World } from './world.ts';

interface SeededStatus {
  id: string;
  title: string;
  type: StatusType;
}

interface SeededList {
  id: string;
  title: string;
  spaceId: string;
  statuses: SeededStatus[];
}

/** A workspace of many tasks of every kind, with ties in everything that they can be sorted by. */
export interface Seeded {
  world: World;
  ada: Person;
  workspaceId: string;
  lists: SeededList[];
  /** In the order of their templates. */
  statuses: SeededStatus[];
  /** Ada first. */
  people: { id: string; name: string }[];
  series: string[];
  tasks: TaskRow[];
}

/** The same numbers at every run, from 0 to below `end`. */
export function randomBelow(seed = 1): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

export async function seedTasks(count: number): Promise<Seeded> {
  const { world, ada, home: workspaceId, call, inside } = await openHome();
  const post = async (path: string, body: object) => (await call('POST', inside + path, body)).body;

  await post('/status-templates', {
    title: 'Editorial',
    statuses: [
      { title: 'Idea', type: 'unstarted' },
      { title: 'Draft', type: 'started' },
      { title: 'Printed', type: 'completed' },
      { title: 'Dropped', type: 'canceled' },
    ],
  });
  const templates = (await call('GET', `${inside}/status-templates`)).body.items;
  for (const title of ['Home', 'Work']) {
    const space = await post('/spaces', { title });
    await post('/lists', { spaceId: space.id, title: `${title} extra`, statusTemplateId: templates[1].id });
    await post('/lists', { spaceId: space.id, title: `${title} first`, position: title === 'Home' ? 1 : 2 });
  }
  const lists: SeededList[] = (await call('GET', `${inside}/lists`)).body.items;
  const people = [{ id: ada.id, name: 'Ada' }];
  for (const name of ['érika', 'Bob', 'Zoë']) people.push({ id: newId(START), name });

  const roll = randomBelow();
  const pick = <Thing>(things: readonly Thing[]): Thing => things[roll(things.length)] as Thing;
  const [code = 0] = world.values<number>('select code from workspaces where id = ?', workspaceId);
  const series = [newId(START), newId(START)];
  const tasks = Array.from({ length: count }, (_, i): TaskRow => {
    // The later lists are the bigger ones.
    const list = lists[Math.floor(Math.sqrt(roll(lists.length ** 2)))] as SeededList;
    const status = pick(list.statuses);
    const title =
      pick(['Milk', 'milk', 'Émile', 'zebra', 'Buy milk', 'apple', 'Åre']) + pick(['', ` ${roll(9)}`]);
    const now = START + Math.floor(i / 3);
    return {
      id: newId(now),
      number: i + 1,
      workspace_code: code,
      workspace_id: workspaceId,
      space_id: list.spaceId,
      list_id: list.id,
      status_id: status.id,
      priority: roll(PRIORITIES.length),
      assignee_id: pick([null, ...people.map(({ id }) => id)]),
      creator_id: pick([null, ...people.slice(0, 2).map(({ id }) => id)]),
      start_date: null,
      due_date: roll(3) === 0 ? null : toInstant(START + roll(12) * DAY - roll(2) * 12 * 3_600_000),
      due_noticed: null,
      completed_at: status.type === 'completed' ? toInstant(now) : null,
      position: roll(count) * 512,
      recurring_task_id: i % 10 === 0 ? (series[i % 3 === 0 ? 0 : 1] ?? null) : null,
      occurrence_at: i % 10 === 0 ? toInstant(START + i * DAY) : null,
      occurrence_number: i % 10 === 0 ? i + 1 : null,
      overridden: i % 10 === 0 ? '[]' : null,
      created_at: toInstant(now),
      updated_at: toInstant(now + roll(20)),
      title,
      title_key: titleKey(title),
      description: null,
      label_ids: null,
      checklist: null,
      comment_count: 0,
      more_bytes: 0,
      version: 1,
    };
  });
  const stamps = { created_at: toInstant(START), updated_at: toInstant(START) };
  await world.deps.write((tx) => {
    for (const { id, name } of people.slice(1)) {
      const account = { id, name, email: `${id}@example.com`, password_hash: null, password_set_at: null };
      tx.run(query.insertInto('users').values({ ...account, is_email_verified: 1, ...stamps }));
      const membership = { workspace_id: workspaceId, user_id: id, role: 'member', is_default: 0 } as const;
      tx.run(query.insertInto('members').values({ ...membership, joined_at: toInstant(START) }));
    }
    for (const row of tasks) addTask(tx, row);
  });
  const statuses = templates.flatMap((template: { statuses: SeededStatus[] }) => template.statuses);
  return { world, ada, workspaceId, lists, statuses, people, series, tasks };
}
