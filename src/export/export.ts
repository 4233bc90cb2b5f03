import { setTimeout as wait } from 'node:timers/promises';
import { type Budget, demandBudgets } from '../db/budgets.ts';
import type { Deps } from '../deps.ts';
import { commonHeaders } from '../http/answer.ts';
import type { Visitor } from '../http/request.ts';
import { tooManyRequests } from '../kernel/errors.ts';
import { HOUR, MINUTE, SECOND, toInstant } from '../kernel/instants.ts';
import { type SignedIn, writeSignedIn } from '../sessions/door.ts';
import { exportDocument } from './document.ts';

/** Each holds a connection and keeps the write-ahead log from being emptied. */
const RUNNING_AT_MOST = 10;
const BUSY_MS = 10 * SECOND;
/** However slowly it is read: while an export runs, the write-ahead log only grows. */
const LASTS_AT_MOST_MS = 10 * MINUTE;
const CHARACTERS_AT_ONCE = 16_384;
/** Longer than a piece takes, so that whoever exports much leaves the processors to others for most of the time. */
const PAUSE_MS = 1;

/**
 * Streams everything of the caller's account, as it is now, to be saved as a file. 429 while too many exports run, and
 * when the caller had too many.
 */
export async function exportAccount(deps: Deps, who: SignedIn, visitor: Visitor): Promise<Response> {
  const now = deps.clock.now();
  if (deps.exports.size >= RUNNING_AT_MOST) throw tooManyRequests(BUSY_MS);
  const running = { userId: who.userId, stop: new AbortController() };
  const leave = () => deps.exports.delete(running);
  deps.exports.add(running);
  try {
    await writeSignedIn(deps, who, (tx) => demandBudgets(tx, exportBudget(deps, who.userId), now));
    const pieces = piecesOf(deps, who.userId, now);
    const first = pieces.next();
    deps.log.info({ event: 'account-exported', userId: who.userId }, 'account exported');
    const ends = [running.stop.signal, deps.stopping, AbortSignal.timeout(LASTS_AT_MOST_MS)];
    return new Response(streamOf(first, pieces, AbortSignal.any(ends), leave), {
      headers: {
        ...commonHeaders(visitor.requestId),
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': `attachment; filename="errand-export-${toInstant(now).slice(0, 10)}.json"`,
      },
    });
  } catch (error) {
    leave();
    throw error;
  }
}

function exportBudget({ config: { rate_limits: limits } }: Deps, userId: string): Budget[] {
  if (!limits.enabled) return [];
  const bucket = { burst: limits.export_burst, refillMs: HOUR / limits.export_per_hour };
  return [{ key: `export:${userId}`, bucket }];
}

/** The document in pieces of some size, over a snapshot that is closed with it. */
function* piecesOf(deps: Deps, userId: string, now: number): Generator<string, undefined> {
  using snapshot = deps.openSnapshot();
  let text = '';
  for (const piece of exportDocument(snapshot.read, userId, toInstant(now))) {
    text += piece;
    if (text.length < CHARACTERS_AT_ONCE) continue;
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
