import { isIP } from 'node:net';
import { Cron, CronPattern } from 'croner';
import { z } from 'zod';
import { senderIn } from './kernel/sender.ts';

const anyText = (_value: string): boolean => true;
const isGiven = (value: string) => value !== '';
/** SQLite would open another file than the one that is locked. */
const isTrimmed = (value: string) => value === value.trim();
const optional = (fits: (value: string) => boolean) => (value: string) => value === '' || fits(value);
const isHeaderWord = (value: string) => /^[!-~]*$/.test(value);
const isPath = (value: string) => value !== '' && /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*\/?$/.test(value);
const isWebAddress = (value: string) => /^https?:\/\/[^\s/]/.test(value) && URL.canParse(value);
const isBaseAddress = (value: string) => isWebAddress(value) && !/[?#@]/.test(value);
const isOrigin = (value: string) => isWebAddress(value) && new URL(value).origin === value;
const isLinkTemplate = (value: string) => isWebAddress(value) && value.includes('{token}');
const isSender = (value: string) =>
  /^([^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(value) && senderIn(value) !== undefined;

function isAddressRange(value: string): boolean {
  const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  const kind = isIP(address);
  return kind !== 0 && Number(bits) <= (kind === 6 ? 128 : 32);
}

/** Of minutes, and with a time to come. */
function isCron(value: string): boolean {
  try {
    const pattern = new CronPattern(value, undefined, { mode: '5-part' });
    return new Cron(pattern.pattern, { mode: '5-part' }).nextRun() !== null;
  } catch {
    return false;
  }
}

const integer = (fallback: number, min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).default(fallback);
};
const bucket = (fallback: number) => integer(fallback, 1, 1_000_000_000);
const quota = (fallback: number) => integer(fallback, 0, 1_000_000_000);
const flag = (fallback: boolean) => z.boolean({ error: 'must be true or false' }).default(fallback);
const text = (fallback: string, fits = anyText, error = 'must be a string') =>
  z.string({ error: 'must be a string' }).refine(fits, { error }).default(fallback);
const secret = (fits = anyText, error?: string) => text('', fits, error).meta({ secret: true });
const texts = (fits: typeof anyText, error: string) =>
  z.array(z.string({ error }).refine(fits, { error }), { error: 'must be a list of strings' }).default([]);
const choice = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  fallback: Values[number],
) => z.enum(values, { error: `must be one of ${values.join(', ')}` }).default(fallback as never);
const linkTemplate = () =>
  text('', optional(isLinkTemplate), 'must begin with http:// or https:// and contain {token}');

/** Every setting with its default; `config.example.toml` explains each. */
export const Settings = z.strictObject({
  server: z.strictObject({
    host: text('127.0.0.1', isGiven, 'must not be empty'),
    port: integer(8080, 0, 65_535),
    base_path: text('/api', isPath, 'must be a path such as /api'),
    public_url: text('', optional(isBaseAddress), 'must be an address such as https://tasks.example.com'),
    trusted_proxies: texts(isAddressRange, 'must hold addresses or ranges such as 10.0.0.0/8'),
    trusted_hops: integer(0, 0, 100),
    cors_origins: texts(isOrigin, 'must hold origins such as https://app.example.com'),
    max_body_bytes: integer(1024 * 1024, 16 * 1024, 64 * 1024 * 1024),
    drain_seconds: integer(10, 0, 600),
  }),
  database: z.strictObject({
    path: text(
      'data/errand.db',
      (value) => isGiven(value) && isTrimmed(value),
      'must be a path without white space around it',
    ),
    snapshot_before_migrate: flag(true),
    external_replication: flag(false),
    sync: choice(['auto', 'commit', 'beside'], 'auto'),
  }),
  auth: z.strictObject({
    signup: choice(['open', 'closed'], 'open'),
    access_token_minutes: integer(15, 1, 24 * 60),
    refresh_token_days: integer(30, 1, 3650),
    session_max_days: integer(0, 0, 3650),
    refresh_grace_seconds: integer(0, 0, 300),
    tokens_may_last: flag(false),
    google_client_ids: texts(isGiven, 'must hold client ids'),
    google_certs_url: text(
      'https://www.googleapis.com/oauth2/v1/certs',
      isWebAddress,
      'must begin with http:// or https://',
    ),
    telegram_bot_token: secret(),
    telegram_bot_name: text(''),
  }),
  mail: z.strictObject({
    transport: choice(['console', 'smtp'], 'console'),
    from: text(
      'Errand <errand@localhost>',
      isSender,
      'must be like ada@example.com or Ada <ada@example.com>',
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
    signup_mails_per_day: bucket(2_000),
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
  quotas: z.strictObject({
    tasks: quota(1_000_000),
    megabytes: quota(1_024),
    lists: quota(5_000),
    spaces: quota(500),
    status_templates: quota(200),
    series: quota(10_000),
  }),
  recurrence: z.strictObject({ sweep: flag(true) }),
  changes: z.strictObject({ keep_days: integer(30, 1, 3650) }),
  trash: z.strictObject({ keep_days: integer(30, 0, 3650) }),
  backup: z.strictObject({
    schedule: text('0 3 * * *', optional(isCron), 'must be a cron pattern such as 0 3 * * *'),
    directory: text('', isTrimmed, 'must be a path without white space around it'),
    keep: integer(7, 1, 10_000),
  }),
  web: z.strictObject({ enabled: flag(true) }),
  metrics: z.strictObject({
    enabled: flag(false),
    token: secret(isHeaderWord, 'must be ASCII without spaces'),
  }),
  log: z.strictObject({
    level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    format: choice(['json', 'pretty'], process.stderr.isTTY ? 'pretty' : 'json'),
  }),
});

export type Sections = z.output<typeof Settings>;

/** Every setting as [section, key, schema]. */
export const everySetting = (): [keyof Sections, string, z.ZodType][] =>
  Object.entries(Settings.shape).flatMap(([section, { shape }]) =>
    Object.entries(shape).map(([key, schema]): [keyof Sections, string, z.ZodType] => [
      // Object.entries forgets which keys there are.
      section as keyof Sections,
      key,
      schema,
    ]),
  );

export const isSecret = (schema: z.ZodType): boolean => schema.meta()?.secret === true;
