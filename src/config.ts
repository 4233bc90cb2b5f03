import { isUtf8 } from 'node:buffer';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { closestTo } from './kernel/closest.ts';
import { OperatorError } from './kernel/errors.ts';
import { senderIn } from './kernel/sender.ts';
import { everySetting, isSecret, type Sections, Settings } from './settings.ts';

/** A configuration that cannot be used; the message names the setting or the file, never a value. */
export class ConfigError extends OperatorError {}

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;
export type Config = DeepReadonly<Sections>;

type Environment = Record<string, string | undefined>;
type Table = Record<string, unknown>;
/** Where a setting comes from, in words; undefined for a default. */
type Origins = (setting: string) => string | undefined;

/**
 * Reads the configuration file (`asked`, else `ERRAND_CONFIG`, else `config.toml` in the working directory, which
 * may be missing) and the environment over it. A ConfigError for whatever is unknown in the file or invalid; what an
 * admin should know that is no reason to stop comes as `warnings`.
 */
export function loadConfig(asked: string | undefined, environment: Environment, workingDirectory: string) {
  const named = asked ?? (environment.ERRAND_CONFIG || undefined);
  const path = resolve(workingDirectory, named ?? 'config.toml');
  const file = isThere(path) ? path : undefined;
  if (named !== undefined && !file) throw new ConfigError(`There is no configuration file at ${path}`);
  const folder = file ? dirname(file) : workingDirectory;
  const { values, lines } = file ? parseToml(file) : { values: {}, lines: new Map<string, number>() };
  const ofFile: Origins = (setting) => {
    const line = lines.get(setting);
    return file && (line === undefined ? file : `${file}, line ${line}`);
  };
  // Also what the environment hides: it would be in effect once the variable is gone.
  const faultsOfFile = faultsWithin(values).map((fault) => lineOf(fault, ofFile));
  const { variables, warnings } = overlay(values, environment, folder);
  const origins: Origins = (setting) => {
    const variable = variables.get(setting);
    return variable === undefined ? ofFile(setting) : `set by ${variable}`;
  };
  const config = createConfig(values, folder, origins, faultsOfFile);
  return { config, file, warnings: [...warnings, ...doubtsAbout(config)] };
}

/**
 * Validates settings and fills in the defaults; paths resolve against `folder`. A ConfigError has a line for each
 * fault, which ends with where the setting is, if `origins` tells, after those that are `known` already.
 */
export function createConfig(
  values: Table = {},
  folder = '.',
  origins: Origins = () => undefined,
  known: string[] = [],
): Config {
  const parsed = parseSections(values);
  const faults = parsed.success ? faultsBetween(parsed.data) : parsed.error.issues.flatMap(faultsOf);
  const lines = new Set([...known, ...faults.map((fault) => lineOf(fault, origins))]);
  if (!parsed.success || lines.size > 0) throw new ConfigError([...lines].join('\n'));
  return deepFreeze(withDerived(parsed.data, folder));
}

function parseSections(values: Table) {
  const everySection = Object.fromEntries(Object.keys(Settings.shape).map((name) => [name, {}]));
  // Compiled, which pays where a shape is parsed often, it would take 6 ms of the start.
  return Settings.safeParse({ ...everySection, ...values }, { jitless: true });
}

/** What is wrong with settings, each by itself. */
const faultsWithin = (values: Table): string[] => parseSections(values).error?.issues.flatMap(faultsOf) ?? [];

/** What an admin should look at although it is valid. */
const doubtsAbout = ({ mail }: Config): string[] =>
  mail.transport === 'smtp' && senderIn(mail.from)?.address.endsWith('@localhost')
    ? [`mail.from is ${mail.from}, which no other mail server accepts: set it to an address of your domain`]
    : [];

/** The settings as an admin may see and write them: secrets masked. */
export function maskedConfig(config: Config): Record<string, Table> {
  const masked: Record<string, Table> = {};
  for (const [section, key, schema] of everySetting()) {
    const value = (config[section] as Table)[key];
    masked[section] = { ...masked[section], [key]: isSecret(schema) && value !== '' ? '********' : value };
  }
  const { server } = masked;
  return { ...masked, server: { ...server, base_path: server?.base_path || '/' } };
}

/** Also what leads nowhere or may not be looked at, so that it is told of. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function parseToml(file: string): { values: Table; lines: ReadonlyMap<string, number> } {
  try {
    const content = readFileSync(file);
    if (!isUtf8(content)) throw new ConfigError(`${file} is not text in UTF-8`);
    const text = content.toString();
    return { values: parse(text), lines: linesOf(text) };
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    if (!(cause instanceof TomlError)) throw new ConfigError(`${file} cannot be read`, { cause });
    // Only the first line of its message: the rest shows lines of the file, which may hold secrets.
    const [reason] = cause.message.split('\n');
    throw new ConfigError(`${file}, line ${cause.line}, column ${cause.column}: ${reason}`);
  }
}

/** On which line each section and setting begins, as far as it is written the usual way: `[section]`, `key = …`. */
function linesOf(toml: string): Map<string, number> {
  const lines = new Map<string, number>();
  let section = '';
  for (const [i, line] of toml.split('\n').entries()) {
    const [, header] = /^\s*\[+\s*([\w-]+)\s*\]/.exec(line) ?? [];
    const [, key] = /^\s*([\w-]+)\s*[.=]/.exec(line) ?? [];
    if (header !== undefined) section = header;
    const name = header ?? (section === '' ? key : key && `${section}.${key}`);
    if (name !== undefined && !lines.has(name)) lines.set(name, i + 1);
  }
  return lines;
}

