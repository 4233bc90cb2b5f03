import { type Db, statement } from '../db/connection.ts';

/** What the workspaces of one owner hold, the trash included. */
export interface Use {
  tasks: number;
  /** UTF-8 bytes of titles, descriptions and checklists of tasks and series, and of comments. */
  bytes: number;
}

/** What is counted in each workspace. */
const COUNTED = {
  lists: {
    counted: 'select count(*) as n from lists where workspace_id = ?',
    trashed: 'list',
  },
  spaces: {
    counted: 'select count(*) as n from spaces where workspace_id = ?',
    trashed: 'space',
  },
  status_templates: {
    counted: 'select count(*) as n from status_templates where workspace_id = ?',
    trashed: null,
  },
  series: {
    counted: `select n from series_counts
      where workspace_code = (select code from workspaces where id = ?)`,
    trashed: 'series',
  },
};
export type Counted = keyof typeof COUNTED;

/** How many of these a workspace has, with those in the trash. */
export function countUsed(
  db: Db,
  { workspaceId, workspaceKey }: { workspaceId: string; workspaceKey: number },
  key: Counted,
): number {
  const { counted, trashed } = COUNTED[key];
  const live = db.one(statement<{ n: number }>(counted, [workspaceId]))?.n ?? 0;
  const inTrash = statement<{ n: number }>(
    'select n from trash_counts where workspace_code = ? and kind = ?',
    [workspaceKey, trashed],
  );
  return live + (db.one(inTrash)?.n ?? 0);
}

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
