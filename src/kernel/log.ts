import { type LevelWithSilent, type Logger, pino } from 'pino';

export type Log = Logger;
export type LogLevel = LevelWithSilent;

const LEVEL_COLOURS: Record<number, string> = {
  20: '\x1b[2m',
  40: '\x1b[33m',
  50: '\x1b[31m',
  60: '\x1b[31m',
};

/** Structured log on stderr: JSON lines, or one readable line each on a terminal. */
export function createLog(options: { level: LogLevel; format: 'json' | 'pretty' }): Log {
  return pino(
    { level: options.level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    options.format === 'pretty'
      ? { write: (line) => process.stderr.write(readable(line)) }
      : pino.destination({ fd: 2, sync: true }),
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
