import { setTimeout as wait } from 'node:timers/promises';
import { recordAct } from '../audit/trail.ts';
import type { Deps } from '../deps.ts';
import type { RequestContext } from '../http/request-context.ts';
import { jsonHeaders } from '../http/response.ts';
import { tooManyRequests } from '../kernel/errors.ts';
import { HOUR, MINUTE, SECOND, toInstant } from '../kernel/instants.ts';
import type { SignedIn } from '../sessions/actor.ts';
import { requireSession, writeSignedIn } from '../sessions/authentication.ts';
import { type PersistentLimit, requireWithinLimits } from '../storage/rate-limits.ts';
import { entriesInSteps, type StoredEntry } from '../storage/trash.ts';
import { finishEntry } from '../trash/steps.ts';
import { runningExports } from '../users/running-exports.ts';
import { ownedWorkspaces } from './contents.ts';
import { exportDocument } from './document.ts';

/** Each holds a connection and keeps the write-ahead log from being emptied. */
const MAX_RUNNING = 10;
const BUSY_MS = 10 * SECOND;
/** However slowly it is read: while an export runs, the write-ahead log only grows. */
const LASTS_AT_MOST_MS = 10 * MINUTE;
const CHARACTER_BATCH_SIZE = 16_384;
/** Longer than a piece takes, so that a long export leaves the processors to others for most of the time. */
const PAUSE_MS = 1;

/**
 * Streams everything of the caller's account, in one consistent snapshot, as a file. 429 while another one of theirs or
 * too many in all run, and when the caller had too many. HEAD costs nothing.
 */
export async function exportAccount(
  deps: Deps,
  who: SignedIn,
  requestContext: RequestContext,
): Promise<Response> {
  const now = deps.clock.now();
  const headers = {
    ...jsonHeaders(requestContext.requestId),
    'Content-Disposition': `attachment; filename="errand-export-${toInstant(now).slice(0, 10)}.json"`,
  };
  if (requestContext.isHead) return new Response(null, { headers });
  const all = runningExports(deps);
  const isRunning = [...all].some(({ userId }) => userId === who.userId);
  if (isRunning || all.size >= MAX_RUNNING) throw tooManyRequests(BUSY_MS);
  const running = { userId: who.userId, stop: new AbortController() };
  const leave = () => all.delete(running);
  all.add(running);
  try {
    await writeSignedIn(deps, who, (tx) => {
      requireWithinLimits(tx, exportBudget(deps, who.userId), now);
      recordAct(deps, tx, { event: 'account-exported', userId: who.userId }, 'account exported');
    });
    await whileMoving(deps, who.userId);
    requireSession(deps, deps.read, who);
    const pieces = piecesOf(deps, who.userId, now);
    const first = pieces.next();
    const ends = [running.stop.signal, deps.stopping, AbortSignal.timeout(LASTS_AT_MOST_MS)];
    return new Response(streamOf(first, pieces, AbortSignal.any(ends), leave), { headers });
  } catch (error) {
    leave();
    throw error;
  }
}

/** Waits for lists and spaces on their way into the trash or out of it, so that each thing is told of once. */
export async function whileMoving(deps: Deps, userId: string): Promise<void> {
  const owned = ownedWorkspaces(deps.read, userId).map(({ key }) => key);
  for (;;) {
    const isTheirs = ({ workspace_code: key }: StoredEntry) => owned.includes(key);
    const entry = entriesInSteps(deps.read).find(isTheirs);
    if (!entry) return;
    await finishEntry(deps, entry);
  }
}

function exportBudget({ config: { rate_limits: limits } }: Deps, userId: string): PersistentLimit[] {
  if (!limits.enabled) return [];
  const bucket = { burst: limits.export_burst, refillMs: HOUR / limits.export_per_hour };
  return [{ key: `export:${userId}`, bucket }];
}

/** The document in pieces of some size, over a snapshot that is closed with it. */
function* piecesOf(deps: Deps, userId: string, now: number): Generator<string, undefined> {
  using snapshot = deps.database.openSnapshot();
  let text = '';
  for (const piece of exportDocument(snapshot.read, userId, toInstant(now))) {
    text += piece;
    if (text.length < CHARACTER_BATCH_SIZE) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Reads a piece when the client has taken the one before, and lets others come between; `end` breaks it off. */
function streamOf(
  first: IteratorResult<string, undefined>,
  pieces: Generator<string, undefined>,
  end: AbortSignal,
  onClosed: () => unknown,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string, undefined> | undefined = first;
  let breakOff = () => {};
  const close = () => {
    end.removeEventListener('abort', breakOff);
    pieces.return(undefined);
    onClosed();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        breakOff = () => {
          close();
          controller.error(new Error('The export was broken off'));
        };
        end.addEventListener('abort', breakOff);
        if (end.aborted) breakOff();
      },
      pull: async (controller) => {
        await wait(PAUSE_MS);
        if (end.aborted) return;
        try {
          const { value, done } = next ?? pieces.next();
          next = undefined;
          if (done) {
            close();
            controller.close();
          } else controller.enqueue(encoder.encode(value));
        } catch (error) {
          close();
          throw error;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
