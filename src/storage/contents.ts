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

export interface Section {
  kind: keyof SectionRows;
  source: string;
  where: (
    scope: Scope,
    owner: Owner,
  ) => readonly [sql: string, ...parameters: (string | number)[]] | undefined;
  /** Columns with their directions, which together tell rows apart. */
  order: readonly (readonly [column: string, direction: 'asc' | 'desc'])[];
}

const OPEN = `status_code in (select code from statuses where workspace_id = ? and type in ('unstarted', 'started'))`;

const tasksWhere =
  (more: string, needsStatuses: boolean): Section['where'] =>
  (scope, { workspaceId, workspaceKey }) => {
    const statuses = needsStatuses ? [workspaceId] : [];
    const inWorkspace = 'workspace_code = ?';
    switch (scope.kind) {
      case 'workspace':
        return [`${inWorkspace} and ${more}`, workspaceKey, ...statuses];
      case 'space':
        return [
          `${inWorkspace} and list_code in (select code from lists where space_id = ? and workspace_id = ?) and ${more}`,
          workspaceKey,
          scope.id,
          workspaceId,
          ...statuses,
        ];
      case 'list':
        return [
          `${inWorkspace} and list_code = (select code from lists where id = ?) and ${more}`,
          workspaceKey,
          scope.id,
          ...statuses,
        ];
      case 'recurringTask':
        return [`${inWorkspace} and recurring_task_id = ? and ${more}`, workspaceKey, scope.id, ...statuses];
      case 'task':
        return [`${inWorkspace} and id = ? and ${more}`, workspaceKey, scope.id, ...statuses];
      case 'member':
        return undefined;
    }
  };

const TASKS = {
  kind: 'task',
  source: `(select ${PAGED}, list_code, status_code from tasks)`,
} as const;

export const MIDNIGHT = 'T00:00:00.000Z';

/** By due date, a day as midnight UTC, so that all readers share one order. */
export const DATED: Section = {
  ...TASKS,
  source: `(select ${PAGED}, list_code, status_code,
    substr(due_date || '${MIDNIGHT}', 1, 24) as due_at from tasks)`,
  where: tasksWhere(`${OPEN} and due_date is not null`, true),
  order: [
    ['due_at', 'asc'],
    ['id', 'asc'],
  ],
};

/** In the order of the first load of `GET …/changes` (contract, section 16). */
export const SECTIONS: readonly Section[] = [
  {
    kind: 'workspace',
    source: 'workspaces',
    where: (scope, { workspaceId }) => (scope.kind === 'workspace' ? ['id = ?', workspaceId] : undefined),
    order: [['id', 'asc']],
  },
  {
    kind: 'member',
    source: MEMBERS_SHOWN,
    where: (scope, { workspaceId }) =>
      scope.kind === 'workspace' || scope.kind === 'member' ? ['workspace_id = ?', workspaceId] : undefined,
    order: [
      ['joined_at', 'asc'],
      ['user_id', 'asc'],
    ],
  },
  {
    kind: 'statusTemplate',
    source: 'status_templates',
    where: (scope, { workspaceId }) =>
      scope.kind === 'workspace' ? ['workspace_id = ?', workspaceId] : undefined,
    order: [
      ['created_at', 'asc'],
      ['id', 'asc'],
    ],
  },
  {
    kind: 'space',
    source: '(select * from spaces where in_transit = 0)',
    where: (scope, { workspaceId }) => {
      if (scope.kind === 'workspace') return ['workspace_id = ?', workspaceId];
      return scope.kind === 'space' ? ['workspace_id = ? and id = ?', workspaceId, scope.id] : undefined;
    },
    order: [
      ['position', 'asc'],
      ['id', 'asc'],
    ],
  },
  {
    kind: 'list',
    source: '(select * from lists where in_transit = 0)',
    where: (scope, { workspaceId }) => {
      if (scope.kind === 'workspace') return ['workspace_id = ?', workspaceId];
      if (scope.kind === 'space') return ['workspace_id = ? and space_id = ?', workspaceId, scope.id];
      return scope.kind === 'list' ? ['workspace_id = ? and id = ?', workspaceId, scope.id] : undefined;
    },
    order: [
      ['position', 'asc'],
      ['id', 'asc'],
    ],
  },
  {
    kind: 'label',
    source: 'labels',
    where: (scope, { workspaceId }) =>
      scope.kind === 'workspace' ? ['workspace_id = ?', workspaceId] : undefined,
    order: [
      ['position', 'asc'],
      ['id', 'asc'],
    ],
  },
  {
    kind: 'recurringTask',
    source: `(select ${PAGED_SERIES} from recurring_series
      where list_id not in (select id from lists where in_transit = 1))`,
    where: (scope, { workspaceId }) => {
      switch (scope.kind) {
        case 'workspace':
          return ['workspace_id = ?', workspaceId];
        case 'space':
          return [
            'workspace_id = ? and list_id in (select id from lists where space_id = ?)',
            workspaceId,
            scope.id,
          ];
        case 'list':
          return ['workspace_id = ? and list_id = ?', workspaceId, scope.id];
        case 'recurringTask':
          return ['workspace_id = ? and id = ?', workspaceId, scope.id];
        default:
          return undefined;
      }
    },
    order: [
      ['created_at', 'asc'],
      ['id', 'asc'],
    ],
  },
  DATED,
  { ...TASKS, where: tasksWhere(`${OPEN} and due_date is null`, true), order: [['id', 'asc']] },
  {
    ...TASKS,
    where: tasksWhere(`not ${OPEN}`, true),
    order: [
      ['updated_at', 'desc'],
      ['id', 'asc'],
    ],
  },
];
