import type { Db } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { forbidden, type Issue, invalid, notFound, throwIfIssues } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, type Instant, toInstant } from '../kernel/instants.ts';
import { hashSecret, newSecret } from '../kernel/secrets.ts';
import { invitation as invitationMail } from '../mail/messages.ts';
import { asRole, plainWords } from '../mail/plain-words.ts';
import { notify } from '../notifications/notify.ts';
import type { SignedIn } from '../sessions/actor.ts';
import { requireAccount, writeSignedIn } from '../sessions/authentication.ts';
import * as store from '../storage/invitations.ts';
import { enqueueMail, requireSenderAllowance, takeMailAllowance } from '../storage/outbox.ts';
import type { InvitationRow, UserRow } from '../storage/tables.ts';
import { findUserByEmail } from '../storage/users.ts';
import { hasMemberWithEmail, idsOfManagers, insertMember } from '../storage/workspaces.ts';
import { type Member, writeAs } from './authorization.ts';
import type { AcceptInput, Invitation, InvitationInput, Workspace } from './schema.ts';
import { workspaceSeenBy } from './workspaces.ts';

const VALID_MS = 7 * DAY;

/**
 * Invites an address by mail, and its account, if there is one, by a notification. The newest of an address
 * replaces the older, and goes on with its mailed token where it is not mailed itself. 400 for a member, 429 when the
 * caller caused too many mails today.
 */
export function invite(deps: Deps, who: Member, input: InvitationInput): Promise<Invitation> {
  const now = deps.clock.now();
  const { workspaceId } = who;
  const token = newSecret();
  const row: InvitationRow = {
    id: newId(now),
    workspace_id: workspaceId,
    email: input.email,
    role: input.role,
    inviter_id: who.userId,
    token_hash: hashSecret(token),
    created_at: toInstant(now),
    expires_at: toInstant(now + VALID_MS),
  };
  return writeAs(deps, who, (tx) => {
    throwIfIssues(inviteeIssues(tx, who, input));
    requireSenderAllowance(deps, tx, who.userId, now);
    const inviter = requireAccount(tx, who);
    const to = { kind: 'invitation', to: row.email };
    const isMailed = takeMailAllowance(deps, tx, to, now);
    const stored = store.replaceInvitation(tx, row, { keepToken: !isMailed });
    if (isMailed) {
      const { title: workspaceTitle } = workspaceSeenBy(tx, workspaceId, inviter.id);
      const message = invitationMail(deps.config, { inviter, workspaceTitle, role: row.role }, token);
      const secret = { id: row.id, expiresAt: row.expires_at };
      enqueueMail(deps, tx, { ...to, message, secret, userId: inviter.id }, now);
    }
    tellInvited(tx, stored, inviter);
    return store.invitationOf(stored);
  });
}

/** Validates the address that is to be invited. */
export const inviteeIssues = (
  db: Db,
  { workspaceId }: Member,
  { email }: Partial<InvitationInput>,
): Issue[] =>
  email !== undefined && hasMemberWithEmail(db, workspaceId, email)
    ? [{ path: 'email', message: 'They are a member of the workspace already' }]
    : [];

/** Takes an invitation back: its token works no more. */
export async function revokeInvitation(deps: Deps, who: Member, id: string): Promise<undefined> {
  await writeAs(deps, who, (tx) => {
    if (store.revokeInvitations(tx, who.workspaceId, { id }) === 0) throw notFound('invitation');
  });
}

/**
 * Joins the workspace that a mailed token stands for; a member already there keeps their role. 403 for an account
 * of another address, which leaves the token as it is; 400 for one that does not work.
 */
export async function acceptInvitation(deps: Deps, who: SignedIn, input: AcceptInput): Promise<Workspace> {
  const now = toInstant(deps.clock.now());
  const tokenHash = hashSecret(input.token);
  return writeSignedIn(deps, who, (tx) => {
    const user = requireAccount(tx, who);
    const accepted = store.consumeInvitation(tx, tokenHash, user.email, now);
    if (!accepted) {
      if (store.findInvitation(tx, tokenHash, now)) throw forbidden('The invitation is for another address');
      throw invalid({ path: 'token', message: 'The invitation is not valid any more' });
    }
    join(tx, accepted, user, now);
    return workspaceSeenBy(tx, accepted.workspace_id, user.id);
  });
}

/** The workspace that a token invites this address to; undefined when it is dead or for another address. */
export function invitedTo(db: Db, token: string, email: string, now: Instant): string | undefined {
  const found = store.findInvitation(db, hashSecret(token), now);
  return found?.email === email ? found.workspace_id : undefined;
}

/** Makes someone a member as a spent invitation says, and tells owner and admins. */
export function join(tx: Tx, accepted: InvitationRow, user: UserRow, now: Instant): void {
  const { workspace_id: workspaceId, role } = accepted;
  const row = { workspace_id: workspaceId, user_id: user.id, role, is_default: 0, joined_at: now } as const;
  if (!insertMember(tx, row)) return;
  const workspace = workspaceSeenBy(tx, workspaceId, user.id);
  notify(
    tx,
    idsOfManagers(tx, workspaceId),
    {
      type: 'workspace.member_added',
      actorId: user.id,
      workspaceId,
      title: `${user.name} joined ${workspace.title}`,
      body: `${user.name} accepted an invitation to ${workspace.title} ${asRole(role)}.`,
      data: { userId: user.id, role },
    },
    now,
  );
}

function tellInvited(tx: Tx, row: InvitationRow, inviter: UserRow): void {
  const invited = findUserByEmail(tx, row.email);
  const title = plainWords(workspaceSeenBy(tx, row.workspace_id, inviter.id).title) || 'a workspace';
  if (!invited) return;
  notify(
    tx,
    [invited.id],
    {
      type: 'workspace.invited',
      actorId: inviter.id,
      workspaceId: row.workspace_id,
      title: `You are invited to ${title}`,
      body: `${plainWords(inviter.name) || 'Someone'} invites you to ${title} ${asRole(row.role)}. The mail you got lets you accept.`,
      data: { invitationId: row.id, userId: inviter.id, role: row.role },
    },
    row.created_at,
  );
}
