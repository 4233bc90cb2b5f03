import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getRawAsset, isSea } from 'node:sea';
import { z } from 'zod';
import { ENCODINGS, type Encoding } from '../http/stored-text.ts';

export const BuildDescription = z.object({
  id: z.string(),
  /** The document, with places for paths that the configuration decides. */
  document: z.string(),
  /** By path below `/app/`. */
  files: z.record(
    z.string(),
    z.object({ type: z.string(), sha256: z.string(), encodings: z.array(z.enum(ENCODINGS)) }),
  ),
});
export type BuildDescription = z.infer<typeof BuildDescription>;

/** The files of one build of the browser client. */
export interface ClientBuild extends BuildDescription {
  /** A file as it is, or a compressed form that its description names. */
  read(path: string, encoding?: Encoding): Uint8Array<ArrayBuffer>;
}

export const DESCRIPTION = 'build.json';

/** The build inside the executable, else the one in `dist/web`; undefined where sources were not built. Reads little. */
export function openClientBuild(): ClientBuild | undefined {
  const read = isSea() ? readAsset : readBuilt;
  let text: string;
  try {
    text = new TextDecoder().decode(read(DESCRIPTION));
  } catch {
    return undefined;
  }
  return {
    ...BuildDescription.parse(JSON.parse(text)),
    read: (path, encoding) => read(formOf(path, encoding)),
  };
}

/** Whether these bytes are the file that its description means. */
export const isIntact = (bytes: Uint8Array, sha256: string): boolean => hash('sha256', bytes) === sha256;

const formOf = (path: string, encoding: Encoding | undefined) =>
  encoding === undefined ? path : `${path}.${encoding}`;

/** Named by deploy/release/executable.mjs. */
const readAsset = (name: string) => new Uint8Array(getRawAsset(`web/${name}`));

const readBuilt = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../dist/web/${name}`, import.meta.url)));
