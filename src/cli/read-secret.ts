import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { OperatorError } from '../kernel/errors.ts';
import { MisuseError } from './failures.ts';
import type { Shell } from './shell.ts';

const MAX_BYTES = 64 * 1024;

/**
 * A new password: typed twice at the terminal without being shown, else the whole of stdin (a last line end is not part
 * of it). A MisuseError where there is neither, unless `fromStdin` says that an empty one is meant.
 */
export async function readNewPassword(shell: Shell, fromStdin: boolean): Promise<string> {
  if (shell.stdin.isTTY) return typeTwice(shell);
  const password = await readAll(shell);
  if (password !== '' || fromStdin) return password;
  throw new MisuseError('There is no terminal to type a password at; hand it over with --password-stdin');
}

async function readAll(shell: Shell): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of shell.stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunks.at(-1)?.length ?? 0;
    if (bytes > MAX_BYTES) throw new OperatorError('Stdin holds more than a password');
  }
  const password = Buffer.concat(chunks);
  if (!isUtf8(password)) throw new OperatorError('The password on stdin is not valid UTF-8');
  if (password.includes(0))
    throw new OperatorError('The password on stdin has a NUL in it, which nobody can sign in with');
  return new TextDecoder().decode(password).replace(/\r?\n$/, '');
}

async function typeTwice(shell: Shell): Promise<string> {
  // What would echo the keys goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: shell.stdin, output: nowhere, terminal: true, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (prompt: string): Promise<string> => {
    shell.say(prompt);
    const { value, done } = await lines.next();
    shell.say('\n');
    if (done) throw new OperatorError('No password was given');
    return value;
  };
  try {
    const password = await ask('Password: ');
    if ((await ask('Repeat password: ')) !== password) throw new OperatorError('The two passwords differ');
    return password;
  } finally {
    terminal.close();
  }
}
