import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**', 'test/replication/**'],
    globalSetup: ['test/temporary-folder.ts', 'test/build-web.ts'],
    pool: 'threads',
    // Every file would import the whole application again; nothing of it keeps state that a test could see.
    isolate: false,
    // One worker more than cores: tests wait for the disk and for hashes now and then.
    maxWorkers: availableParallelism() + 1,
    // Backups and doctor give way to all else, so that they take long on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
