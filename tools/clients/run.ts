/**
 * Generates clients from the OpenAPI document of the real server, type-checks a first session written against each
 * (with what must not compile, too), and runs it. The generators are installed in a folder of their own.
 * Usage: node tools/clients/run.ts [--folder DIR] [--only hey-api]     a DIR that is kept saves the installation
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { createMailbox, mailThat, startServer } from '../faults/server.ts';

const PACKAGES = {
  '@hey-api/openapi-ts': '0.95.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '7.13.2',
  typescript: '5.9.3',
  '@types/node': '26.6.6',
};

/** The strictest that a project would have; the code that a generator wrote need not be as strict about unused things. */
const COMPILER_OPTIONS = {
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
};

const DOCUMENT = 'openapi.json';

/** The arguments that each generator takes; `BASE` stands for the address of the API. */
const GENERATORS: Record<string, string[]> = {
  'openapi-typescript': ['openapi-typescript', DOCUMENT, '-o', 'openapi-typescript/schema.ts'],
  'hey-api': ['openapi-ts', '-i', DOCUMENT, '-o', 'hey-api/client', '-c', '@hey-api/client-fetch'],
  orval: ['orval', '--config', 'orval.config.cjs'],
};

/** What a client exports the shapes of rules from. */
const TYPES: Record<string, string> = {
  'openapi-typescript': ['Interval', 'EndCondition', 'RecurringTask']
    .map((name) => `export type ${name} = import('./schema.ts').components['schemas']['${name}'];`)
    .join('\n'),
  'hey-api': `export type * from './client';`,
  orval: `export type * from './client.schemas';`,
};

const { values } = parseArgs({ options: { folder: { type: 'string' }, only: { type: 'string' } } });
const folder = values.folder
  ? resolve(values.folder)
  : mkdtempSync(join(tmpdir(), 'errand-generated-clients-'));
const data = mkdtempSync(join(tmpdir(), 'errand-clients-'));
const mailbox = createMailbox();
const server = startServer(data, mailbox);
const failures: string[] = [];
try {
  const base = await server.listening;
  install();
  const response = await fetch(`${base}/openapi.json`);
  writeFileSync(join(folder, DOCUMENT), await response.text());
  const names = Object.keys(GENERATORS).filter((name) => values.only === undefined || name === values.only);
  if (names.length === 0) failures.push(`--only takes ${Object.keys(GENERATORS).join(', ')}`);
  for (const name of names) await tryClient(name, base);
} finally {
  server.child.kill('SIGTERM');
  await server.ended;
  rmSync(data, { recursive: true });
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}
for (const failure of failures) console.error(`FAIL ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

function install(): void {
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, type: 'module', dependencies: PACKAGES };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  must('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Each client has its own account, whose token comes by mail. */
async function tryClient(name: string, base: string): Promise<void> {
  rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(join(folder, name));
  cpSync(join(import.meta.dirname, 'flows', `${name}.ts`), join(folder, name, 'flow.ts'));
  cpSync(join(import.meta.dirname, 'flows/rules.ts'), join(folder, name, 'rules.ts'));
  writeFileSync(join(folder, name, 'types.ts'), TYPES[name] ?? '');
  writeFileSync(
    join(folder, 'orval.config.cjs'),
    `module.exports = ${JSON.stringify({
      errand: {
        input: DOCUMENT,
        output: {
          target: 'orval/client.ts',
          client: 'fetch',
          mode: 'split',
          baseUrl: base,
          // It looks for `explode: false` in the schema, where OpenAPI has none, and not in the parameter.
          override: { fetch: { explode: false } },
        },
      },
    })}`,
  );
  const [command = '', ...parameters] = GENERATORS[name] ?? [];
  const said = must('npx', ['--no-install', command, ...parameters]);
  if (/SyntaxError|validation failed/i.test(said))
    failures.push(`${name} complains of the document\n${said}`);
  writeFileSync(
    join(folder, name, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['.'] }),
  );
  const checked = spawnSync('npx', ['--no-install', 'tsc', '-p', name], { cwd: folder, encoding: 'utf8' });
  if (checked.status !== 0) {
    failures.push(`${name} does not compile\n${checked.stdout}`);
    return;
  }
  await build({
    entryPoints: [join(folder, name, 'flow.ts')],
    outfile: join(folder, name, 'flow.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const email = `${name}@example.com`;
  const { flow } = await import(join(folder, name, 'flow.mjs'));
  const tokenFor = async (to: string): Promise<string> =>
    /^Token: (.*)$/m.exec((await mailThat(mailbox, (mail) => mail.to === to)).text)?.[1] ?? '';
  try {
    await flow(base, email, () => tokenFor(email));
    console.log(
      `ok   ${name} ${PACKAGES[command as keyof typeof PACKAGES] ?? PACKAGES['@hey-api/openapi-ts']}`,
    );
  } catch (error) {
    failures.push(`${name} fails at work: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

/** Returns what the command says; throws when it fails. */
function must(command: string, parameters: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')} failed\n${stdout}${stderr}`);
  return stdout + stderr;
}
