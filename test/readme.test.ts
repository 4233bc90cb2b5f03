import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from './new-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const SESSION = README.slice(README.indexOf('## A first session'), README.indexOf('## How it works'));
const BLOCKS = [...SESSION.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
const LISTENER = README.slice(
  README.indexOf('## For the author of a client'),
  README.indexOf('## Running it'),
);
/** As a terminal has them: zsh knows no comments then. */
const SHELLS: [name: string, args: string[]][] = [
  ['bash', ['--norc', '--noprofile', '-i']],
  ['zsh', ['-f', '-i']],
];

let folder: string;
const children: ChildProcessWithoutNullStreams[] = [];
beforeEach(() => {
  folder = newFolder('readme');
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
});

/** A process, what it has printed so far on either stream, and a wait for it to print something. */
function run(command: string, args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { cwd: folder, env });
  children.push(child);
  let heard = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      heard += chunk;
    });
  const said = async (pattern: RegExp): Promise<string> => {
    await expect.poll(() => heard, { interval: 10 }).toMatch(pattern);
    const [all, found = all] = pattern.exec(heard) ?? [''];
    return found ?? '';
  };
  return { child, said };
}

it('no command of README has a comment beside it, which zsh would take for arguments', () => {
  const lines = [...README.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.split('\n'));
  expect(lines.length).toBeGreaterThan(30);
  for (const line of lines) expect(line).not.toMatch(/^\s*#|\s#\s/);
});

describe('the first session of README', () => {
  it.each(SHELLS)('works as it stands, pasted into %s', async (name, args) => {
    if (spawnSync(name, ['-c', 'true']).error) return;
    const server = run(process.execPath, [join(ROOT, 'src/main.ts'), 'serve'], { ERRAND_SERVER_PORT: '0' });
    const port = await server.said(/"address":"http:\/\/127\.0\.0\.1:(\d+)/);
    const shell = run(name, args, { PATH: process.env.PATH, PS1: '', TERM: 'dumb' });
    const paste = async (block: string, i: number): Promise<void> => {
      shell.child.stdin.write(block.replace('http://localhost:8080', `http://127.0.0.1:${port}`));
      if (block.includes('read -r token')) shell.child.stdin.write(`${await server.said(/Token: (\S+)/)}\n`);
      shell.child.stdin.write(`echo "end of block" $((${i} + 100))\n`);
      await shell.said(new RegExp(`end of block ${i + 100}`));
    };
    expect(BLOCKS).toHaveLength(6);
    for (const [i, block] of BLOCKS.entries()) await paste(block, i);
    await shell.said(/^201$/m);
    await shell.said(/"user":\{"id"/);
    await shell.said(/"title":"Buy milk"[\s\S]*"total":1/);
    await shell.said(/^204$/m);
    const [, listen = ''] = /```sh\n(.*?)```/s.exec(LISTENER) ?? [];
    shell.child.stdin.write(listen);
    await shell.said(/^event: hello$/m);
  });
});
