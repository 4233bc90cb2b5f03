import { PAGED_SERIES, type PagedSeries } from './series.ts';
import type {
  LabelRow,
  ListRow,
  MemberRow,
  SpaceRow,
  StatusTemplateRow,
  UserRow,
  WorkspaceRow,
} from './tables.ts';
import { PAGED, type PagedTask } from './task-fields.ts';

/** Part of a workspace that is read as a whole: the workspace itself, or what one thing in it holds. */
export interface Scope {
  kind: 'workspace' | 'space' | 'list' | 'recurringTask' | 'task' | 'member';
  id: string;
}

export interface Owner {
  workspaceId: string;
  workspaceKey: number;
}

/** Where in the order of a section reading stopped: the sort keys of its last row. */
export type Key = readonly (string | number)[];

/** Members with their addresses and names. */
export const MEMBERS_SHOWN = '(select m.*, email, name from members m join users on id = user_id)';
export type MemberWithPerson = MemberRow & Pick<UserRow, 'email' | 'name'>;

/** The rows of each section, by the name under which its reader knows how to show them. */
export interface SectionRows {
  workspace: WorkspaceRow;
  member: MemberWithPerson;
  statusTemplate: StatusTemplateRow;
  space: SpaceRow;
  list: ListRow;
  label: LabelRow;
  recurringTask: PagedSeries;
  task: PagedTask;
}

/** A condition, and what it has a `?` for: of the workspace, or the id of the scope. */
type Where = readonly [sql: string, ...names: (keyof Owner | 'id')[]];

export interface Section {
  kind: keyof SectionRows;
  source: string;
  /** Which rows are in a scope; of some kinds of scope none are. */
  where: Partial<Record<Scope['kind'], Where>>;
  /** Columns with their directions, which together tell rows apart. */
  order: readonly (readonly [column: string, direction: 'asc' | 'desc'])[];
}

const OPEN = `status_code in (select code from statuses where workspace_id = ? and type in ('unstarted', 'started'))`;

function tasksWhere(more: string): Section['where'] {
  const within = (sql: string, ...names: Where[1][]): Where => [
    `workspace_code = ? and ${sql}${more}`,
    'workspaceKey',
    ...names,
    'workspaceId',
  ];
  return {
    workspace: within(''),
    space: within(
      'list_code in (select code from lists where space_id = ? and workspace_id = ?) and ',
      'id',
      'workspaceId',
    ),
    list: within('list_code = (select code from lists where id = ?) and ', 'id'),
    recurringTask: within('recurring_task_id = ? and ', 'id'),
    task: within('id = ? and ', 'id'),
  };
}

const TASKS = {
  kind: 'task',
  source: `(select ${PAGED}, list_code, status_code from tasks)`,
} as const;

/** By a column and then by ids. */
const ascending = (column: string, id = 'id'): Section['order'] => [
  [column, 'asc'],
  [id, 'asc'],
];

export const MIDNIGHT = 'T00:00:00.000Z';

/** By due date, a day as midnight UTC, so that all readers share one order. */
export const DATED: Section = {
  ...TASKS,
  source: `(select ${PAGED}, list_code, status_code,
    substr(due_date || '${MIDNIGHT}', 1, 24) as due_at from tasks)`,
  where: tasksWhere(`${OPEN} and due_date is not null`),
  order: ascending('due_at'),
};

const OF_WORKSPACE: Where = ['workspace_id = ?', 'workspaceId'];
const ofWorkspaceAnd = (sql: string): Where => [`workspace_id = ? and ${sql}`, 'workspaceId', 'id'];

/** In the order of the first load of `GET …/changes` (contract, section 16). */
export const SECTIONS: readonly Section[] = [
  {
    kind: 'workspace',
    source: 'workspaces',
    where: { workspace: ['id = ?', 'workspaceId'] },
    order: [['id', 'asc']],
  },
  {
    kind: 'member',
    source: MEMBERS_SHOWN,
    where: { workspace: OF_WORKSPACE, member: OF_WORKSPACE },
    order: ascending('joined_at', 'user_id'),
  },
  {
    kind: 'statusTemplate',
    source: 'status_templates',
    where: { workspace: OF_WORKSPACE },
    order: ascending('created_at'),
  },
  {
    kind: 'space',
    source: '(select * from spaces where in_transit = 0)',
    where: { workspace: OF_WORKSPACE, space: ofWorkspaceAnd('id = ?') },
    order: ascending('position'),
  },
  {
    kind: 'list',
    source: '(select * from lists where in_transit = 0)',
    where: {
      workspace: OF_WORKSPACE,
      space: ofWorkspaceAnd('space_id = ?'),
      list: ofWorkspaceAnd('id = ?'),
    },
    order: ascending('position'),
  },
  {
    kind: 'label',
    source: 'labels',
    where: { workspace: OF_WORKSPACE },
    order: ascending('position'),
  },
  {
    kind: 'recurringTask',
    source: `(select ${PAGED_SERIES} from recurring_series
      where list_id not in (select id from lists where in_transit = 1))`,
    where: {
      workspace: OF_WORKSPACE,
      space: ofWorkspaceAnd('list_id in (select id from lists where space_id = ?)'),
      list: ofWorkspaceAnd('list_id = ?'),
      recurringTask: ofWorkspaceAnd('id = ?'),
    },
    order: ascending('created_at'),
  },
  DATED,
  { ...TASKS, where: tasksWhere(`${OPEN} and due_date is null`), order: [['id', 'asc']] },
  {
    ...TASKS,
    where: tasksWhere(`not ${OPEN}`),
    order: [
      ['updated_at', 'desc'],
      ['id', 'asc'],
    ],
  },
];
