import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';

interface BuildInfo {
  version: string;
  sqlite: string;
}

/** Put into the bundle by deploy/release/bundle.mjs, so that the executable can tell without a file or an addon. */
declare const ERRAND_BUILD: BuildInfo;

const build = typeof ERRAND_BUILD === 'undefined' ? undefined : ERRAND_BUILD;

/** Errand's own version, as in package.json. */
export const version: string = build?.version ?? readPackageVersion();

/** What `--version` prints. In the executable it writes nothing and loads no addon. */
export function versionLine(): string {
  return `errand ${version} (Node.js ${process.versions.node}, SQLite ${build?.sqlite ?? askSqlite()})`;
}

function readPackageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as BuildInfo).version;
}

function askSqlite(): string {
  const database = new Database(':memory:');
  try {
    return String(database.prepare('select sqlite_version()').pluck().get());
  } finally {
    database.close();
  }
}
