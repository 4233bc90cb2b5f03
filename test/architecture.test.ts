import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Tables } from '../src/storage/tables.ts';

const ROOT = new URL('..', import.meta.url).pathname;

/** Lowest first; a file may import its own folder and whatever stands before it. */
const LAYERS = [
  ['settings.ts', 'config.ts', 'build-info.ts', 'deps.ts', 'kernel'],
  ['db'],
  ['storage'],
  ['mail'],
  ['http'],
  ['audit'],
  ['users'],
  ['sessions'],
  ['notifications'],
  ['workspaces'],
  ['lists'],
  ['tasks'],
  ['recurring'],
  ['trash'],
  ['auth'],
  ['changes'],
  ['export', 'import', 'backup'],
  ['metrics'],
  ['pages'],
  ['routes.ts', 'tick.ts', 'upgrade.ts'],
  ['app.ts', 'open.ts', 'schedules.ts'],
  ['server.ts'],
  ['cli'],
  ['main.ts'],
];

/** Kept by triggers of the schema. */
const BY_TRIGGER = '';

/** Files of shapes and mappers alone, which storage may use to return what crosses the wire. */
const MAPPERS = /schema\.ts$|^recurring\/schedule\.ts$/;

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
const client = sources.filter((file) => /^web\/.*\.tsx?$/.test(file));
const files = sources.filter((file) => file.endsWith('.ts') && !file.startsWith('web/'));
const layerOf = (file: string) => LAYERS.findIndex((members) => members.includes(file.split('/')[0] ?? ''));

const importsOf = (file: string) =>
  [
    ...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(
      /^(import|export)( type)?[^;]*? from '(\.[^']+)';/gms,
    ),
  ].map(([, , type, path = '']) => ({
    isType: type !== undefined,
    target: normalize(join(file, '..', path)),
  }));

/** Whether imports lead from one file to another. */
function reaches(graph: Map<string, string[]>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const ahead = [from];
  for (const file of ahead) {
    for (const target of graph.get(file) ?? []) {
      if (target === to) return true;
      if (!seen.has(target)) ahead.push(target);
      seen.add(target);
    }
  }
  return false;
}

describe('the layers', () => {
  it('have a place for every file', () => {
    expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
  });

  it('import downwards only', () => {
    const upwards = files.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => !target.startsWith('..') && layerOf(target) > layerOf(file))
        .filter(({ isType }) => !(file === 'deps.ts' && isType))
        .filter(({ isType, target }) => !(file.startsWith('storage/') && (isType || MAPPERS.test(target))))
        .filter(({ target }) => !(file === 'db/connection.ts' && target === 'storage/tables.ts'))
        .map(({ target }) => `${file} → ${target}`),
    );
    expect(upwards).toEqual([]);
  });

  it('have no cycle of imports, types included', () => {
    const graph = new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target)]));
    // What imports nothing that is left goes, until only cycles stay, and what leads to them.
    for (let isLess = true; isLess; ) {
      isLess = false;
      for (const [file, targets] of graph) {
        if (targets.some((target) => graph.has(target))) continue;
        graph.delete(file);
        isLess = true;
      }
    }
    const cycling = [...graph.keys()].filter((file) => reaches(graph, file, file));
    expect(cycling).toEqual([]);
  });

  it("keep every feature's routes to itself", () => {
    const foreign = files.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target.endsWith('/routes.ts') && !['routes.ts', 'app.ts'].includes(file))
        .map(({ target }) => `${file} → ${target}`),
    );
    expect(foreign).toEqual([]);
  });

  it('have no file whose name says nothing', () => {
    expect(
      files.filter((file) =>
        /(^|\/)(utils?|helpers?|common|misc|constants|types|index)(\/|\.ts$)/.test(file),
      ),
    ).toEqual([]);
  });

  it('read environment and argv in main, cli and config only', () => {
    const readers = files.filter((file) =>
      /process\.(env|argv)/.test(readFileSync(join(ROOT, 'src', file), 'utf8')),
    );
    expect(readers.filter((file) => !/^(cli\/|main\.ts|config\.ts)/.test(file))).toEqual([]);
  });
});

/** The file of `storage/` that writes a table; several for the tables of tasks and of their search index. */
const OWNERS: Record<keyof Tables | 'task_search', string | readonly string[]> = {
  api_token_workspaces: 'api-tokens',
  api_tokens: 'api-tokens',
  audit_log: 'audit-log',
  budgets: 'rate-limits',
  changes: 'changes',
  checklist_items: 'checklists',
  comment_mentions: 'comments',
  comments: 'comments',
  deleted_ids: 'client-ids',
  email_tokens: 'email-tokens',
  identities: 'identities',
  imports: 'imports',
  invitations: 'invitations',
  known_addresses: 'sessions',
  labels: 'labels',
  last_task: 'imports',
  lists: 'lists',
  login_codes: 'login-codes',
  members: 'workspaces',
  meta: 'meta',
  notifications: 'notifications',
  outbox: 'outbox',
  pending_signups: 'pending-signups',
  recurring_occurrences: 'occurrences',
  recurring_series: 'series',
  refresh_tokens: 'sessions',
  removals: 'removals',
  series_checklist_items: BY_TRIGGER,
  series_counts: BY_TRIGGER,
  series_labels: BY_TRIGGER,
  series_steps: 'series-steps',
  sessions: 'sessions',
  signup_attempts: 'signup-attempts',
  spaces: 'lists',
  status_templates: 'status-templates',
  statuses: 'status-templates',
  task_counts: 'insert-task',
  task_labels: ['labels', 'many-tasks'],
  task_numbers: 'imports',
  task_search: ['searchable', 'search-index', 'rebuild-search'],
  tasks: ['insert-task', 'tasks', 'many-tasks'],
  trash: 'trash',
  trash_counts: BY_TRIGGER,
  trash_items: 'trash-rows',
  trash_mentions: 'trash-rows',
  trash_rows: 'trash-rows',
  used_telegram_logins: 'identities',
  user_preferences: 'users',
  users: 'users',
  workspaces: 'workspaces',
};

