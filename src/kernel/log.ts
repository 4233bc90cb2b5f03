import { fstatSync } from 'node:fs';
import { type LevelWithSilent, type Logger, pino } from 'pino';

export type Log = Logger;
export type LogLevel = LevelWithSilent;

/** Characters. */
const MAX_KEPT = 1_048_576;

const LEVEL_COLOURS: Record<number, string> = {
  20: '\x1b[2m',
  40: '\x1b[33m',
  50: '\x1b[31m',
  60: '\x1b[31m',
};

/**
 * Structured log on stderr: JSON lines, or one readable line each on a terminal. What cannot be written, as on a full
 * disk, is kept for when it can, as long as it is little; nobody's request fails for it.
 */
export function createLog(options: {
  level: LogLevel;
  format: 'json' | 'pretty';
  /** What systemd says in JOURNAL_STREAM: the file that is its journal. */
  journal?: string | undefined;
}): Log {
  const stderr = pino.destination({ fd: 2, sync: true, maxLength: MAX_KEPT });
  stderr.on('error', () => {});
  // What is full tries nothing again by itself.
  stderr.on('drop', () => stderr.write(''));
  const plain = isStderr(options.journal) ? withPriority : (line: string) => line;
  const written = options.format === 'pretty' ? readable : plain;
  return pino(
    { level: options.level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    // And nothing else of it: to flush, which a fatal line asks for, waits forever where a disk is full.
    { write: (line) => stderr.write(written(line)) },
  );
}

/** Whether stderr is the file of that device and inode. */
function isStderr(file: string | undefined): boolean {
  const { dev, ino } = fstatSync(2);
  return file === `${dev}:${ino}`;
}

/** The priorities of syslog, by level. */
const PRIORITIES: Record<number, number> = { 10: 7, 20: 7, 30: 6, 40: 4, 50: 3, 60: 2 };

/** The journal takes the priority from before the line and drops it, so that `journalctl -p warning` works. */
function withPriority(line: string): string {
  const [, level] = /^\{"level":(\d+)/.exec(line) ?? [];
  return `<${PRIORITIES[Number(level)] ?? 6}>${line}`;
}

export const silentLog: Log = pino({ level: 'silent' });

function readable(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as { level: number; time: string; msg?: string };
  const facts = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = [time.slice(11, 19), pino.levels.labels[level], msg ?? '', ...facts].join(' ');
  // An escape sequence in what a client sent must not reach the terminal.
  const safe = text.replaceAll(/\p{Cc}/gu, '?');
  const colour = process.stderr.isTTY ? LEVEL_COLOURS[level] : undefined;
  return colour === undefined ? `${safe}\n` : `${colour}${safe}\x1b[0m\n`;
}
