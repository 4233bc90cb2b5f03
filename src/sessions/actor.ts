/** The most that an API token may do, whatever its user may. */
export interface TokenCap {
  tokenId: string;
  role: 'viewer' | 'member' | 'admin';
  /** Null for all workspaces of the user. */
  workspaceIds: readonly string[] | null;
}

/** Who makes a request, by a credential of theirs that is still valid: a session or an API token. */
export interface Actor {
  userId: string;
  /** By access token or cookie; null by API token. */
  sessionId: string | null;
  /** Whether the session's secret came as a cookie. */
  byCookie: boolean;
  /** Null by session. */
  cap: TokenCap | null;
  /** When what they presented expires, in milliseconds since the epoch; infinite where a row decides. */
  expiresAt: number;
  /** By which the client knows its own changes again. */
  clientId: string | null;
  /** Whether nobody waits for the response any more. */
  isGone?: () => boolean;
}

/** Someone whose session lives. */
export interface SignedIn extends Actor {
  sessionId: string;
  cap: null;
}
