import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('..', import.meta.url).pathname;

/** Lowest first; a file may import its own folder and whatever stands before it. */
const FLOORS = [
  ['settings.ts', 'config.ts', 'build-info.ts', 'deps.ts', 'kernel'],
  ['db'],
  ['mail'],
  ['http'],
  ['users'],
  ['sessions'],
  ['notifications'],
  ['workspaces'],
  ['lists'],
  ['tasks'],
  ['recurring'],
  ['auth'],
  ['export', 'backup'],
  ['metrics'],
  ['pages'],
  ['routes.ts', 'tick.ts'],
  ['app.ts', 'open.ts'],
  ['server.ts'],
  ['cli'],
  ['main.ts'],
];

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const floorOf = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(file.split('/')[0] ?? ''));

const importsOf = (file: string) =>
  [
    ...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(
      /^(import|export)( type)?[^;]*? from '(\.[^']+)';/gms,
    ),
  ].map(([, , type, path = '']) => ({
    isType: type !== undefined,
    target: normalize(join(file, '..', path)),
  }));

describe('the floor plan', () => {
  it('has a floor for every file', () => {
    expect(files.filter((file) => floorOf(file) === -1)).toEqual([]);
  });

  it('is walked downwards only', () => {
    const upwards = files.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => !target.startsWith('..') && floorOf(target) > floorOf(file))
        .filter(({ isType }) => !(file === 'deps.ts' && isType))
        .map(({ target }) => `${file} → ${target}`),
    );
    expect(upwards).toEqual([]);
  });

  it("keeps every feature's routes to itself", () => {
    const trespasses = files.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target.endsWith('/routes.ts') && !['routes.ts', 'app.ts'].includes(file))
        .map(({ target }) => `${file} → ${target}`),
    );
    expect(trespasses).toEqual([]);
  });

  it('has no room whose name says nothing', () => {
    expect(
      files.filter((file) =>
        /(^|\/)(utils?|helpers?|common|misc|constants|types|index)(\/|\.ts$)/.test(file),
      ),
    ).toEqual([]);
  });

  it('reads environment and argv in main, cli and config only', () => {
    const readers = files.filter((file) =>
      /process\.(env|argv)/.test(readFileSync(join(ROOT, 'src', file), 'utf8')),
    );
    expect(readers.filter((file) => !/^(cli\/|main\.ts|config\.ts)/.test(file))).toEqual([]);
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
