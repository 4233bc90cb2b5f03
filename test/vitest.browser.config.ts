import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/temporary-folder.ts', 'test/build-web.ts'],
    pool: 'threads',
    // Every file would import the whole application again.
    isolate: false,
    // A browser leaves room beside itself: it waits for pages and pages wait for it.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
