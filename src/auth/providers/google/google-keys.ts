import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { errnoOf, unavailable } from '../../../kernel/errors.ts';
import { DAY, MINUTE, SECOND } from '../../../kernel/instants.ts';
import type { Log } from '../../../kernel/log.ts';
import { takeFrom } from '../../../kernel/token-bucket.ts';

const FETCH_MS = 5 * SECOND;
/** Where the response names no age of its own. */
const FRESH_MS = 5 * MINUTE;
const MAX_FRESH_MS = DAY;
/** How long keys are used on while new ones cannot be fetched, and how often those are asked for meanwhile. */
const STALE_MS = DAY;
const RETRY_MS = MINUTE;
/** Looks for a key that is not among the fresh ones: Google may have rotated, or someone makes up names of keys. */
const LOOKS = { burst: 5, refillMs: MINUTE };

/** Google returns certificates by name, and elsewhere with a JWK set; a mirror may have either. */
const Published = z.union([
  z.object({
    keys: z.array(z.object({ kid: z.string(), kty: z.literal('RSA'), n: z.string(), e: z.string() })),
  }),
  z.record(z.string(), z.string()),
]);

export interface GoogleKeys {
  /**
   * The public key of that name as PEM, undefined when Google has none. Throws ServiceUnavailableError when the keys
   * cannot be fetched within 5 seconds.
   */
  find(kid: string): Promise<string | undefined>;
}

/**
 * Google's keys, kept as long as its response says and for a day more while it cannot be renewed; at most one
 * request is out at a time.
 */
export function createGoogleKeys({ url, clock, log }: { url: string; clock: Clock; log: Log }): GoogleKeys {
  let keys = new Map<string, string>();
  let freshUntil = 0;
  let retryAt = 0;
  let looksFullAt: number | undefined;
  let renewing: Promise<void> | undefined;

  const mayLook = (now: number): boolean => {
    const outcome = takeFrom(LOOKS, looksFullAt, now);
    if (outcome.taken) looksFullAt = outcome.fullAt;
    return outcome.taken;
  };
  const renew = (now: number): Promise<void> => {
    renewing ??= fetchKeys(url)
      .then((fetched) => {
        keys = fetched.keys;
        freshUntil = now + fetched.freshMs;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };

  return {
    find: async (kid) => {
      const now = clock.now();
      const isFresh = now < freshUntil;
      const usable = now < freshUntil + STALE_MS ? keys.get(kid) : undefined;
      if (isFresh && (usable !== undefined || !mayLook(now))) return usable;
      if (usable !== undefined && now < retryAt) return usable;
      try {
        await renew(now);
      } catch (error) {
        const reason = reasonOf(error);
        if (usable === undefined)
          throw unavailable("Google's keys cannot be fetched now, try again later", reason);
        retryAt = now + RETRY_MS;
        log.warn({ reason }, "Google's keys cannot be renewed; the last ones are used for a day");
        return usable;
      }
      return keys.get(kid);
    },
  };
}

async function fetchKeys(url: string): Promise<{ keys: Map<string, string>; freshMs: number }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url} returned ${response.status}`);
  }
  const published = Published.safeParse(await response.json()).data;
  if (!published) throw new Error(`${url} returned something else than keys`);
  const keys = keysOf(published);
  if (keys.size === 0) throw new Error(`${url} holds no key`);
  return { keys, freshMs: freshMsOf(response.headers.get('cache-control')) };
}

/** Why there are no keys, in one line; a connection that failed says why in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return [message, cause instanceof Error && (cause.message || errnoOf(cause))].filter(Boolean).join(': ');
}

function keysOf(published: z.output<typeof Published>): Map<string, string> {
  const keys = Array.isArray(published.keys)
    ? published.keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })] as const)
    : Object.entries(published).map(([kid, pem]) => [kid, createPublicKey(String(pem))] as const);
  return new Map(
    keys
      .filter(([, key]) => key.asymmetricKeyType === 'rsa')
      .map(([kid, key]) => [kid, key.export({ type: 'spki', format: 'pem' }).toString()]),
  );
}

function freshMsOf(cacheControl: string | null): number {
  const [, seconds] = /\bmax-age=(\d{1,9})\b/.exec(cacheControl ?? '') ?? [];
  return seconds === undefined ? FRESH_MS : Math.min(Number(seconds) * SECOND, MAX_FRESH_MS);
}
