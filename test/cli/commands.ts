import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Shell } from '../../src/cli/shell.ts';
import { argon2Passwords } from '../../src/users/passwords.ts';
import { errand as errandIn } from '../shell.ts';
import { openWorld, type World } from '../world.ts';

export const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** Where commands run: a folder of its own for each test. */
export let folder: string;
let world: World | undefined;
export const children: ChildProcess[] = [];

/** To be called by a file of tests: each has a fresh folder, and leaves neither files nor processes. */
export function useFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'errand-cli-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await closeServer();
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Stops the server in process. */
export async function closeServer(): Promise<void> {
  await world?.close();
  world = undefined;
}

/** A server in process, on the data that the commands are run on. */
export async function openServer(options: Parameters<typeof openWorld>[0] = {}): Promise<World> {
  world = await openWorld({ start: Date.now(), passwords: argon2Passwords(), ...options });
  return world;
}

interface Given {
  /** On stdin. */
  input?: string;
  /** Typed at the prompts of a terminal, in place of stdin. */
  typed?: string[];
  shell?: Partial<Shell>;
}

/** Runs a command in process. */
export async function errand(args: string[], { input, typed, shell = {} }: Given = {}) {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const responses = [...(typed ?? [])];
  return errandIn(world ?? { folder }, args, {
    workingDirectory: folder,
    stdin: typed ? terminal : Readable.from(input === undefined ? [] : [Buffer.from(input)]),
    say: (text) => {
      if (text.endsWith(': ')) terminal.write(`${responses.shift()}\r`);
    },
    ...shell,
  });
}

/** Runs a command in process and returns what it printed as JSON. */
export async function errandJson(args: string[], given?: Given) {
  const { code, out, err } = await errand([...args, '--json'], given);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

/** Runs the program as a process of its own, in an empty environment. */
export const start = (args: string[], environment: Record<string, string> = {}) =>
  watch(spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: environment }));

/** Follows what a child process says; it is killed after the test at the latest. */
export function watch(child: ChildProcessWithoutNullStreams) {
  children.push(child);
  const heard = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    heard.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    heard.err += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...heard }));
  return {
    child,
    ended,
    /** Waits for a log line, and returns what it says. */
    logged: (message: string) =>
      new Promise<Record<string, unknown>>((found, lost) => {
        const look = () => {
          const lines = heard.err.split('\n').slice(0, -1);
          const line = lines.find((text) => text.includes(`"msg":"${message}"`));
          if (line) found(JSON.parse(line));
        };
        child.stderr.on('data', look);
        look();
        child.once('close', () => lost(new Error(`${message} was not logged: ${heard.err}`)));
      }),
  };
}

/** A sign-in by password at the server in process. */
export const signIn = async (email: string, password: string) =>
  (await world?.call('POST', '/auth/login', { body: { email, password } })) ?? { status: 0, body: {} };
