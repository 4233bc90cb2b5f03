import type { Db } from '../db/connection.ts';
import { atOnce, type Steps, type Tx } from '../db/tx.ts';
import type { NotPromise } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import type { Guard } from '../http/route.ts';
import { forbidden, orNotFound, tooManyRequests } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';
import { ownState } from '../kernel/own-state.ts';
import type { Actor, TokenCap } from '../sessions/actor.ts';
import { capText, requireNoToken, requireSession, signedInOrToken } from '../sessions/authentication.ts';
import type { Role } from '../storage/tables.ts';
import { findStanding } from '../storage/workspaces.ts';

const RANKS: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 };

declare const authorized: unique symbol;

/** Someone whom the workspace's guard has let in; only that guard makes one. */
export interface Member extends Actor {
  readonly workspaceId: string;
  /** Stands for the id in the indexes of tasks, and in front of every word in the search index. */
  readonly workspaceKey: number;
  readonly role: Role;
  /** To whose quotas what the workspace holds counts, as of when the guard was last asked. */
  ownerId: string;
  readonly [authorized]: true;
}

/**
 * The guard of everything inside a workspace: signed in, the workspace exists (else 404), and the caller belongs to
 * it with at least that role (else 403). With `apiTokens: 'rejected'` by session only.
 */
export const member = (
  least: Role,
  { apiTokens }: { apiTokens: 'capped' | 'rejected' } = { apiTokens: 'capped' },
): Guard<Member> => ({
  bearer: true,
  apiTokens,
  role: least,
  authorize: async (deps, requestContext, request) => {
    const who = await signedInOrToken.authorize(deps, requestContext, request);
    if (apiTokens === 'rejected') requireNoToken(who);
    const { workspaceId = '' } = request;
    const { role, code, ownerId } = requireMembership(deps.read, who, workspaceId, least);
    // The one place that may call someone a member.
    return { ...who, workspaceId, workspaceKey: code, role, ownerId } as Member;
  },
});

/**
 * Writes in the member's name, in a transaction that checks the guard again: a caller signed out, removed or demoted
 * since the request came in, or whose workspace is gone, gets the guard's error and writes nothing.
 */
export const writeAs = <T>(deps: Deps, who: Member, fn: (tx: Tx) => NotPromise<T>): Promise<T> =>
  deps.write<T>((tx) => {
    requireRole(deps, tx, who);
    tx.actAs(who);
    return fn(tx);
  }, who);

/** The users who have a mass change queued or under way. */
const massChanges = ownState(() => new Set<string>());

/** What changes more is a mass change. */
export const MANY_ROWS = 1_000;

/** As `writeAs`, for a transaction function that may change very many rows, `rows` of them. Of mass changes a user has one at a time. */
export const writeInStepsAs = <T>(
  deps: Deps,
  who: Member,
  rows: number,
  fn: (tx: Tx) => Steps<T>,
): Promise<T> =>
  asMassChange(deps, who, rows, () =>
    deps.writeInSteps(function* (tx): Steps<T> {
      requireRole(deps, tx, who);
      tx.actAs(who);
      return yield* fn(tx);
    }, who),
  );

/** As `writeAs`: what is much in steps, else in one go, in a commit with what others write. */
export const writeStepsAs = <T>(
  deps: Deps,
  who: Member,
  isMuch: boolean,
  fn: (tx: Tx) => Steps<T>,
): Promise<T> =>
  isMuch ? writeInStepsAs(deps, who, 0, fn) : writeAs<T>(deps, who, (tx) => atOnce(fn(tx)) as NotPromise<T>);

/** Does what may be a mass change, by its rows: 429 while the user has another one queued or under way. */
export async function asMassChange<T>(
  deps: Deps,
  { userId }: Member,
  rows: number,
  act: () => Promise<T>,
): Promise<T> {
  if (rows <= MANY_ROWS) return act();
  const running = massChanges(deps);
  if (running.has(userId)) throw tooManyRequests(SECOND);
  running.add(userId);
  try {
    return await act();
  } finally {
    running.delete(userId);
  }
}

/** Asks at the guard again, after whatever was waited for, for the role of then or a lower one. Its errors. */
export function requireRole(deps: Deps, db: Db, who: Member, least = who.role): void {
  requireSession(deps, db, who);
  who.ownerId = requireMembership(db, who, who.workspaceId, least).ownerId;
}

export const isAtLeast = (role: Role, least: Role): boolean => RANKS[role] >= RANKS[least];

/** The lower of a role and that of an API token. */
export const cappedRole = (role: Role, cap: TokenCap | null): Role =>
  cap && RANKS[cap.role] < RANKS[role] ? cap.role : role;

function requireMembership(db: Db, { userId, cap }: Actor, workspaceId: string, least: Role) {
  const {
    code,
    owner_id: ownerId,
    role,
  } = orNotFound(findStanding(db, { workspaceId, userId }), 'workspace');
  if (role === null) throw forbidden('You are not a member of this workspace');
  if (cap && cap.workspaceIds !== null && !cap.workspaceIds.includes(workspaceId)) {
    throw forbidden(`This API token may do nothing in this workspace (it has: ${capText(cap)})`);
  }
  const needed = `This needs the role ${least}${least === 'owner' ? '' : ' or a higher one'}`;
  if (!isAtLeast(role, least)) throw forbidden(needed);
  if (cap && !isAtLeast(cap.role, least)) {
    throw forbidden(`${needed}, and this API token has: ${capText(cap)}`);
  }
  return { code, role: cappedRole(role, cap), ownerId };
}
