import { AppError, tooManyRequests } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';

/** Shorter responses are bounded by the number of connections. */
const MIN_BYTES = 16 * 1_024;
/** Of one user, or of one network where nobody is signed in; and of all. */
const MAX_OF_ONE = 32 * 1_024 * 1_024;
const MAX_IN_ALL = 256 * 1_024 * 1_024;
const RETRY_MS = SECOND;

/** The part of a server response that tells when it was taken by the client, or given up. */
export interface Outgoing {
  readonly destroyed?: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** A response on its way to its client. */
export interface Held {
  /** Says how long it is by now; throws as `requireRoom` where it grows, is not the only one and too long, unless `isDone`. */
  resize(bytes: number, isDone?: boolean): void;
}

/** Counts the bytes of responses that their clients have not taken yet, which stay in memory until then. */
export interface BytesUnderWay {
  /** 429 where `owner` leaves too much unread already, 503 where all together do. */
  requireRoom(owner: string): void;
  /**
   * Counts a response until `outgoing` is closed: its body, or how many bytes that will have. Throws as `requireRoom`
   * where it is not the only one and too long, unless it tells of something that `isDone`.
   */
  hold(
    owner: string,
    body: string | Uint8Array | number,
    outgoing: Outgoing | undefined,
    isDone?: boolean,
  ): Held | undefined;
  readonly total: number;
}

/** The bounds are for a test to lower. */
export function createBytesUnderWay(maxOfOne = MAX_OF_ONE, maxInAll = MAX_IN_ALL): BytesUnderWay {
  const byOwner = new Map<string, number>();
  let total = 0;
  const add = (owner: string, bytes: number) => {
    const sum = (byOwner.get(owner) ?? 0) + bytes;
    if (sum > 0) byOwner.set(owner, sum);
    else byOwner.delete(owner);
    total += bytes;
  };
  const requireRoomFor = (owner: string, bytes: number, held = 0) => {
    const others = (byOwner.get(owner) ?? 0) - held;
    if (others > 0 && others + bytes > maxOfOne) throw tooManyRequests(RETRY_MS);
    if (total > held && total - held + bytes > maxInAll) {
      throw new AppError('ServiceUnavailableError', 'Too many responses are waiting to be read', {
        headers: { 'Retry-After': String(RETRY_MS / SECOND) },
      });
    }
  };
  return {
    requireRoom: (owner) => requireRoomFor(owner, 0),
    hold: (owner, body, outgoing, isDone = false) => {
      if (!outgoing || (typeof body === 'string' && body.length * 3 < MIN_BYTES)) return undefined;
      let held = typeof body === 'number' ? body : Buffer.byteLength(body);
      if (held < MIN_BYTES || outgoing.destroyed) return undefined;
      if (!isDone) requireRoomFor(owner, held);
      let isOver = false;
      add(owner, held);
      outgoing.once('close', () => {
        isOver = true;
        add(owner, -held);
      });
      return {
        resize: (bytes, isDone = false) => {
          if (isOver) return;
          if (bytes > held && !isDone) requireRoomFor(owner, bytes, held);
          add(owner, bytes - held);
          held = bytes;
        },
      };
    },
    get total() {
      return total;
    },
  };
}
