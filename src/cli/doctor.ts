import { existsSync } from 'node:fs';
import { type Config, loadConfig } from '../config.ts';
import { openStorage, type Storage } from '../db/open.ts';
import { systemClock } from '../kernel/clock.ts';
import { OperatorError } from '../kernel/errors.ts';
import {
  databaseExaminations,
  examineBackups,
  examineDisk,
  examineImports,
  examineKeys,
  examineModes,
  examineQuotas,
  examineSchema,
  examineTrash,
} from './examine-data.ts';
import {
  examineClock,
  examineMail,
  examineProxy,
  examineServer,
  examineSignup,
  examineZones,
} from './examine-surroundings.ts';
import { failureOf, reasonOf } from './failures.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { type CommonOptions, enterData } from './open-data.ts';
import { printable, printJson } from './output.ts';
import { progressBar } from './progress.ts';
import type { Shell } from './shell.ts';

type Examination = [subject: string, examine: () => Finding | Finding[] | Promise<Finding | Finding[]>];
type Found = Finding & { subject: string };

/** Examines everything that Errand rests on, changing nothing, beside a running server or none; fails when anything does. */
export async function examine(shell: Shell, options: CommonOptions): Promise<void> {
  const found = await examineAll(shell, options);
  const failed = found.filter(({ status }) => status === 'fail').length;
  if (options.json) printJson(shell, { isWell: failed === 0, findings: found });
  else for (const finding of found) print(shell, finding);
  if (failed > 0) throw new OperatorError(`${failed} of ${found.length} checks failed`);
}

async function examineAll(shell: Shell, options: CommonOptions): Promise<Found[]> {
  const { config, found } = examineSettings(shell, options);
  if (!config) return found;
  enterData(shell, config);
  // Looked at before the database is opened, which makes its files private.
  found.push(...(await findings('permissions', () => examineModes(config))));
  const { storage, failure } = opened(config);
  const examinations = [...surroundings(config), ...(storage ? insides(config, storage) : [])];
  const progress = progressBar(shell, 'Examining');
  try {
    for (const [i, [subject, check]] of examinations.entries()) {
      found.push(...(await findings(subject, check)));
      progress(i + 1, examinations.length);
    }
  } finally {
    storage?.close();
  }
  return failure ? [...found, failure] : found;
}

function examineSettings(shell: Shell, options: CommonOptions): { config?: Config; found: Found[] } {
  const subject = 'settings';
  try {
    const { config, file, warnings } = loadConfig(options.config, shell.environment, shell.workingDirectory);
    const odd = warnings.map((warning) => warn(warning, 'Fix the setting, or remove the variable'));
    const findings = [ok(`Valid; read from ${file ?? 'the environment alone'}`), ...odd];
    return { config, found: findings.map((finding) => ({ subject, ...finding })) };
  } catch (error) {
    const advice = 'Fix it; config.example.toml explains every setting';
    const lines = failureOf(error).message.split('\n');
    return { found: lines.map((line) => ({ subject, ...fail(line, advice) })) };
  }
}

const surroundings = (config: Config): Examination[] => [
  ['proxy', () => examineProxy(config)],
  ['server', () => examineServer(config)],
  ['sign-up', () => examineSignup(config)],
  ['clock', () => examineClock(config, systemClock.now())],
  ['time zones', () => examineZones(systemClock.now())],
  ['mail', () => examineMail(config)],
  ['keys', () => examineKeys(config)],
  ['disk', () => examineDisk(config)],
];

const insides = (config: Config, storage: Storage): Examination[] => [
  ['schema', () => examineSchema(storage)],
  ...databaseExaminations.map(({ subject, examine }): Examination => [subject, () => examine(storage)]),
  ['quotas', () => examineQuotas(config, storage)],
  ['trash', () => examineTrash(storage)],
  ['imports', () => examineImports(storage, systemClock.now())],
  ['backups', () => examineBackups(config, storage, systemClock.now())],
];

function opened({ database }: Config): { storage?: Storage; failure?: Found } {
  try {
    return { storage: openStorage({ ...database, create: false }) };
  } catch (error) {
    const message = reasonOf(error);
    const advice = existsSync(database.path)
      ? 'Fix that, or put a backup in place: errand restore FILE --yes'
      : 'Start the server, which makes one, or set database.path';
    return { failure: { subject: 'database', ...fail(message, advice) } };
  }
}

/** An examination that breaks off has found something, too. */
async function findings(subject: string, check: Examination[1]): Promise<Found[]> {
  try {
    return [await check()].flat().map((finding) => ({ subject, ...finding }));
  } catch (error) {
    const message = `Cannot be checked: ${reasonOf(error)}`;
    return [
      { subject, ...fail(message, 'Fix that and what else is named here, and run `errand doctor` again') },
    ];
  }
}

function print(shell: Shell, finding: Found): void {
  const { subject, status, message } = finding;
  shell.print(`${status.padEnd(4)}  ${subject.padEnd(11)}  ${printable(message)}\n`);
  if (finding.status !== 'ok') shell.print(`${' '.repeat(19)}→ ${printable(finding.advice)}\n`);
}
