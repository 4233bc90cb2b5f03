import { recordAct } from '../../audit/trail.ts';
import type { Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { toInstant } from '../../kernel/instants.ts';
import { revokeApiTokens } from '../../storage/api-tokens.ts';
import { KEEPING, revokeTokens } from '../../storage/email-tokens.ts';
import { deleteLoginCode } from '../../storage/login-codes.ts';
import { deleteWaitingMailsTo } from '../../storage/outbox.ts';
import { deletePendingSignups } from '../../storage/pending-signups.ts';
import { endSessions } from '../../storage/sessions.ts';
import type { UserRow } from '../../storage/tables.ts';
import { updateUser } from '../../storage/users.ts';

/**
 * Disables an account in the caller's transaction: whatever lets its owner in is revoked, and until it is enabled again
 * nothing signs in to it and nothing is mailed or notified to it. Its workspaces, tasks and roles stay as they are.
 * Returns how many sessions ended.
 */
export function disableAccount(deps: Deps, tx: Tx, user: UserRow, now: number): number {
  const at = toInstant(now);
  updateUser(tx, user.id, at, { disabled_at: user.disabled_at ?? at });
  recordAct(deps, tx, { event: 'account-disabled', userId: user.id }, 'account disabled');
  return revokeAccess(tx, user);
}

/** Enables an account again. Its owner signs in again: what was revoked stays revoked. */
export function enableAccount(deps: Deps, tx: Tx, user: UserRow, now: number): void {
  updateUser(tx, user.id, toInstant(now), { disabled_at: null });
  recordAct(deps, tx, { event: 'account-enabled', userId: user.id }, 'account enabled');
}

/** Revokes everything that lets someone in to an account; a new kind of credential is revoked here too. */
function revokeAccess(tx: Tx, { id, email }: UserRow): number {
  revokeTokens(tx, id, { purposes: ['password-reset', 'email-change', ...KEEPING] });
  deleteLoginCode(tx, email);
  deletePendingSignups(tx, email);
  deleteWaitingMailsTo(tx, email);
  revokeApiTokens(tx, id);
  return endSessions(tx, id);
}
