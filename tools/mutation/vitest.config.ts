import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { instrument } from './instrument.ts';
import { groupOf, planMutants, TEST_NAMES } from './scope.ts';

const group = process.env.MUTATE_GROUP ?? '';
const files = groupOf(group).tests.map((name) => `test/${name}.test.ts`);
const planned = new Map(
  planMutants(group, process.env.MUTATE_ONLY ?? '').map((found) => [resolve(found.file), found]),
);

class NearestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      files.findIndex((name) => moduleId.endsWith(`/${name}`));
    return specifications.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform: (_code, id) => {
        const found = planned.get(id);
        return found && { code: instrument(found.source, found.mutants, found.firstId), map: null };
      },
    },
  ],
  test: {
    include: files,
    testNamePattern: TEST_NAMES,
    globalSetup: 'test/temporary-folder.ts',
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    sequence: { sequencer: NearestFirst },
    // Kept apart from that of other tests: what it holds is full of mutants.
    fsModuleCachePath: `${process.env.MUTATE_JOURNAL}.cache`,
    runner: 'tools/mutation/runner.ts',
    reporters: [],
    silent: true,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 1_000,
    dangerouslyIgnoreUnhandledErrors: true,
  },
});
