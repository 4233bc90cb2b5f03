import type { StreamedResponse } from '../http/event-sink.ts';
import type { Actor } from '../sessions/actor.ts';

/** The server-sent events of everyone who listens. */
export interface Streams {
  /**
   * Opens a stream of the caller's workspaces, from `cursor` on, else from now. One of the same session and client
   * that is open ends. 429 beyond 8 of a user, 503 beyond 2,000.
   */
  open(
    who: Actor,
    asked: { cursor: string | undefined; clientId: string | null; response: StreamedResponse | undefined },
  ): ReadableStream<Uint8Array>;
  /** Tells what other processes wrote, once a second; cuts off streams that are too far behind. */
  poll(): void;
  /** Keeps connections open, and ends those whose credential has ended elsewhere; every 15 s. */
  heartbeat(): void;
  /** Ends all. */
  close(): void;
  readonly size: number;
}
