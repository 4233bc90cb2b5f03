import type { ChangeKind } from '../kernel/change-kinds.ts';
import type { Db } from './connection.ts';

/** One thing that a transaction function changed; `refetch` names a scope whose contents changed as a whole. */
export interface Change {
  workspaceId: string;
  kind: ChangeKind;
  id: string;
  op: 'put' | 'delete' | 'refetch';
  /** Names of the fields that changed, as they are on the wire; none for a thing made or deleted. */
  fields?: readonly string[];
  /** The scopes that hold it, from which one is taken where very much changes at once. */
  within?: Partial<Record<Scope, string>>;
}

/** From the smallest on. */
const SCOPES = ['task', 'recurringTask', 'list', 'space'] as const;
type Scope = (typeof SCOPES)[number];

/** Who makes the changes of a transaction function; nobody for what time or the command line does. */
export interface Author {
  userId: string;
  /** The `X-Client-Id` of the request. */
  clientId: string | null;
}

/** Something outside workspaces that changed for one person, who may be listening. */
export interface PersonalChange {
  userId: string;
  about: 'unread' | 'workspaces' | 'profile' | 'sessions';
}

/** What one transaction function changed, and who. */
export interface JournalEntry {
  author: Author | undefined;
  changes: readonly Change[];
  personal: readonly PersonalChange[];
}

/** Where the writer notes what each commit changed: in its transaction, once it is committed, once it is on the disk. */
export interface Journal<Appended = unknown> {
  append(db: Db, entries: readonly JournalEntry[]): Appended;
  onCommit(appended: Appended): void;
  publish(appended: Appended, personal: readonly PersonalChange[]): void;
}

/** More changed things of one workspace than this become one row for the smallest scope that holds them. */
export const MAX_CHANGES = 1_000;

/**
 * The changes of one transaction function, each thing once with the sum of what was done to it; above `MAX_CHANGES` in
 * one workspace a `refetch` of the smallest scope that holds them all, beside which labels and members keep their own.
 */
export function summarize(changes: readonly Change[]): readonly Change[] {
  if (changes.length < 2) return changes;
  const things = new Map<string, Change>();
  for (const change of changes) {
    // One person is a member of several workspaces.
    const key = `${change.workspaceId} ${change.kind} ${change.id}`;
    const before = things.get(key);
    things.set(key, before ? merge(before, change) : change);
  }
  const byWorkspace = Map.groupBy(things.values(), ({ workspaceId }) => workspaceId);
  return [...byWorkspace].flatMap(([workspaceId, own]) =>
    own.length > MAX_CHANGES ? scoped(workspaceId, own) : own,
  );
}

/** The later one decides; a scope that is to be fetched again stays so, unless it is deleted. */
function merge(before: Change, after: Change): Change {
  if (after.op === 'delete' || after.op === 'refetch') return after;
  if (before.op === 'refetch') return before;
  if (before.op === 'delete' || !before.fields || !after.fields) {
    const { fields, ...whole } = after;
    return whole;
  }
  return { ...after, fields: [...new Set([...before.fields, ...after.fields])] };
}

function scoped(workspaceId: string, changes: readonly Change[]): Change[] {
  const isApart = ({ kind }: Change) => kind === 'label' || kind === 'member';
  const apart = changes.filter(isApart);
  const held = changes.filter((change) => !isApart(change));
  const scope = SCOPES.find((name) => {
    const id = scopeOf(held[0], name);
    return id !== undefined && held.every((change) => scopeOf(change, name) === id);
  });
  const id = scope && scopeOf(held[0], scope);
  const whole: Change =
    scope && id !== undefined
      ? { workspaceId, kind: scope, id, op: 'refetch' }
      : { workspaceId, kind: 'workspace', id: workspaceId, op: 'refetch' };
  return [...(apart.length > MAX_CHANGES ? [] : apart), whole];
}

const scopeOf = (change: Change | undefined, scope: Scope): string | undefined =>
  change?.kind === scope && change.op !== 'delete' ? change.id : change?.within?.[scope];
