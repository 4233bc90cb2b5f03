import { isSea } from 'node:sea';
import type { Readable, Writable } from 'node:stream';
import { lowerProcessPriority } from '../kernel/process-priority.ts';

/** What a command has of the process it runs in; a test brings its own. */
export interface Shell {
  environment: Record<string, string | undefined>;
  workingDirectory: string;
  /** The words that called this program, all of them. */
  words: string[];
  /** The user it runs as; undefined on Windows. */
  uid: number | undefined;
  stdin: Readable & { isTTY?: boolean };
  /** Whether someone watches what is said. */
  isWatched: boolean;
  /** Writes results: stdout. */
  print(text: string): void;
  /** Resolves when there is room to print more. */
  printed(): Promise<void>;
  /** Talks to the person who runs the command: stderr. */
  say(text: string): void;
  /** Lets every other process have the processor first, a server beside it above all; for long work. */
  lowerPriority(): void;
}

/** The real one. */
export function processShell(): Shell {
  // A reader that has seen enough (`| head`) is no failure; a full disk is.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`errand: the output cannot be written: ${error.message}\n`);
    process.exitCode = 1;
  });
  // Nobody is left to tell; what was done is done.
  process.stderr.on('error', () => {});
  return {
    environment: process.env,
    workingDirectory: process.cwd(),
    words: [process.execPath, ...process.argv.slice(isSea() ? 2 : 1)],
    uid: process.geteuid?.(),
    stdin: process.stdin,
    isWatched: process.stderr.isTTY === true,
    print: (text) => void process.stdout.write(text),
    printed: () => roomIn(process.stdout),
    say: (text) => void process.stderr.write(text),
    lowerPriority: () => lowerProcessPriority(process.pid),
  };
}

/** A stream that was closed at its other end takes everything, and nothing of it arrives. */
const roomIn = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (!stream.writableNeedDrain || stream.destroyed) return resolve();
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
