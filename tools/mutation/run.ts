import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { append, decidedIn, type Entry, readJournal } from './journal.ts';
import type { Mutant } from './mutators.ts';
import { GROUPS, planMutants } from './scope.ts';

const FOLDER = 'coverage/mutation';
const MAX_SILENT_SECONDS = 90;
const QUICK_MS = 200;

const command = new Command()
  .argument('<group>', Object.keys(GROUPS).join(', '))
  .option('--only <text>', 'a part of the path of what is mutated', '')
  .option('--every <n>', 'only each nth mutant: a sample, where all would take hours', '1')
  .option('--tests <files...>', 'only these of its tests', [])
  .option('--again', 'go on with the run before, instead of starting over')
  .parse();
const [group = ''] = command.args;
type Options = { only: string; every: string; tests: string[]; again?: true };
const { only, every, tests, again } = command.opts<Options>();

const journal = `${FOLDER}/${[group, only.replaceAll('/', '-')].filter(Boolean).join('-')}.jsonl`;
mkdirSync(FOLDER, { recursive: true });
const temporary = resolve(`${journal}.tmp`);
for (const folder of [`${journal}.cache`, temporary]) rmSync(folder, { recursive: true, force: true });
mkdirSync(temporary);
if (!again) rmSync(journal, { force: true });
const mutants = planMutants(group, only).flatMap(({ mutants }) => mutants);
const isDrawn = (id: number) => id % Number(every) === 0;
console.log(`${mutants.length} mutants, ${mutants.filter((_, id) => isDrawn(id)).length} of them tried`);
append(journal, { kind: 'not-drawn', ids: [...mutants.keys()].filter((id) => !isDrawn(id)) });

for (const maxTestMs of [QUICK_MS, Number.POSITIVE_INFINITY]) {
  let known = 0;
  while (!(await vitest({ MUTATE_MAX_TEST_MS: String(maxTestMs) }, tests))) {
    const entries = readJournal(journal);
    if (entries.length === known) throw new Error('A test without any mutant does not come to its end');
    known = entries.length;
    const last = entries.at(-1);
    if (last?.kind === 'try') append(journal, { ...last, kind: 'timed-out' });
  }
}
const atImport = readJournal(journal).flatMap((entry) => (entry.kind === 'at-import' ? entry.ids : []));
for (const id of new Set(atImport)) {
  const entries = readJournal(journal);
  const test = 'from the start';
  if (
    decidedIn(entries).has(id) ||
    entries.some((entry) => entry.kind === 'try' && entry.test === test && entry.id === id)
  )
    continue;
  append(journal, { kind: 'try', test, id });
  const ended = await vitest({ MUTATE_ALWAYS: String(id) }, ['--bail=1', ...testFilesNear(entries, id)]);
  if (!ended) append(journal, { kind: 'timed-out', test, id });
}
rmSync(temporary, { recursive: true });
report(readJournal(journal));

/** Returns whether it came to its end, rather than falling silent or dying. */
async function vitest(environment: Record<string, string>, args: string[]): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=tools/mutation/vitest.config.ts',
      '--root=.',
      ...args,
    ],
    {
      env: {
        ...process.env,
        MUTATE_GROUP: group,
        MUTATE_ONLY: only,
        MUTATE_JOURNAL: journal,
        TMPDIR: temporary,
        ...environment,
      },
      stdio: 'ignore',
    },
  );
  // Counted by its own beats: a machine that slept, or was held up, has not been silent.
  let silent = 0;
  let heard: number | undefined;
  const watch = setInterval(() => {
    const newest = statSync(journal, { throwIfNoEntry: false })?.mtimeMs;
    silent = newest === heard ? silent + 1 : 0;
    heard = newest;
    if (silent > MAX_SILENT_SECONDS) child.kill('SIGKILL');
  }, 1_000);
  const signal = await new Promise((done) => child.once('exit', (_code, by) => done(by)));
  clearInterval(watch);
  return signal === null;
}

/** The test files that come by the file of a mutant, most of its mutants first; all of them when none does. */
function testFilesNear(entries: Entry[], id: number): string[] {
  const file = mutants[id]?.file;
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'covers') continue;
    const near = entry.ids.filter((other) => mutants[other]?.file === file).length;
    if (near > 0) counts.set(entry.file, (counts.get(entry.file) ?? 0) + near);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

function report(entries: Entry[]): void {
  const killed = new Set(entries.flatMap((entry) => (entry.kind === 'killed' ? [entry.id] : [])));
  const timedOut = new Set(entries.flatMap((entry) => (entry.kind === 'timed-out' ? [entry.id] : [])));
  const reached = new Set(
    entries.flatMap((entry) => (entry.kind === 'covers' || entry.kind === 'at-import' ? entry.ids : [])),
  );
  const table: Record<string, Record<string, number>> = {};
  const survivors: string[] = [];
  mutants.forEach((mutant: Mutant, id) => {
    if (!isDrawn(id)) return;
    const fate = killed.has(id)
      ? 'killed'
      : timedOut.has(id)
        ? 'timed out'
        : reached.has(id)
          ? 'survived'
          : 'not reached';
    const row = table[mutant.file] ?? { killed: 0, 'timed out': 0, survived: 0, 'not reached': 0 };
    table[mutant.file] = row;
    row[fate] = (row[fate] ?? 0) + 1;
    if (fate === 'survived' || fate === 'not reached') {
      survivors.push(`${mutant.file}:${mutant.line} ${fate}: ${mutant.label}`);
    }
  });
  for (const entry of entries)
    if (entry.kind === 'unsound') console.log(`Fails by itself: ${entry.test}: ${entry.error}`);
  console.table(table);
  console.log(survivors.join('\n'));
  const tried = [...mutants.keys()].filter(isDrawn).length;
  const score = ((tried - survivors.length) / tried) * 100;
  console.log(`${tried} mutants, ${survivors.length} live: ${score.toFixed(1)} % dead`);
  writeFileSync(journal.replace(/jsonl$/, 'txt'), survivors.join('\n'));
}
