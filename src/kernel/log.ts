import { type LevelWithSilent, type Logger, pino } from 'pino';

export type Log = Logger;
export type LogLevel = LevelWithSilent;

/** Characters. */
const KEPT_AT_MOST = 1_048_576;

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
export function createLog(options: { level: LogLevel; format: 'json' | 'pretty' }): Log {
  const stderr = pino.destination({ fd: 2, sync: true, maxLength: KEPT_AT_MOST });
  stderr.on('error', () => {});
  // What is full tries nothing again by itself.
  stderr.on('drop', () => stderr.write(''));
  const written = options.format === 'pretty' ? readable : (line: string) => line;
  return pino(
    { level: options.level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    // And nothing else of it: to flush, which a fatal line asks for, waits forever where a disk is full.
    { write: (line) => stderr.write(written(line)) },
  );
}

export const silentLog: Log = pino({ level: 'silent' });

function readable(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as { level: number; time: string; msg?: string };
  const facts = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = [time.slice(11, 19), pino.levels.labels[level], msg ?? '', ...facts].join(' ');
  // An escape sequence in what a client sent must not reach the terminal.
  return `${LEVEL_COLOURS[level] ?? ''}${text.replaceAll(/\p{Cc}/gu, '?')}\x1b[0m\n`;
}
