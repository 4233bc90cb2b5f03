export interface Streams {
  port: number;
  /** Each holds as many streams as the server allows a user. */
  readers: { token: string; workspaceId: string; listId: string }[];
  writesPerSecond: number;
  /** All writes are in the first one's workspace, which all may read; else each in one's own, in turn. */
  isShared: boolean;
}

export interface Streamed {
  open: number;
  writes: number;
  failed: number;
  events: number;
  /** From the request that wrote until a stream told of it, milliseconds. */
  delays: number[];
}

export const STREAMS_OF_USER = 8;
/** Writing begins when memory was looked at with the streams open and silent. */
export const SILENT_MS = 4_000;
