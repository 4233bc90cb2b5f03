import { TestRunner } from 'vitest';
import { append, decidedIn, readJournal } from './journal.ts';

type Test = Parameters<TestRunner['onBeforeTryTask']>[0];
type Attempt = { id: number; kind: 'clean' | 'mutant' | 'clean again' };

const journal = process.env.MUTATE_JOURNAL ?? '';
const awakeFromTheStart = Number(process.env.MUTATE_ALWAYS ?? -1);
/** Tests that take longer are put off: the quick ones have killed most mutants by then. */
const maxTestMs = Number(process.env.MUTATE_MAX_TEST_MS);

const NOBODY = -1;
/** Without an error Vitest would not try again. */
const GOES_ON = { name: 'Error', message: 'Not all mutants were tried yet' };
const hits: number[] = [];
const state = {
  awake: awakeFromTheStart,
  /** How often the mutant awake may still be asked for before it counts as going round for ever. */
  patience: Number.POSITIVE_INFINITY,
  isAwake(id: number): boolean {
    hits[id] = (hits[id] ?? 0) + 1;
    if (id !== state.awake) return false;
    if (--state.patience < 0) throw new Error('It goes round for ever');
    return true;
  },
};
Object.assign(globalThis, { $mutation: state });

/**
 * Runs each test as it is, and then once more for each mutant it came by that still lives, with that mutant awake.
 * A test that fails then has killed it. All within one process, which imports the application once.
 */
export default class MutationRunner extends TestRunner {
  #decided = new Set<number>();
  #tried = new Map<string, Set<number>>();
  #done = new Set<string>();
  #imported = new Set<number>();
  #collecting = false;
  #attempt: Attempt = { id: NOBODY, kind: 'clean' };
  #queue: number[] = [];
  /** Mutants that were only come by while a test was prepared, by the test files that had their turn with them. */
  #prepared = new Map<string, Set<number>>();
  #beforeTheTest: number[] = [];
  #clean: number[] = [];
  #begunAt = 0;

  constructor(...args: ConstructorParameters<typeof TestRunner>) {
    super(...args);
    const entries = readJournal(journal);
    this.#decided = decidedIn(entries);
    for (const entry of entries) {
      if (entry.kind === 'test' && entry.done) this.#done.add(entry.test);
      if (entry.kind === 'at-import') for (const id of entry.ids) this.#imported.add(id);
      if (entry.kind === 'try') {
        this.#tried.set(entry.test, (this.#tried.get(entry.test) ?? new Set()).add(entry.id));
      }
    }
  }

  override onCollectStart(file: Parameters<TestRunner['onCollectStart']>[0]): void {
    super.onCollectStart(file);
    if (!this.#collecting) hits.length = 0;
    this.#collecting = true;
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    if (awakeFromTheStart !== NOBODY) return super.onBeforeRunTask(test);
    if (this.#collecting) this.#noteImports();
    this.#collecting = false;
    if (this.#done.has(nameOf(test))) test.mode = 'skip';
    else if (test.type === 'test') test.retry = Number.MAX_SAFE_INTEGER;
    this.#attempt = { id: NOBODY, kind: 'clean' };
    await super.onBeforeRunTask(test);
  }

  override onBeforeTryTask(test: Test, options: Parameters<TestRunner['onBeforeTryTask']>[1]): void {
    super.onBeforeTryTask(test, options);
    if (awakeFromTheStart !== NOBODY) {
      // Also a sign of life: all the tests together may well take longer than one may be silent.
      append(journal, { kind: 'try', test: nameOf(test), id: awakeFromTheStart });
      return;
    }
    const { id, kind } = this.#attempt;
    if (kind === 'mutant') append(journal, { kind: 'try', test: nameOf(test), id });
    state.awake = id;
    state.patience = (this.#clean[id] ?? 0) * 100 + 10_000;
    hits.length = 0;
    this.#begunAt = performance.now();
  }

  runTask(test: Test): Promise<void> {
    this.#beforeTheTest = [...hits];
    return Promise.resolve(TestRunner.getTestFn(test)());
  }

  /** Vitest tries a failed test again: saying that it failed, or passed, is how to go on or stop. */
  override async onAfterRetryTask(
    test: Parameters<TestRunner['onAfterRetryTask']>[0],
    options: Parameters<TestRunner['onAfterRetryTask']>[1],
  ): Promise<void> {
    await super.onAfterRetryTask(test, options);
    const { result } = test;
    const error = result?.errors?.findLast((each) => each !== GOES_ON)?.message?.split('\n')[0] ?? '';
    const failed = result?.state === 'fail';
    if (awakeFromTheStart !== NOBODY) {
      if (failed) append(journal, { kind: 'killed', id: awakeFromTheStart, test: nameOf(test), error });
      return;
    }
    if (!result || result.state === 'skip') return;
    state.awake = NOBODY;
    result.attempts = [];
    const goesOn = this.#judge(test, failed, error);
    if (!goesOn) hits.length = 0;
    result.state = goesOn ? 'fail' : 'pass';
    result.errors = goesOn ? [GOES_ON] : [];
  }

  #judge(test: Test, failed: boolean, error: string): boolean {
    const name = nameOf(test);
    const { id, kind } = this.#attempt;
    if (kind === 'clean') {
      if (failed) {
        append(journal, { kind: 'unsound', test: name, error });
        append(journal, { kind: 'test', test: name, done: true });
        return false;
      }
      if (performance.now() - this.#begunAt > maxTestMs) return false;
      this.#clean = [...hits];
      const covered = Object.keys(hits).map(Number);
      append(journal, { kind: 'covers', test: name, file: test.file.name, ids: covered });
      const tried = this.#tried.get(name);
      this.#queue = covered.filter(
        (mutant) => !this.#decided.has(mutant) && !tried?.has(mutant) && this.#isWorthATry(test, mutant),
      );
    }
    if (kind === 'mutant' && failed) {
      this.#decided.add(id);
      append(journal, { kind: 'killed', id, test: name, error });
      this.#attempt = { id: NOBODY, kind: 'clean again' };
      return true;
    }
    // What a mutant has left behind must not kill the next one.
    if (kind === 'clean again' && failed) process.kill(process.pid, 'SIGKILL');
    const next = this.#queue.shift();
    if (next === undefined) {
      append(journal, { kind: 'test', test: name, done: true });
      return false;
    }
    this.#attempt = { id: next, kind: 'mutant' };
    return true;
  }

  /** What every test of a file is prepared with is not what each of them is about: one of them will do. */
  #isWorthATry(test: Test, mutant: number): boolean {
    if ((this.#clean[mutant] ?? 0) > (this.#beforeTheTest[mutant] ?? 0)) return true;
    const prepared = this.#prepared.get(test.file.name) ?? new Set();
    this.#prepared.set(test.file.name, prepared);
    return !prepared.has(mutant) && prepared.add(mutant).size > 0;
  }

  #noteImports(): void {
    const ids = Object.keys(hits)
      .map(Number)
      .filter((id) => !this.#imported.has(id));
    for (const id of ids) this.#imported.add(id);
    if (ids.length > 0) append(journal, { kind: 'at-import', ids });
    hits.length = 0;
  }
}

const nameOf = (test: Test): string => `${test.file.name} > ${test.fullTestName ?? test.name}`;
