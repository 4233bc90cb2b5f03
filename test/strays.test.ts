import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Runs it in a process of its own, whose log is its stderr, and which says `on` at its end. */
function run(fault: string, format = 'json', log: number | 'pipe' = 'pipe') {
  const source = `
    import { catchStrays } from ${JSON.stringify(new URL('../src/cli/strays.ts', import.meta.url).href)};
    import { createLog } from ${JSON.stringify(new URL('../src/kernel/log.ts', import.meta.url).href)};
    const log = createLog({ level: 'info', format: '${format}' });
    catchStrays(log);
    ${fault}
    setTimeout(() => process.stdout.write('on'), 20);
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', log],
    timeout: 10_000,
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
