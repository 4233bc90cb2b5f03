import { recordAct } from '../../audit/trail.ts';
import type { Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { newId } from '../../kernel/ids.ts';
import { toInstant } from '../../kernel/instants.ts';
import { deletePendingSignups } from '../../storage/pending-signups.ts';
import { startWorkspace, titleFor } from '../../storage/starter.ts';
import type { UserRow } from '../../storage/tables.ts';
import { insertUser } from '../../storage/users.ts';

/**
 * Makes an account with its default workspace, in the caller's transaction, for an address that is proved and free;
 * every pending sign-up of that address is deleted, by anyone.
 */
export function createAccount(
  deps: Deps,
  tx: Tx,
  person: { email: string; name: string; passwordHash: string | null; workspaceTitle?: string },
  now: number,
): UserRow {
  const at = toInstant(now);
  const user: UserRow = {
    id: newId(now),
    email: person.email,
    name: person.name,
    password_hash: person.passwordHash,
    password_set_at: person.passwordHash === null ? null : at,
    is_email_verified: 1,
    created_at: at,
    updated_at: at,
    disabled_at: null,
    last_signed_in_at: null,
    timezone: null,
    week_start: 'monday',
  };
  insertUser(tx, user);
  const title = person.workspaceTitle ?? titleFor(person.name);
  startWorkspace(tx, { title, ownerId: user.id, isDefault: true }, at);
  deletePendingSignups(tx, user.email);
  recordAct(deps, tx, { event: 'account-created', userId: user.id }, 'account created');
  return user;
}
