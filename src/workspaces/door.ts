import { type Db, prepared } from '../db/connection.ts';
import { isNotBeingRemoved } from '../db/removed.ts';
import type { Role } from '../db/tables.ts';
import type { Tx } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import type { Door } from '../http/route.ts';
import { forbidden, notFound } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { claimed, demandLive, type SignedIn } from '../sessions/door.ts';
import { liveSession } from '../sessions/store.ts';

const RANKS: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 };

declare const admitted: unique symbol;

/** Someone whom the workspace's door has let in; only that door makes one. */
export interface Member extends SignedIn {
  readonly workspaceId: string;
  /** Stands in front of every word of the workspace in the search index. */
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
  enter: async (deps, visitor, { authorization, workspaceId = '' }) => {
    const who = await claimed(deps, authorization);
    const found = demandAdmission(deps, deps.read, who, workspaceId);
    visitor.userId = who.userId;
    const { role, code } = demandRole(found, least);
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
    demandRole(demandAdmission(deps, tx, who, who.workspaceId), who.role);
    return job(tx);
  });

export const isAtLeast = (role: Role, least: Role): boolean => RANKS[role] >= RANKS[least];

/** The workspace, if it is there, and the role that someone has in it, if any. */
interface Admission {
  user_id: string;
  code: number | null;
  role: Role | null;
}

/** In one statement, as it stands before each that is asked for. */
const admission = prepared<{ sessionId: string; now: Instant; workspaceId: string }, Admission>((argument) =>
  liveSession(argument('sessionId'), argument('now'))
    .leftJoin('workspaces as workspace', (join) =>
      join
        .on('workspace.id', '=', argument('workspaceId'))
        .on(isNotBeingRemoved('workspace', 'workspace.id')),
    )
    .leftJoin('members as member', (join) =>
      join.onRef('member.workspace_id', '=', 'workspace.id').onRef('member.user_id', '=', 'session.user_id'),
    )
    .select(['workspace.code', 'member.role']),
);

function demandAdmission({ clock }: Deps, db: Db, who: SignedIn, workspaceId: string): Admission {
  const now = toInstant(clock.now());
  return demandLive(db.one(admission({ sessionId: who.sessionId, now, workspaceId })), who);
}

function demandRole({ code, role }: Admission, least: Role): { role: Role; code: number } {
  if (code === null) throw notFound('workspace');
  if (role === null) throw forbidden('You are no member of this workspace');
  if (!isAtLeast(role, least)) throw forbidden(`This needs the role ${least} or a higher one`);
  return { role, code };
}
