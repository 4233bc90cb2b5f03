import { decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { DAY, SECOND } from '../../../kernel/instants.ts';
import { Email } from '../../../users/schema.ts';
import type { GoogleKeys } from './google-keys.ts';

const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];
const MAX_LIFE_SECONDS = DAY / SECOND;

/** Who an ID token speaks for. */
export interface GooglePerson {
  /** Google's name for them, which never changes and is given to no one else. */
  subject: string;
  /** In its canonical form; undefined unless Google has verified it. */
  email: string | undefined;
  /** Whether Google itself says whose address it is, and not only that it was theirs once. */
  isAuthoritative: boolean;
  name: string | undefined;
}

export interface GoogleTokens {
  /**
   * Who a token speaks for, or why it is rejected, in words that hold nothing of it. Throws ServiceUnavailableError
   * when Google's keys cannot be fetched.
   */
  verify(idToken: string): Promise<GooglePerson | { error: string }>;
  /** Loads what verifying needs, where Google is set up: no request should be held up by that. */
  prepare(): Promise<void>;
}

const Claims = z.object({
  sub: z.string().min(1).max(255),
  iat: z.number(),
  exp: z.number(),
  email: z.string().optional().catch(undefined),
  email_verified: z.boolean().catch(false),
  hd: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});
type Claims = z.output<typeof Claims>;

const NOT_SET_UP = {
  error: 'Sign-in by Google is not set up on this server: auth.google_client_ids is empty',
};
const NOT_VALID = { error: 'The Google ID token is not valid' };

/**
 * Verifies Google's ID tokens for these client ids: RS256 only, Google as issuer, not expired, made to live a day at
 * most.
 */
export function createGoogleTokens(options: {
  clientIds: readonly string[];
  keys: GoogleKeys;
  clock: Clock;
}): GoogleTokens {
  const { clientIds, keys, clock } = options;
  return {
    verify: async (idToken) => {
      if (clientIds.length === 0) return NOT_SET_UP;
      const kid = keyNameOf(idToken);
      const key = kid === undefined ? undefined : await keys.find(kid);
      if (kid === undefined || key === undefined) return NOT_VALID;
      const claims = await verifiedClaims(idToken, { [kid]: key }, [...clientIds]);
      if (!claims || claims.exp * SECOND <= clock.now()) return NOT_VALID;
      if (claims.exp - claims.iat > MAX_LIFE_SECONDS) return NOT_VALID;
      return personOf(claims);
    },
    prepare: async () => {
      if (clientIds.length > 0) await loadLibrary();
    },
  };
}

/** Most servers never need it, and no command does. */
const loadLibrary = () => import('google-auth-library');

function keyNameOf(idToken: string): string | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(idToken);
    return alg === 'RS256' ? kid : undefined;
  } catch {
    return undefined;
  }
}

async function verifiedClaims(
  idToken: string,
  keys: Record<string, string>,
  audience: string[],
): Promise<Claims | undefined> {
  const { OAuth2Client } = await loadLibrary();
  try {
    const client = new OAuth2Client();
    const ticket = await client.verifySignedJwtWithCertsAsync(idToken, keys, audience, ISSUERS);
    return Claims.safeParse(ticket.getPayload()).data;
  } catch {
    // Its errors quote the token or its claims: not a word of them may reach a response or the log.
    return undefined;
  }
}

function personOf({ sub, email: claimed, email_verified: isVerified, hd, name }: Claims): GooglePerson {
  const email = isVerified ? Email.safeParse(claimed).data : undefined;
  return {
    subject: sub,
    email,
    isAuthoritative: email !== undefined && (email.endsWith('@gmail.com') || Boolean(hd)),
    name,
  };
}
