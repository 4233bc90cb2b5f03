import type { Db } from '../../db/connection.ts';
import type { Deps } from '../../deps.ts';
import { unauthorized } from '../../kernel/errors.ts';
import { type Instant, toInstant } from '../../kernel/instants.ts';
import { hashSecret } from '../../kernel/secrets.ts';
import { plainWords, shownAddress } from '../../mail/plain-words.ts';
import { findToken } from '../../storage/email-tokens.ts';
import { findInvitation } from '../../storage/invitations.ts';
import { findPendingSignup } from '../../storage/pending-signups.ts';
import { findUser, findUserByEmail } from '../../storage/users.ts';
import { findWorkspaceOf } from '../../storage/workspaces.ts';
import type { LinkResponse, TokenInput } from '../schema.ts';

const PURPOSES = {
  'password-reset': 'reset-password',
  'email-change': 'confirm-email',
  'email-keep': 'keep-email',
  'email-undo': 'keep-email',
} as const;

const NOTHING_MORE = {
  account: null,
  isChanged: null,
  inviter: null,
  workspace: null,
  role: null,
  hasAccount: null,
};

/**
 * Tells the holder of a mailed token what it is about, without spending it. What others typed comes as it does in
 * mails to strangers. 401 for a token that does not work.
 */
export function readLink({ read, clock }: Deps, { token }: TokenInput): LinkResponse {
  const now = toInstant(clock.now());
  const found = ofSignup(read, token, now) ?? ofAccount(read, token, now) ?? ofInvitation(read, token, now);
  if (!found) throw unauthorized('The token is not valid');
  return { ...NOTHING_MORE, ...found };
}

type Found = Pick<LinkResponse, 'purpose' | 'email'> & Partial<LinkResponse>;

function ofSignup(db: Db, token: string, now: Instant): Found | undefined {
  const pending = findPendingSignup(db, token, now);
  return pending && { purpose: 'confirm-signup', email: pending.email };
}

function ofAccount(db: Db, token: string, now: Instant): Found | undefined {
  const found = findToken(db, token, now);
  const user = found?.user_id ? findUser(db, found.user_id) : undefined;
  if (!found || !user) return undefined;
  const purpose = PURPOSES[found.purpose];
  return {
    purpose,
    email: found.email,
    ...(purpose === 'confirm-email' && { account: shownAddress(user.email) }),
    ...(purpose === 'keep-email' && { isChanged: found.purpose === 'email-undo' }),
  };
}

function ofInvitation(db: Db, token: string, now: Instant): Found | undefined {
  const found = findInvitation(db, hashSecret(token), now);
  const inviter = found && findUser(db, found.inviter_id);
  const workspace = found && findWorkspaceOf(db, found.workspace_id, found.inviter_id);
  if (!found || !inviter || !workspace) return undefined;
  return {
    purpose: 'accept-invitation',
    email: found.email,
    inviter: plainWords(inviter.name) || shownAddress(inviter.email),
    workspace: plainWords(workspace.title) || null,
    role: found.role,
    hasAccount: findUserByEmail(db, found.email) !== undefined,
  };
}
