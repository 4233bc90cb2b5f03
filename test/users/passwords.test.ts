import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { argon2Passwords } from '../../src/users/passwords.ts';

test.runIf(process.platform === 'linux')(
  'hashing yields the processor to requests that hash nothing',
  async () => {
    const before = getPriority(process.pid);

    await argon2Passwords().verify(null, 'correct horse');

    const workers = readdirSync('/proc/self/task').filter(
      (thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8') === 'libuv-worker\n',
    );
    const priorities = workers.map((thread) => getPriority(Number(thread)));
    expect(priorities).not.toEqual([]);
    expect(Math.min(...priorities)).toBe(Math.max(before, constants.priority.PRIORITY_LOW));
  },
);
