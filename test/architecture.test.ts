import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

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
  ['routes.ts', 'tick.ts'],
  ['app.ts', 'open.ts'],
  ['server.ts'],
  ['cli'],
  ['main.ts'],
];

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

describe('SQL that writes', () => {
  /** The tables that a file writes, by what its statements name. */
  const writtenIn = (file: string): string[] => {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8');
    const patterns = [
      /(?:insertInto|updateTable|deleteFrom|deleteRows|updateRows)\(\s*'(\w+)'/g,
      /['"`](?:insert (?:or \w+ )?into|delete from|update) (\w+)/g,
    ];
    return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, table = '']) => table));
  };
  /** The tables of one file each; others are written by a group of files in `storage/`. */
  const OWNERS: Record<string, string> = {
    api_tokens: 'api-tokens',
    audit_log: 'audit-log',
    budgets: 'rate-limits',
    email_tokens: 'email-tokens',
    identities: 'identities',
    labels: 'labels',
    login_codes: 'login-codes',
    pending_signups: 'pending-signups',
    sessions: 'sessions',
    used_telegram_logins: 'identities',
    user_preferences: 'users',
  };
  const OF_STORAGE = /^(storage|db)\//;

  it('stands in storage alone', () => {
    const others = files.filter((file) => !OF_STORAGE.test(file));
    expect(others.filter((file) => writtenIn(file).length > 0)).toEqual([]);
  });

  it('has one file for each of these tables', () => {
    const wrong = files
      .filter((file) => file.startsWith('storage/'))
      .flatMap((file) =>
        writtenIn(file)
          .filter((table) => OWNERS[table] !== undefined && file !== `storage/${OWNERS[table]}.ts`)
          .map((table) => `${file} writes ${table}`),
      );
    expect(wrong).toEqual([]);
    for (const [table, owner] of Object.entries(OWNERS)) {
      expect(writtenIn(`storage/${owner}.ts`), owner).toContain(table);
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
