import { randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../kernel/clock.ts';
import { unauthorizedBearer } from '../kernel/errors.ts';
import { DAY, MINUTE, SECOND } from '../kernel/instants.ts';
import type { Keys } from '../kernel/keys.ts';

const MAX_VERIFIED = 10_000;
const MAX_TOKEN_CHARACTERS = 2_048;
/** The most that `auth.access_token_minutes` can be. */
const MAX_LASTS = DAY / SECOND;
/** In base64url as RFC 7515 has it: no padding, so that each token has one spelling. */
const SPELLING = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** For a clock that was just set back. */
const MAX_AHEAD = 30;

/** Who an access token speaks for. Whether the session still lives is for the guard to ask. */
interface Claims {
  userId: string;
  sessionId: string;
}

type LiveClaims = Claims & { expiresAt: number };

export interface AccessTokens {
  issue(claims: Claims, now: number): Promise<string>;
  /** The claims of a token that is ours, and when it expires, in milliseconds; throws 401 otherwise. */
  verify(token: string): LiveClaims | Promise<LiveClaims>;
}

/**
 * Access tokens: JWT, HS256 only, `typ` at+jwt (RFC 9068). A token that was verified is remembered by its whole
 * text, as checking a signature costs more than the rest of a request; expiry and key are looked at each time.
 */
export function createAccessTokens(options: {
  keys: Keys;
  clock: Clock;
  issuer: string;
  audience: string;
  minutes: number;
}): AccessTokens {
  const { keys, clock, issuer, audience, minutes } = options;
  const verified = new Map<string, LiveClaims & { kid: string | undefined }>();

  const verifySignature = async (token: string, now: number) => {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = keys.verifying(kid, now);
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      {
        algorithms: ['HS256'],
        typ: 'at+jwt',
        issuer,
        audience,
        requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
        currentDate: new Date(now),
      },
    );
    const { sub, sid, iat = Number.NaN, exp = Number.NaN } = payload;
    const isOfOurTime = iat <= now / SECOND + MAX_AHEAD && exp <= iat + MAX_LASTS;
    if (typeof sub !== 'string' || typeof sid !== 'string' || !isOfOurTime) throw new errors.JWTInvalid();
    return { userId: sub, sessionId: sid, kid: protectedHeader.kid, expiresAt: exp * SECOND };
  };

  return {
    issue: ({ userId, sessionId }, now) => {
      const { kid, key } = keys.signing();
      const issuedAt = Math.floor(now / SECOND);
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + (minutes * MINUTE) / SECOND)
        .sign(key);
    },
    verify: (token) => {
      const now = clock.now();
      const known = verified.get(token);
      if (known && known.expiresAt > now && keys.verifying(known.kid, now)) return known;
      if (token.length > MAX_TOKEN_CHARACTERS || !SPELLING.test(token))
        throw unauthorizedBearer('The access token is not valid');
      return verifySignature(token, now).then(
        (claims) => {
          if (verified.size >= MAX_VERIFIED) verified.clear();
          verified.set(token, claims);
          return claims;
        },
        (reason) => {
          throw unauthorizedBearer(
            reason instanceof errors.JWTExpired
              ? 'The access token has expired'
              : 'The access token is not valid',
          );
        },
      );
    },
  };
}
