import type { ServerResponse } from 'node:http';

/** Takes what is sent over a connection that stays open. */
export interface EventSink {
  write(bytes: Buffer): void;
  /** Bytes that the client has not taken yet, without those that the system holds. */
  readonly bytesBehind: number;
  /** Ends the response behind what was written. */
  end(): void;
  /** Ends the connection of a client that does not read, and drops what was written. */
  cut(): void;
}

/** What it needs of a response of Node; undefined when the application is called in process. */
export type StreamedResponse = Pick<ServerResponse, 'write' | 'destroy' | 'headersSent' | 'writableLength'>;

/**
 * A response body for what is sent as it happens; `onClosed` is called when the client is gone. What `open` writes goes
 * through the body, after the headers; later events go to the response itself, which costs half as much for each.
 */
export function eventBody(
  response: StreamedResponse | undefined,
  open: (sink: EventSink) => void,
  onClosed: () => void,
): ReadableStream<Uint8Array> {
  let direct: StreamedResponse | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) =>
        open({
          write: (bytes) => {
            if (direct) direct.write(bytes);
            else controller.enqueue(bytes);
          },
          get bytesBehind() {
            if (direct) return direct.writableLength;
            return (response?.writableLength ?? 0) - (controller.desiredSize ?? 0);
          },
          end: () => {
            try {
              controller.close();
            } catch {
              // The client has left already.
            }
          },
          cut: () => response?.destroy(),
        }),
      // With nothing queued, this is asked for once all before it was written.
      pull: () => {
        if (response?.headersSent) direct = response;
      },
      cancel: onClosed,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}
