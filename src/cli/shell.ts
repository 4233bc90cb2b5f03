import { isSea } from 'node:sea';
import type { Readable } from 'node:stream';

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
  /** Talks to whoever runs the command: stderr. */
  say(text: string): void;
}

/** The real one. */
export function processShell(): Shell {
  // A reader that has seen enough (`| head`) is no failure; a full disk is.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`errand: the output cannot be written: ${error.message}\n`);
    process.exitCode = 1;
  });
  return {
    environment: process.env,
    workingDirectory: process.cwd(),
    words: [process.execPath, ...process.argv.slice(isSea() ? 2 : 1)],
    uid: process.geteuid?.(),
    stdin: process.stdin,
    isWatched: process.stderr.isTTY === true,
    print: (text) => void process.stdout.write(text),
    say: (text) => void process.stderr.write(text),
  };
}
