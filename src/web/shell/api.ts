import { basePaths } from './navigation.ts';

/** What the server says when it rejects something; `issues` name fields. */
export interface ErrorBody {
  error: string;
  message: string;
  issues?: { path: string; message: string }[];
}

export type Reply<Body> =
  | { kind: 'ok'; status: number; body: Body }
  | { kind: 'error'; status: number; body: ErrorBody; retryAfterSeconds: number | undefined }
  /** No response, or one that is not Errand's: a proxy's page says nothing of what became of a request. */
  | { kind: 'unreachable' };

export interface Call {
  body?: unknown;
  /** Whose session should make the request: two accounts in one browser share one cookie jar. */
  userId?: string | undefined;
}

/** Sends a request to the API with the session's cookie. Never throws. */
export async function call<Body>(method: string, path: string, options: Call = {}): Promise<Reply<Body>> {
  const { body, userId } = options;
  try {
    const response = await fetch(basePaths.api + path, {
      method,
      credentials: 'same-origin',
      redirect: 'error',
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(userId !== undefined && { 'X-User-Id': userId }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return await replyOf(response);
  } catch {
    return { kind: 'unreachable' };
  }
}

async function replyOf<Body>(response: Response): Promise<Reply<Body>> {
  const { status, headers } = response;
  if (!headers.has('X-Request-Id')) return { kind: 'unreachable' };
  const isJson = headers.get('Content-Type')?.startsWith('application/json') ?? false;
  const body = isJson ? await response.json() : undefined;
  if (response.ok) return { kind: 'ok', status, body };
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return {
    kind: 'error',
    status,
    body: body ?? { error: 'InternalServerError', message: 'Something went wrong on the server' },
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  };
}

/** An error as a sentence for people. */
export function sentenceOf(reply: Exclude<Reply<unknown>, { kind: 'ok' }>): string {
  if (reply.kind === 'unreachable') return 'The server cannot be reached. Try again.';
  if (reply.status === 429) return `Too many attempts. Try again ${inTime(reply.retryAfterSeconds ?? 60)}.`;
  if (reply.status >= 500) return 'Something went wrong on the server. Try again.';
  return reply.body.message;
}

/** Roughly, for people: "in 40 seconds", "in 3 minutes". */
export function inTime(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (seconds < 60) return `in ${Math.max(1, Math.ceil(seconds))} second${seconds <= 1 ? '' : 's'}`;
  return `in ${minutes} minute${minutes === 1 ? '' : 's'}`;
}
