import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Site } from './drill.ts';

export const MAIN = join(import.meta.dirname, '../../src/main.ts');
const PATIENCE_MS = 20_000;

interface Mail {
  to: string;
  text: string;
}

/** What the console transport printed, over all the lives of a server. */
export interface Mailbox {
  mails: Mail[];
  arrived: EventEmitter;
}

export const createMailbox = (): Mailbox => ({ mails: [], arrived: new EventEmitter().setMaxListeners(0) });

/** Resolves with the first mail that fits, be it here or to come; rejects when it does not come in time. */
export async function mailThat(mailbox: Mailbox, fits: (mail: Mail) => boolean): Promise<Mail> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const found = mailbox.mails.find(fits);
    if (found) return found;
    await once(mailbox.arrived, 'mail', { signal: patience });
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface ServerProcess {
  child: Child;
  /** Base of the API, once it listens; rejects if it ends before. */
  listening: Promise<string>;
  ended: Promise<unknown>;
  /** What it logged at level warn and above. */
  complaints: string[];
}

/** Starts the real server on that data folder, through another program where one is given; `settings` are variables. */
export function startServer(
  folder: string,
  mailbox: Mailbox,
  through: string[] = [],
  settings: Record<string, string> = {},
): ServerProcess {
  const [command = '', ...parameters] = [...through, process.execPath, MAIN, 'serve'];
  const child = spawn(command, parameters, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ERRAND_SERVER_PORT: '0',
      ERRAND_DATABASE_PATH: join(folder, 'errand.db'),
      ERRAND_RATE_LIMITS_ENABLED: 'false',
      // A drill may take longer than a token lives.
      ERRAND_AUTH_ACCESS_TOKEN_MINUTES: '1440',
      ERRAND_BACKUP_SCHEDULE: '',
      ERRAND_LOG_FORMAT: 'json',
      ...settings,
    },
  });
  const complaints: string[] = [];
  readMails(child, mailbox);
  const log = createInterface({ input: child.stderr });
  const ended = once(child, 'close');
  const listening = new Promise<string>((resolve, reject) => {
    log.on('line', (line) => {
      const entry = line.startsWith('{') ? JSON.parse(line) : { level: 50, msg: line };
      if (entry.msg === 'listening') resolve(entry.api);
      if (entry.level >= 40) complaints.push(line);
    });
    ended.then(() => reject(new Error(`The server ended before it listened\n${complaints.join('\n')}`)));
  });
  listening.catch(() => {});
  return { child, listening, ended, complaints };
}

/** Stops a server gently; anything but exit code 0 is a loss. */
export async function stops({ child, ended }: ServerProcess, site: Site, when: string): Promise<void> {
  child.kill('SIGTERM');
  await ended;
  if (child.exitCode !== 0) site.lose(`${when}: ended with ${child.exitCode ?? child.signalCode}`);
}

function readMails(child: Child, mailbox: Mailbox): void {
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    const parts = output.split('──── mail ────\n');
    output = parts.pop() ?? '';
    const isWhole = output.includes('\n──────────────\n');
    for (const part of isWhole ? [...parts, output] : parts) {
      const to = /^To: (.*)$/m.exec(part)?.[1];
      if (to !== undefined) mailbox.mails.push({ to, text: part });
    }
    if (isWhole) output = '';
    mailbox.arrived.emit('mail');
  });
}

export interface ApiResponse {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a script reads whatever the response holds
  body: any;
}

/** Returns undefined when the connection broke: then nobody knows whether it was done. */
export async function call(
  base: string,
  method: string,
  path: string,
  { token, body }: { token?: string; body?: unknown } = {},
): Promise<ApiResponse | undefined> {
  try {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  } catch {
    return undefined;
  }
}