/** Puts what the environment sets over `values`; tells which settings that were, by which variable. */
function overlay(values: Table, environment: Environment, folder: string) {
  const known = new Set(['ERRAND_CONFIG']);
  const variables = new Map<string, string>();
  for (const [section, key, schema] of everySetting()) {
    const variable = `ERRAND_${section}_${key}`.toUpperCase();
    const fileVariable = `${variable}_FILE`;
    known.add(variable);
    if (isSecret(schema)) known.add(fileVariable);
    const plain = environment[variable];
    // Empty, as compose files leave it, is unset.
    const file = isSecret(schema) ? environment[fileVariable] || undefined : undefined;
    if (plain === undefined && file === undefined) continue;
    if (plain !== undefined && file !== undefined) {
      throw new ConfigError(`${section}.${key}: is set by both ${variable} and ${fileVariable}`);
    }
    const table = values[section] ?? {};
    if (!isTable(table)) continue;
    const given = plain ?? readSecret(resolve(folder, file ?? ''), `${section}.${key}`, fileVariable);
    values[section] = { ...table, [key]: typed(given, schema) };
    variables.set(`${section}.${key}`, file === undefined ? variable : fileVariable);
  }
  const warnings = Object.keys(environment)
    .filter((name) => name.startsWith('ERRAND_') && !known.has(name))
    .map(
      (name) =>
        `The environment variable ${name} is not a setting of Errand and is ignored${hintAt(name, [...known])}`,
    );
  return { variables, warnings };
}

/** What a secret's file holds, without the line end that editors put there. */
function readSecret(path: string, setting: string, variable: string): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new ConfigError(`${setting}: the file that ${variable} names, ${path}, cannot be read`, { cause });
  }
  if (content === '') throw new ConfigError(`${setting}: the file that ${variable} names, ${path}, is empty`);
  return content;
}

/** Text from the environment as the kind of value the setting takes; what does not fit is left for the schema to reject. */
function typed(given: string, schema: z.ZodType): unknown {
  const fallback = schema.parse(undefined);
  if (typeof fallback === 'number') return /^-?\d+$/.test(given) ? Number(given) : given;
  if (typeof fallback === 'boolean') return given === 'true' ? true : given === 'false' ? false : given;
  if (Array.isArray(fallback)) {
    return given
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }
  return given;
}

function withDerived(sections: Sections, folder: string): Sections {
  const { server, database, backup, pagination } = sections;
  const path = resolve(folder, database.path);
  return {
    ...sections,
    server: {
      ...server,
      base_path: server.base_path.replace(/\/$/, ''),
      public_url: (server.public_url || `http://localhost:${server.port}`).replace(/\/+$/, ''),
    },
    database: { ...database, path },
    backup: {
      ...backup,
      directory: backup.directory ? resolve(folder, backup.directory) : resolve(dirname(path), 'backups'),
    },
    pagination: { ...pagination, default_limit: Math.min(pagination.default_limit, pagination.max_limit) },
  };
}

/** A setting, and what is wrong with it, as `server.port: must be …`. */
function faultsOf(issue: z.core.$ZodIssue): string[] {
  const [section, key] = issue.path;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((unknown) => {
      const known = section === undefined ? Object.keys(Settings.shape) : keysOf(String(section));
      const hint = hintAt(unknown, known) || sectionHint(unknown);
      return `${[...issue.path, unknown].join('.')}: there is no such setting${hint}`;
    });
  }
  if (key === undefined) return [`${String(section)}: must be a section, [${String(section)}]`];
  return [`${String(section)}.${String(key)}: ${issue.message}`];
}

const keysOf = (section: string): string[] =>
  everySetting()
    .filter(([name]) => name === section)
    .map(([, key]) => key);

/** For a word that is close to one of those known. */
function hintAt(word: string, known: readonly string[]): string {
  const closest = closestTo(word, known);
  return closest === undefined ? '' : `; did you mean ${closest}?`;
}

/** For a key that stands in another section, or in none. */
function sectionHint(key: string): string {
  const sections = everySetting().flatMap(([section, name]) => (name === key ? [`[${section}]`] : []));
  return sections.length === 0 ? '' : `; ${key} belongs in ${sections.join(' or ')}`;
}

/** Where one setting asks for another. */
function faultsBetween({ server, mail }: Sections): string[] {
  const faults: string[] = [];
  if (mail.transport === 'smtp' && mail.smtp_host === '') {
    faults.push('mail.smtp_host: is needed when mail.transport is smtp');
  }
  if (/^\/app(\/|$)/.test(server.base_path)) {
    faults.push('server.base_path: must not be /app or below it, where the web client is');
  }
  return faults;
}

function lineOf(fault: string, origins: Origins): string {
  const origin = origins(fault.slice(0, fault.indexOf(':')));
  return origin === undefined ? fault : `${fault} (${origin})`;
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function deepFreeze<T extends object>(value: T): DeepReadonly<T> {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value) as DeepReadonly<T>;
}
