import { type Db, prepared, query } from '../db/connection.ts';
import { isNotBeingRemoved } from '../db/removed.ts';
import type { Role } from '../db/tables.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Door } from '../http/route.ts';
import { demand, forbidden } from '../kernel/errors.ts';
import { demandSession, type SignedIn, signedIn } from '../sessions/door.ts';

const RANKS: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 };

declare const admitted: unique symbol;

/** Someone whom the workspace's door has let in; only that door makes one. */
export interface Member extends SignedIn {
  readonly workspaceId: string;
  /** Stands for the id in the indexes of tasks, and in front of every word in the search index. */
  readonly workspaceCode: number;
  readonly role: Role;
  readonly [admitted]: true;
}

/**
 * The door of everything inside a workspace: signed in, the workspace exists (else 404), and the caller belongs to
 * it with at least that role (else 403).
 */
export const member = (least: Role): Door<Member> => ({
  bearer: true,
  role: least,
  enter: async (deps, visitor, request) => {
    const who = await signedIn.enter(deps, visitor, request);
    const { workspaceId = '' } = request;
    const { role, code } = demandStanding(deps.read, who, workspaceId, least);
    // The one place that may call someone a member.
    return { ...who, workspaceId, workspaceCode: code, role } as Member;
  },
});

/**
 * Writes in the member's name, in a transaction that asks at the door again: whoever was signed out, removed or demoted
 * since the request came in, or whose workspace is gone, gets the door's refusal and writes nothing.
 */
export const writeAs = <T>(deps: Deps, who: Member, job: Parameters<typeof deps.write<T>>[0]): Promise<T> =>
  deps.write<T>((tx: Tx) => {
    demandRight(deps, tx, who);
    return job(tx);
  });

/** As `writeAs`, for a job that may change very many rows. */
export const writeInStepsAs = <T>(deps: Deps, who: Member, job: (tx: Tx) => Steps<T>): Promise<T> =>
  deps.writeInSteps(function* (tx): Steps<T> {
    demandRight(deps, tx, who);
    return yield* job(tx);
  });

/** Asks at the door again, after whatever was waited for, for the role of then or a lower one. Its refusals. */
export function demandRight(deps: Deps, db: Db, who: Member, least = who.role): void {
  demandSession(deps, db, who);
  demandStanding(db, who, who.workspaceId, least);
}

export const isAtLeast = (role: Role, least: Role): boolean => RANKS[role] >= RANKS[least];

/** A workspace, and the role that someone has in it, if any. */
interface Standing {
  code: number;
  role: Role | null;
}

const standingOf = prepared<{ workspaceId: string; userId: string }, Standing>((argument) =>
  query
    .selectFrom('workspaces as workspace')
    .leftJoin('members as member', (join) =>
      join.onRef('member.workspace_id', '=', 'workspace.id').on('member.user_id', '=', argument('userId')),
    )
    .select(['workspace.code', 'member.role'])
    .where('workspace.id', '=', argument('workspaceId'))
    .where(isNotBeingRemoved('workspace', 'workspace.id')),
);

function demandStanding(db: Db, { userId }: SignedIn, workspaceId: string, least: Role) {
  const { code, role } = demand(db.recall(standingOf({ workspaceId, userId }))[0], 'workspace');
  if (role === null) throw forbidden('You are no member of this workspace');
  if (!isAtLeast(role, least)) throw forbidden(`This needs the role ${least} or a higher one`);
  return { code, role };
}
