import type { Instant } from '../../kernel/instants.ts';
import type { Weekday } from '../../kernel/weekdays.ts';

export interface UserRow {
  id: string;
  email: string;
  name: string;
  /** Null for an account that signs in by other means only. */
  password_hash: string | null;
  /** When the person chose it; a hash that is only renewed keeps this. */
  password_set_at: Instant | null;
  is_email_verified: 0 | 1;
  created_at: Instant;
  updated_at: Instant;
  /** Since when nobody may sign in to it; null for an account in use. */
  disabled_at: Instant | null;
  last_signed_in_at: Instant | null;
  /** An IANA name; null until the person chose one. */
  timezone: string | null;
  week_start: Weekday;
}

/** What clients keep for a person; apart from `users`, since a write there clears cached rows. */
export interface UserPreferencesRow {
  user_code: number;
  /** JSON: an object. */
  preferences: string;
}

/** Someone elsewhere who is a user here, known by the subject that other service gives them. */
export interface IdentityRow {
  provider: 'google' | 'telegram';
  subject: string;
  user_id: string;
  created_at: Instant;
}

/** A row lives as long as its session: ending one deletes it. */
export interface SessionRow {
  id: string;
  user_id: string;
  user_agent: string;
  ip: string;
  created_at: Instant;
  last_used_at: Instant;
  expires_at: Instant;
  /** The hash of the secret in its cookie; null for a session that has refresh tokens. */
  cookie_hash: string | null;
}

/** A secret that a script signs in with. */
export interface ApiTokenRow {
  id: string;
  user_id: string;
  title: string;
  role: 'viewer' | 'member' | 'admin';
  /** 1 where it is limited to the workspaces in `api_token_workspaces`, be there none left. */
  is_limited: 0 | 1;
  hash: string;
  last_four: string;
  created_at: Instant;
  /** Null for one that does not end. */
  expires_at: Instant | null;
  /** When its owner is to be told that it ends; null once they were, or where they need not be. */
  notice_at: Instant | null;
  last_used_at: Instant | null;
}

export interface ApiTokenWorkspaceRow {
  token_id: string;
  workspace_id: string;
}

export interface RefreshTokenRow {
  hash: string;
  session_id: string;
  /** Null for the current one; a used one is kept to know its reuse. */
  used_at: Instant | null;
}

/** Client networks that signed in to an account. */
export interface KnownAddressRow {
  user_id: string;
  network: string;
  signed_in_at: Instant;
}

export interface PendingSignupRow {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  /** The workspace whose invitation it came with. */
  invited_to: string | null;
  /** The Telegram account it came from, which the new account will be linked to. */
  telegram_id: string | null;
  token_hash: string;
  created_at: Instant;
  expires_at: Instant;
  /** As in `signup_attempts`; null where an older Errand stored it. */
  password_tag: number | null;
}

/** That an address was signed up lately, whatever became of it; kept for the two newest passwords of an address. */
export interface SignupAttemptRow {
  email: string;
  /** 16 bits of a keyed hash of the password: tells two apart, and is worth nothing to who guesses. -1 for none. */
  password_tag: number;
  made_at: Instant;
}

/** What the Telegram widget signed, kept until it is too old to be presented again. */
export interface UsedTelegramLoginRow {
  hash: string;
  expires_at: Instant;
}

/** One live code per address, known or not. */
export interface LoginCodeRow {
  id: string;
  email: string;
  code_hash: string;
  attempts: number;
  expires_at: Instant;
}

/** Secrets mailed to the owner of an address. */
export interface EmailTokenRow {
  id: string;
  /** What keeps an address undoes, once the account's address was changed, and cancels before. */
  purpose: 'password-reset' | 'email-change' | 'email-keep' | 'email-undo';
  /** Null where the address has no account: such a token is never mailed. */
  user_id: string | null;
  /** The address it was mailed to. */
  email: string;
  token_hash: string;
  created_at: Instant;
  expires_at: Instant;
}