/** Files of `storage/` whose subject takes the rows of many tables along. */
const ACROSS = [
  // What an import begins and ends.
  'imports',
  // Deletions, purges and restores, by the traits of the tables.
  'table-traits',
  'removal-parts',
  // Into the trash and out of it.
  'trash-contents',
  'trash-lists',
  'unpack-lists',
];

describe('SQL', () => {
  const TABLES = Object.keys(OWNERS);
  const textOf = (file: string) => readFileSync(join(ROOT, 'src', file), 'utf8');
  const namedBy = (text: string, patterns: readonly RegExp[]) =>
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, table = '']) => table));
  /** The tables that a file writes, by what its statements name. */
  const writtenIn = (file: string): string[] =>
    namedBy(textOf(file), [
      /\b(?:insertInto|updateTable|deleteFrom|deletionOf|deletes|updateRows)\(\s*'(\w+)'/g,
      /\b(?:insertRow|insertBeside|deleteRows)\(\s*tx,\s*'(\w+)'/g,
      /\b(?:insert (?:or \w+ )?into|replace into|delete from|update) (\w+)/g,
    ]).filter((table) => TABLES.includes(table));
  const others = files.filter((file) => !/^(storage|db)\//.test(file));

  it('is composed in storage and db alone, apart from these files, which ask SQLite about itself', () => {
    const composing = others.filter((file) =>
      /\bimport \{[^}]*\b(?<!type )(query|statement|prepared)\b[^}]*\} from '[./]+db\/connection\.ts'|\bsql\b[^;]*from 'kysely'|\.prepare(?:<|\(['"`])/.test(
        textOf(file),
      ),
    );
    expect(composing.sort()).toEqual(['backup/restore.ts', 'backup/schema-check.ts', 'build-info.ts']);
  });

  it('reads and writes tables in storage alone', () => {
    const tables = TABLES.join('|');
    const patterns = [
      new RegExp(
        `\\b(?:selectFrom|innerJoin|leftJoin|insertInto|updateTable|deleteFrom)\\(\\s*'(${tables})\\b`,
        'g',
      ),
      new RegExp(`\\bselect\\b[^'"\`]*\\b(?:from|join) (${tables})\\b`, 'g'),
      new RegExp(
        `['"\`]\\s*(?:insert (?:or \\w+ )?into|replace into|delete from|update) (${tables})\\b`,
        'g',
      ),
    ];
    const outside = files
      .filter((file) => !file.startsWith('storage/'))
      .flatMap((file) => namedBy(textOf(file), patterns).map((table) => `${file} names ${table}`));
    expect(outside).toEqual([]);
  });

  it('writes each table in its own file', () => {
    const wrong = files
      .filter((file) => file.startsWith('storage/'))
      .map((file) => file.slice('storage/'.length, -'.ts'.length))
      .filter((file) => !ACROSS.includes(file))
      .flatMap((file) =>
        writtenIn(`storage/${file}.ts`)
          .filter((table) => ![OWNERS[table as keyof typeof OWNERS]].flat().includes(file))
          .map((table) => `${file} writes ${table}`),
      );
    expect(wrong).toEqual([]);
    for (const [table, owners] of Object.entries(OWNERS)) {
      if (owners === BY_TRIGGER) continue;
      for (const owner of [owners].flat()) {
        expect(textOf(`storage/${owner}.ts`), `${owner} owns ${table}`).toContain(table);
      }
    }
  });
});

describe('the browser client', () => {
  it('imports nothing but types from the server', () => {
    const values = client.flatMap((file) =>
      importsOf(file)
        .filter(({ isType, target }) => !isType && !target.startsWith('web/'))
        .map(({ target }) => `${file} → ${target}`),
    );
    expect(values).toEqual([]);
  });

  it('takes types from the schemas of the server alone', () => {
    const others = client.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => !target.startsWith('web/') && !/(^|[/-])schema\.ts$/.test(target))
        .map(({ target }) => `${file} → ${target}`),
    );
    expect(others).toEqual([]);
  });

  it('is imported by nothing of the server', () => {
    const imports = files.flatMap((file) =>
      importsOf(file).filter(({ target }) => target.startsWith('web/')),
    );
    expect(imports).toEqual([]);
  });
});

describe('the lock file', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));

  it('builds no addon: better-sqlite3 brings its own (npm run lock)', () => {
    expect(lock.packages['node_modules/better-sqlite3'].gypfile).toBe(false);
  });

  it('names no registry', () => {
    expect(JSON.stringify(lock)).not.toMatch(/"resolved":"http/);
  });
});
