import { type Db, statement } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { forbidden } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';
import type { Member } from './authorization.ts';

/** What the workspaces of one owner hold, the trash included. */
export interface Use {
  tasks: number;
  /** UTF-8 bytes of the titles and descriptions of tasks and series. */
  bytes: number;
}

/** What an owner may still add before their use is summed up again. */
export interface Room extends Use {
  until: number;
}

const MEGABYTE = 1_000_000;
/** Nearer to a quota, use is summed up each time. */
const FAR = { tasks: 10_000, bytes: 32 * MEGABYTE };
/** Far from both, so much of the way may be gone before that, for so long: what series make meanwhile is far less. */
const SHARE = 4;
const ROOM_MS = 10 * SECOND;

/**
 * 403 when the owner of the workspace would hold more than their quota by it; what takes nothing more is never rejected. To
 * be asked in the transaction that adds it.
 */
export function requireCapacity(deps: Deps, db: Db, { ownerId }: Pick<Member, 'ownerId'>, added: Use): void {
  if (added.tasks <= 0 && added.bytes <= 0) return;
  const now = deps.clock.now();
  const room = deps.rooms.get(ownerId);
  if (room && now < room.until && added.tasks <= room.tasks && added.bytes <= room.bytes) {
    room.tasks -= added.tasks;
    room.bytes -= added.bytes;
    return;
  }
  deps.rooms.delete(ownerId);
  const { tasks, megabytes } = deps.config.quotas;
  const most = {
    tasks: tasks === 0 ? Number.POSITIVE_INFINITY : tasks,
    bytes: megabytes === 0 ? Number.POSITIVE_INFINITY : megabytes * MEGABYTE,
  };
  const use = useOf(db, ownerId);
  const left = { tasks: most.tasks - use.tasks - added.tasks, bytes: most.bytes - use.bytes - added.bytes };
  if (added.tasks > 0 && left.tasks < 0) {
    throw tooMuch('tasks', tasks);
  }
  if (added.bytes > 0 && left.bytes < 0) {
    throw tooMuch('megabytes', megabytes);
  }
  if (left.tasks < FAR.tasks || left.bytes < FAR.bytes) return;
  deps.rooms.set(ownerId, { tasks: left.tasks / SHARE, bytes: left.bytes / SHARE, until: now + ROOM_MS });
}

const PLACES = {
  lists: {
    counted: 'select count(*) as n from lists where workspace_id = ?',
    trashed: 'list',
    words: 'lists',
  },
  spaces: {
    counted: 'select count(*) as n from spaces where workspace_id = ?',
    trashed: 'space',
    words: 'spaces',
  },
  status_templates: {
    counted: 'select count(*) as n from status_templates where workspace_id = ?',
    trashed: null,
    words: 'status templates',
  },
  series: {
    counted: `select n from series_counts
      where workspace_code = (select code from workspaces where id = ?)`,
    trashed: 'series',
    words: 'recurring tasks',
  },
};
type Place = keyof typeof PLACES;

/** 403 when the workspace has as many of these as it may; to be asked in the transaction that adds one. */
export function requirePlace({ config }: Deps, db: Db, who: Member, key: Place): void {
  const most = config.quotas[key];
  if (most > 0 && placesTaken(db, who, key) >= most) throw tooManyPlaces(key, most);
}

/** 403 while the owner, or the workspace, has more than the quotas allow, as the trash counts too: nothing is restored. */
export function requireWithinQuotas(
  { config: { quotas } }: Deps,
  db: Db,
  who: Member,
  places: readonly Place[],
): void {
  const use = useOf(db, who.ownerId);
  if (quotas.tasks > 0 && use.tasks > quotas.tasks) throw tooMuch('tasks', quotas.tasks);
  if (quotas.megabytes > 0 && use.bytes > quotas.megabytes * MEGABYTE) {
    throw tooMuch('megabytes', quotas.megabytes);
  }
  for (const key of places) {
    const most = quotas[key];
    if (most > 0 && placesTaken(db, who, key) > most) throw tooManyPlaces(key, most);
  }
}

/** How many of these a workspace has, with those in the trash. */
function placesTaken(db: Db, { workspaceId, workspaceKey }: Member, key: Place): number {
  const { counted, trashed } = PLACES[key];
  const live = db.one(statement<{ n: number }>(counted, [workspaceId]))?.n ?? 0;
  const inTrash = statement<{ n: number }>(
    'select n from trash_counts where workspace_code = ? and kind = ?',
    [workspaceKey, trashed],
  );
  return live + (db.one(inTrash)?.n ?? 0);
}

const tooManyPlaces = (key: Place, most: number) =>
  exceeded(key, `A workspace may have ${most} ${PLACES[key].words}`);

const tooMuch = (key: 'tasks' | 'megabytes', most: number) =>
  exceeded(key, `The owner of this workspace may have ${most} ${key === 'tasks' ? 'tasks' : 'MB of text'}`);

/** 403 when a workspace with so many of each would have more than it may. */
export function requirePlaces({ config: { quotas } }: Deps, sizes: Record<Place, number>): void {
  for (const key of Object.keys(PLACES) as Place[]) {
    if (quotas[key] > 0 && sizes[key] > quotas[key]) throw tooManyPlaces(key, quotas[key]);
  }
}

/** Names the setting, which an admin of the server may raise. */
const exceeded = (key: string, words: string) => forbidden(`${words} (quotas.${key})`);

const HELD = `
  select workspace.owner_id as ownerId, counted.n as tasks, counted.bytes as bytes
    from workspaces as workspace
    join task_counts as counted on counted.workspace_code = workspace.code and counted.field = 'all'
  union all
  select workspace.owner_id, 0, counted.bytes
    from workspaces as workspace
    join series_counts as counted on counted.workspace_code = workspace.code
  union all
  select workspace.owner_id, iif(counted.kind = 'task', counted.n, 0), counted.bytes
    from workspaces as workspace
    join trash_counts as counted on counted.workspace_code = workspace.code`;
const SUMS = 'ifnull(sum(tasks), 0) as tasks, ifnull(sum(bytes), 0) as bytes';

/** What someone's own workspaces hold; by the kept counters. */
export const useOf = (db: Db, ownerId: string): Use =>
  db.one(statement<Use>(`select ${SUMS} from (${HELD}) where ownerId = ?`, [ownerId])) ?? {
    tasks: 0,
    bytes: 0,
  };

/** What each owner's workspaces hold, by the owner's id; nobody who has nothing. */
export const usesByOwner = (db: Db): Map<string, Use> => {
  const uses = statement<Use & { ownerId: string }>(
    `select ownerId, ${SUMS} from (${HELD}) group by ownerId`,
    [],
  );
  return new Map(db.all(uses).map(({ ownerId, ...use }) => [ownerId, use]));
};
