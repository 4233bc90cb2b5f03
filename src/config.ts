import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';

/** A configuration that cannot be used; the message names the setting or the file, never a value. */
export class ConfigError extends Error {}

const integer = (fallback: number, min: number, max: number) =>
  z
    .int({ error: `must be a whole number from ${min} to ${max}` })
    .min(min)
    .max(max)
    .default(fallback);
const flag = (fallback: boolean) => z.boolean({ error: 'must be true or false' }).default(fallback);
const text = (fallback: string) => z.string({ error: 'must be a text' }).default(fallback);
const secret = () => text('').meta({ secret: true });
const texts = () => z.array(z.string(), { error: 'must be a list of texts' }).default([]);
const choice = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  fallback: Values[number],
) => z.enum(values, { error: `must be one of ${values.join(', ')}` }).default(fallback as never);
const bucket = (fallback: number) => integer(fallback, 1, 1_000_000_000);
const webAddress = (fallback: string) =>
  text(fallback).refine(
    (value) => value === '' || /^https?:\/\/[^\s/]+/.test(value),
    'must begin with http:// or https://',
  );
const linkTemplate = () =>
  webAddress('').refine((value) => value === '' || value.includes('{token}'), 'must contain {token}');

/** Every setting with its default; `config.example.toml` explains each. */
export const Settings = z.strictObject({
  server: z.strictObject({
    host: text('127.0.0.1').refine((value) => value !== '', 'must not be empty'),
    port: integer(8080, 0, 65_535),
    base_path: text('/api').refine(
      (value) => /^(\/[A-Za-z0-9._~-]+)*\/?$/.test(value) && value !== '',
      'must be a path such as /api',
    ),
    public_url: webAddress(''),
    trusted_proxies: texts(),
    cors_origins: texts(),
    max_body_bytes: integer(1024 * 1024, 16 * 1024, 64 * 1024 * 1024),
    drain_seconds: integer(10, 0, 600),
  }),
  database: z.strictObject({
    path: text('data/errand.db').refine((value) => value !== '', 'must not be empty'),
    snapshot_before_migrate: flag(true),
    external_replication: flag(false),
  }),
  auth: z.strictObject({
    signup: choice(['open', 'closed'], 'open'),
    access_token_minutes: integer(15, 1, 24 * 60),
    refresh_token_days: integer(30, 1, 3650),
    session_max_days: integer(0, 0, 3650),
    google_client_ids: texts(),
    google_certs_url: webAddress('https://www.googleapis.com/oauth2/v1/certs'),
    telegram_bot_token: secret(),
    telegram_bot_name: text(''),
  }),
  mail: z.strictObject({
    transport: choice(['console', 'smtp'], 'console'),
    from: text('Errand <errand@localhost>').refine(
      (value) => !/[\r\n]/.test(value) && value.includes('@'),
      'must be an e-mail address, with or without a name',
    ),
    smtp_host: text(''),
    smtp_port: integer(587, 1, 65_535),
    smtp_user: text(''),
    smtp_password: secret(),
    smtp_tls: choice(['starttls', 'implicit', 'none'], 'starttls'),
    link_confirm_signup: linkTemplate(),
    link_reset_password: linkTemplate(),
    link_confirm_email: linkTemplate(),
    link_accept_invitation: linkTemplate(),
    link_keep_email: linkTemplate(),
  }),
  pagination: z.strictObject({
    default_limit: integer(50, 1, 10_000),
    max_limit: integer(100, 1, 10_000),
  }),
  rate_limits: z.strictObject({
    enabled: flag(true),
    auth_burst: bucket(200),
    auth_per_minute: bucket(60),
    refresh_burst: bucket(200),
    refresh_per_minute: bucket(60),
    mail_burst: bucket(10),
    mail_per_minute: bucket(1),
    mail_per_day: bucket(50),
    sender_mails_per_day: bucket(30),
    failures_burst: bucket(10),
    failures_per_minute: bucket(1),
    account_failures_burst: bucket(100),
    account_failures_per_minute: bucket(1),
    user_burst: bucket(1_200),
    user_per_minute: bucket(1_200),
    search_burst: bucket(600),
    search_per_minute: bucket(600),
    export_burst: bucket(5),
    export_per_hour: bucket(3),
  }),
  recurrence: z.strictObject({ sweep: flag(true) }),
  backup: z.strictObject({
    schedule: text('0 3 * * *'),
    directory: text(''),
    keep: integer(7, 1, 10_000),
  }),
  metrics: z.strictObject({ enabled: flag(false), token: secret() }),
  log: z.strictObject({
    level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    format: choice(['json', 'pretty'], process.stderr.isTTY ? 'pretty' : 'json'),
  }),
});

