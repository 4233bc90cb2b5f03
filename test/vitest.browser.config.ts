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
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
