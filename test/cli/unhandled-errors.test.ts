import { spawnSync } from 'node:child_process';
import fs, { closeSync, openSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../../src/kernel/log.ts';

/** Runs it in a process of its own, whose log is its stderr, and which says `on` at its end. */
function run(fault: string, format = 'json', log: number | 'pipe' = 'pipe') {
  const source = `
    import { catchUnhandledErrors } from ${JSON.stringify(new URL('../../src/cli/unhandled-errors.ts', import.meta.url).href)};
    import { createLog } from ${JSON.stringify(new URL('../../src/kernel/log.ts', import.meta.url).href)};
    const log = createLog({ level: 'info', format: '${format}' });
    catchUnhandledErrors(log);
    ${fault}
    // In a later turn than what goes wrong, however late the first one begins.
    setImmediate(() => setImmediate(() => process.stdout.write('on')));
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', log],
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

it('a rejection that nobody handled is logged, and the process goes on', () => {
  const { status, stdout, stderr } = run(`Promise.reject(new Error('stray'));`);
  expect([status, stdout]).toEqual([0, 'on']);
  expect(JSON.parse(stderr)).toMatchObject({
    level: 50,
    msg: 'a rejection was not handled',
    err: { message: 'stray' },
  });
});

it.each(['json', 'pretty'])(
  'an exception that nobody caught is in the log, as %s, before the process ends as failed',
  (format) => {
    const { status, stdout, stderr } = run(`setImmediate(() => { throw new Error('stray'); });`, format);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd()).toMatch(/^.*an exception was not caught.*$/);
    expect(stderr).toContain('"message":"stray"');
  },
);

it('nobody is let in by the inspector, which Node would open at a SIGUSR1', () => {
  expect(run(`process.kill(process.pid, 'SIGUSR1');`)).toEqual({ status: 0, stdout: 'on', stderr: '' });
});

describe.each(['json', 'pretty'])('a log, as %s, that cannot be written, as its disk is full,', (format) => {
  const onFullDisk = (fault: string) => {
    const full = openSync('/dev/full', 'w');
    const { status, stdout } = run(fault, format, full);
    closeSync(full);
    return [status, stdout];
  };

  it('takes nobody with it', () => {
    expect(onFullDisk(`for (let i = 0; i < 100; i += 1) log.info('x'.repeat(50_000));`)).toEqual([0, 'on']);
  });

  it('still lets the process end as failed where an exception was not caught', () => {
    expect(onFullDisk(`setImmediate(() => { throw new Error('stray'); });`)).toEqual([1, '']);
  });
});

it('a process goes on that can write neither results nor what it says of them', () => {
  const source = `
    import { writeSync } from 'node:fs';
    import { catchUnhandledErrors } from ${JSON.stringify(new URL('../../src/cli/unhandled-errors.ts', import.meta.url).href)};
    import { processShell } from ${JSON.stringify(new URL('../../src/cli/shell.ts', import.meta.url).href)};
    import { silentLog } from ${JSON.stringify(new URL('../../src/kernel/log.ts', import.meta.url).href)};
    catchUnhandledErrors(silentLog);
    const shell = processShell();
    shell.print('a mail');
    shell.say('a word');
    setTimeout(() => writeSync(3, 'on'), 20);
  `;
  const full = openSync('/dev/full', 'w');
  const { output } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    stdio: ['ignore', full, full, 'pipe'],
    timeout: 60_000,
  });
  closeSync(full);
  expect(output[3]).toBe('on');
});

it('the log goes on once a full disk has room again, however much was lost meanwhile', () => {
  let isFull = true;
  let written = '';
  const write = vi.spyOn(fs, 'writeSync').mockImplementation((_file: number, text: unknown) => {
    if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    written += text;
    return Buffer.byteLength(String(text));
  });
  onTestFinished(() => write.mockRestore());
  const log = createLog({ level: 'info', format: 'json' });
  for (let i = 0; i < 20_000; i += 1) log.info({ i, pad: 'x'.repeat(60) }, 'no room');
  isFull = false;
  for (let i = 0; i < 10; i += 1) log.info({ pad: 'x'.repeat(60) }, 'room again');
  expect(written).toContain('"i":0,');
  expect(written.match(/room again/g)?.length).toBeGreaterThanOrEqual(9);
  expect(written.length).toBeLessThan(1_100_000);
});
