import { type Failure, type Outcome, outcomeOf } from '../data/api.ts';
import { browserWorld } from '../data/surroundings.ts';
import { takeEarly } from './early-responses.ts';
import { basePaths } from './navigation.ts';
import { session } from './signed-in.ts';

/** A file may be long, and is stored before the response. */
const FILE_TIMEOUT_MS = 30 * 60_000;

const { after } = browserWorld();

/**
 * Sends a request to the API with the session's cookie; never rejects. The body becomes JSON, but for a file that holds
 * some. A write names who is signed in here: two accounts in one browser share one cookie jar.
 */
export async function call<Body>(
  method: string,
  path: string,
  body?: unknown,
  userId = signedInId(),
): Promise<Outcome<Body>> {
  const isFile = body instanceof Blob;
  const send = (signal: AbortSignal) =>
    (method === 'GET' && takeEarly(path)) ||
    fetch(basePaths.api + path, {
      method,
      signal,
      credentials: 'same-origin',
      redirect: 'error',
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(method !== 'GET' && userId !== undefined && { 'X-User-Id': userId }),
      },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    });
  return await outcomeOf(send, after, isFile ? FILE_TIMEOUT_MS : undefined);
}

function signedInId(): string | undefined {
  const present = session.peek();
  return present.kind === 'in' ? present.me.id : undefined;
}

/** An error as a sentence for people. */
export function sentenceOf(failure: Failure): string {
  if (failure.kind === 'network') return 'The server cannot be reached. Try again.';
  if (failure.status === 429) return `Too many attempts. Try again ${inTime(failure.retryAfter)}.`;
  if (failure.status >= 500) return 'Something went wrong on the server. Try again.';
  return failure.message;
}

/** Roughly, for people: "in 40 seconds", "in 3 minutes". */
function inTime(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (seconds < 60) return `in ${Math.max(1, Math.ceil(seconds))} second${seconds <= 1 ? '' : 's'}`;
  return `in ${minutes} minute${minutes === 1 ? '' : 's'}`;
}
