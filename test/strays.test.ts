import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Runs it in a process of its own, whose log is its stderr, and which says `on` at its end. */
function run(fault: string, format = 'json') {
  const source = `
    import { catchStrays } from ${JSON.stringify(new URL('../src/cli/strays.ts', import.meta.url).href)};
    import { createLog } from ${JSON.stringify(new URL('../src/kernel/log.ts', import.meta.url).href)};
    catchStrays(createLog({ level: 'info', format: '${format}' }));
    ${fault}
    setTimeout(() => process.stdout.write('on'), 20);
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
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
