import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { BuildDescription, type ClientBuild, DESCRIPTION, isIntact } from './client-build.ts';

const FOLDER = 'web-builds';
const IS_BUILD = /^[0-9a-f]{16}$/;

interface KeptFile {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The build that ran on this data before the present one, for tabs that are still open. */
export interface KeptBuild {
  /** A hashed file of that build; undefined where there is none, or it is no longer what was kept. */
  find(path: string): KeptFile | undefined;
}

/**
 * Keeps `build` in the data folder for later servers, and beside it the one that ran last before it; older ones are
 * removed. `now` is noted as the time at which `build` ran.
 */
export function keepBuild(dataFolder: string, build: ClientBuild, now: number): KeptBuild {
  const folder = join(dataFolder, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = join(folder, build.id);
  if (describe(own)?.id !== build.id) writeBuild(own, build);
  utimesSync(own, now / 1000, now / 1000);
  const ranAt = (name: string) => statSync(join(folder, name)).mtimeMs;
  const others = readdirSync(folder).filter((name) => name !== build.id);
  const [previous] = others.filter((name) => IS_BUILD.test(name)).sort((a, b) => ranAt(b) - ranAt(a));
  for (const name of others) {
    if (name !== previous) rmSync(join(folder, name), { recursive: true, force: true });
  }
  if (previous === undefined) return { find: () => undefined };
  const description = describe(join(folder, previous));
  return {
    find: (path) => {
      const file = description?.files[path];
      if (!file || !path.startsWith('assets/')) return undefined;
      const bytes = readFile(join(folder, previous, path));
      return bytes && isIntact(bytes, file.sha256) ? { type: file.type, bytes } : undefined;
    },
  };
}

/** In another folder first, so that an interrupted start leaves no half of a build. */
function writeBuild(folder: string, build: ClientBuild): void {
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  for (const path of Object.keys(build.files)) {
    const file = join(part, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, build.read(path));
  }
  const { id, document, files } = build;
  writeFileSync(join(part, DESCRIPTION), JSON.stringify({ id, document, files }));
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
}

function describe(folder: string): BuildDescription | undefined {
  try {
    return BuildDescription.parse(JSON.parse(readFileSync(join(folder, DESCRIPTION), 'utf8')));
  } catch {
    return undefined;
  }
}

function readFile(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(readFileSync(path));
  } catch {
    return undefined;
  }
}
