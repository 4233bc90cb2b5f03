import SqliteDatabase from 'better-sqlite3';
import { decodeJwt } from 'jose';
import { toInstant } from '../../src/kernel/instants.ts';
import type { Operation, Role } from './operations.ts';

const RANKS: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 };
const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const MAX_OWNERS = 20_000;
/** What is inside a workspace and has an id. */
const INSIDE = [
  'spaces',
  'lists',
  'status_templates',
  'statuses',
  'tasks',
  'recurring_series',
  'invitations',
  'labels',
];
/** The same, with the integer that stands for the workspace. */
const INSIDE_BY_KEY = ['comments', 'trash'];

/** Looks into the database beside the service, and tells what a response must be. */
export interface Oracle {
  /** The error that awaits a token and workspace at the guard; undefined where one may enter. */
  guardError(
    operation: Operation,
    token: string,
    workspaceId: string,
    now: number,
  ): 401 | 403 | 404 | undefined;
  /** Where someone has at least that role, in a fixed order. */
  workspacesOf(userId: string, least: Role): string[];
  /** Who may be given tasks. */
  assigneesIn(workspaceId: string): string[];
  /** Whether a session still lives. */
  isAlive(token: string, now: number): boolean;
  /** Ids in a text of what is in workspaces that the user is not in. */
  foreignIdsIn(text: string, userId: string | undefined): string[];
  /** Another number after every commit, and how long the audit trail is, which tells of errors. */
  version(): { commits: number; audited: number };
  close(): void;
}

export function openOracle(path: string): Oracle {
  const database = new SqliteDatabase(path, { readonly: true });
  const roleIn = database.prepare<[string, string], { role: Role | null }>(
    `select member.role from workspaces left join members as member
       on member.workspace_id = workspaces.id and member.user_id = ?
     where workspaces.id = ? and not exists (select 1 from removals where kind = 'workspace' and id = workspaces.id)`,
  );
  const memberships = database.prepare<[string], { id: string; role: Role }>(
    `select workspace_id as id, role from members where user_id = ?
       and not exists (select 1 from removals where kind = 'workspace' and id = workspace_id) order by joined_at, workspace_id`,
  );
  const session = database.prepare<[string], { user_id: string; expires_at: string }>(
    'select user_id, expires_at from sessions where id = ?',
  );
  const assignees = database
    .prepare<[string], string>(
      `select user_id from members where workspace_id = ? and role <> 'viewer' order by joined_at, user_id`,
    )
    .pluck();
  const placeOf = database
    .prepare<string[], string>(
      [
        'select id from workspaces where id = ?',
        ...INSIDE.map((table) => `select workspace_id from ${table} where id = ?`),
        ...INSIDE_BY_KEY.map(
          (table) =>
            `select workspaces.id from ${table} join workspaces on workspaces.code = workspace_code where ${table}.id = ?`,
        ),
      ].join(' union all '),
    )
    .pluck();
  const version = database.prepare<[], number>('pragma data_version').pluck();
  const audited = database.prepare<[], number>('select count(*) from audit_log').pluck();
  const owners = new Map<string, string>();
  const ownerOf = (id: string): string | undefined => {
    const known = owners.get(id) ?? placeOf.get(...Array(1 + INSIDE.length + INSIDE_BY_KEY.length).fill(id));
    if (known === undefined) return undefined;
    if (owners.size >= MAX_OWNERS) owners.clear();
    owners.set(id, known);
    return known;
  };
  const isAlive = (token: string, now: number) => {
    const { sub, sid, exp = 0 } = decodeJwt<{ sid: string }>(token);
    const row = session.get(sid);
    return (
      exp * 1_000 > now &&
      row?.user_id === sub &&
      row?.expires_at !== undefined &&
      row.expires_at > toInstant(now)
    );
  };
  return {
    guardError: ({ bearer, role }, token, workspaceId, now) => {
      if (!bearer) return undefined;
      if (!isAlive(token, now)) return 401;
      if (!role) return undefined;
      const found = roleIn.get(decodeJwt(token).sub ?? '', workspaceId);
      if (!found) return 404;
      return found.role === null || RANKS[found.role] < RANKS[role] ? 403 : undefined;
    },
    workspacesOf: (userId, least) =>
      memberships.all(userId).flatMap(({ id, role }) => (RANKS[role] >= RANKS[least] ? [id] : [])),
    assigneesIn: (workspaceId) => assignees.all(workspaceId),
    isAlive,
    foreignIdsIn: (text, userId) => {
      const ids = new Set(text.match(IDS));
      if (ids.size === 0) return [];
      const own = new Set(userId === undefined ? [] : memberships.all(userId).map(({ id }) => id));
      return [...ids].filter((id) => {
        const owner = ownerOf(id);
        return owner !== undefined && !own.has(owner);
      });
    },
    version: () => ({ commits: Number(version.get()), audited: Number(audited.get()) }),
    close: () => database.close(),
  };
}