type Sections = z.output<typeof Settings>;
type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;
export type Config = DeepReadonly<Sections>;

export interface Loaded {
  config: Config;
  /** The file that was read, if any. */
  file: string | undefined;
  /** Things an admin should know that are no reason to stop. */
  warnings: string[];
}

type Environment = Record<string, string | undefined>;

/**
 * Reads the configuration file (`asked`, else `ERRAND_CONFIG`, else `config.toml` in the working directory, which
 * may be missing) and the environment over it. A ConfigError for whatever is unknown in the file or invalid.
 */
export function loadConfig(
  asked: string | undefined,
  environment: Environment,
  workingDirectory: string,
): Loaded {
  const named = asked ?? environment.ERRAND_CONFIG;
  const file = resolve(workingDirectory, named ?? 'config.toml');
  const present = existsSync(file);
  if (named !== undefined && !present) throw new ConfigError(`There is no configuration file at ${file}`);
  const fromFile = present ? parseToml(file) : {};
  const { values, warnings } = withEnvironment(fromFile, environment, workingDirectory);
  const folder = present ? dirname(file) : workingDirectory;
  return { config: createConfig(values, folder), file: present ? file : undefined, warnings };
}

/** Validates settings and fills in the defaults; paths resolve against `folder`. A ConfigError names each fault. */
export function createConfig(values: unknown = {}, folder = '.'): Config {
  const sections = typeof values === 'object' && values !== null ? values : {};
  const everySection = Object.fromEntries(Object.keys(Settings.shape).map((name) => [name, {}]));
  const parsed = Settings.safeParse({ ...everySection, ...sections });
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map(faultOf).join('\n'));
  }
  return deepFreeze(withDerived(parsed.data, folder));
}

/** The settings as an admin may see them: secrets masked. */
export function maskedConfig(config: Config): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    everySetting().map(([section]) => [
      section,
      Object.fromEntries(
        everySetting()
          .filter(([of]) => of === section)
          .map(([, key, schema]) => {
            const value = (config[section as keyof Config] as Record<string, unknown>)[key];
            return [key, isSecret(schema) && value !== '' ? '********' : value];
          }),
      ),
    ]),
  );
}

/** Every setting as [section, key, schema]. */
export const everySetting = (): [string, string, z.ZodType][] =>
  Object.entries(Settings.shape).flatMap(([section, { shape }]) =>
    Object.entries(shape).map(([key, schema]): [string, string, z.ZodType] => [section, key, schema]),
  );

export const isSecret = (schema: z.ZodType): boolean => schema.meta()?.secret === true;

function parseToml(file: string): Record<string, unknown> {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new ConfigError(`${file}: ${cause instanceof Error ? cause.message : 'cannot be read'}`);
  }
}

function withEnvironment(
  fromFile: Record<string, unknown>,
  environment: Environment,
  workingDirectory: string,
) {
  const values = structuredClone(fromFile);
  const known = new Set(['ERRAND_CONFIG']);
  for (const [section, key, schema] of everySetting()) {
    const variable = `ERRAND_${section}_${key}`.toUpperCase();
    known.add(variable);
    let given = environment[variable];
    if (isSecret(schema)) {
      known.add(`${variable}_FILE`);
      const file = environment[`${variable}_FILE`];
      if (file !== undefined) given = readSecret(resolve(workingDirectory, file), `${variable}_FILE`);
    }
    if (given === undefined) continue;
    const before = values[section];
    values[section] = { ...(typeof before === 'object' ? before : {}), [key]: typed(given, schema) };
  }
  const warnings = Object.keys(environment)
    .filter((name) => name.startsWith('ERRAND_') && !known.has(name))
    .map((name) => `The environment variable ${name} is not a setting of Errand and is ignored`);
  return { values, warnings };
}

function readSecret(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    throw new ConfigError(`${variable}: ${file} cannot be read`);
  }
}

/** Text from the environment as the kind of value the setting takes; what does not fit is left for the schema to refuse. */
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
  const { server, database, backup, mail, pagination } = sections;
  if (mail.transport === 'smtp' && mail.smtp_host === '') {
    throw new ConfigError('mail.smtp_host: is needed when mail.transport is smtp');
  }
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

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[...issue.path, key].join('.')}: there is no such setting`).join('\n');
  }
  return `${issue.path.join('.')}: ${issue.message}`;
}

function deepFreeze<T extends object>(value: T): DeepReadonly<T> {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value) as DeepReadonly<T>;
}
