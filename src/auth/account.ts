import type { UserRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import { toInstant } from '../kernel/instants.ts';
import { insertUser } from '../users/store.ts';
import { startWorkspace, titleFor } from '../workspaces/starter.ts';
import { dropPendingSignups } from './pending-signups.ts';

/**
 * Makes an account with its default workspace, in the caller's transaction, for an address that is proved and free;
 * every pending sign-up of that address is dropped, whoever began it.
 */
export function createAccount(
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
  };
  insertUser(tx, user);
  const title = person.workspaceTitle ?? titleFor(person.name);
  startWorkspace(tx, { title, ownerId: user.id, isDefault: true }, at);
  dropPendingSignups(tx, user.email);
  return user;
}
