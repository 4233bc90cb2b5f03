import { SECOND } from './instants.ts';

/** Every error the service gives; the error guard turns each kind into its status. */
export const ERROR_KINDS = [
  'ValidationError',
  'BadRequestError',
  'UnauthorizedError',
  'ForbiddenError',
  'NotFoundError',
  'MethodNotAllowedError',
  'PreconditionFailedError',
  'PayloadTooLargeError',
  'UnsupportedMediaTypeError',
  'TooManyRequestsError',
  'InternalServerError',
  'ServiceUnavailableError',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

export interface Issue {
  /** Name of the field, dotted for nested ones: `interval.timezone`. */
  path: string;
  message: string;
  /** The field is not there; said in the message of the error, not in the issue. */
  isMissing?: boolean;
}

/** A fault of the surroundings: settings, files, the command line. Its message tells the operator what to do. */
export class OperatorError extends Error {
  /** That of the command which fails by it. */
  readonly exitCode: number = 1;
}

/** The code of an error of Node or SQLite: ENOSPC, SQLITE_FULL; empty for one that has none. */
export const errnoOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly issues: Issue[] | undefined;
  readonly headers: Record<string, string>;
  /** Set where it concerns security: what the log calls it. */
  readonly event: string | undefined;

  constructor(
    kind: ErrorKind,
    message: string,
    more: { issues?: Issue[]; headers?: Record<string, string>; event?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = kind;
    this.kind = kind;
    this.issues = more.issues;
    this.headers = more.headers ?? {};
    this.event = more.event;
  }
}

/**
 * Rejects input; one issue per broken rule, all of them at once, and none twice. The message has what each says, with the
 * field where that is not said.
 */
export const invalid = (...issues: Issue[]) => {
  const different = new Map(issues.map(({ path, message }) => [`${path}\n${message}`, { path, message }]));
  const message = [...new Set(issues.map(summary))].join('; ');
  return new AppError('ValidationError', message, { issues: [...different.values()] });
};

function summary({ path, message, isMissing = false }: Issue): string {
  if (isMissing && !message.endsWith('is required')) return `${path} is missing: ${message}`;
  return path === '' || namesField(message, path) ? message : `${path}: ${message}`;
}

/** Whether a message starts with its field (`Time of day`, `Email` of `newEmail`) or names it (`an interval has no month`). */
function namesField(message: string, path: string): boolean {
  const said = lettersOf(message);
  const field = path.slice(path.lastIndexOf('.') + 1);
  const [noun = ''] = /[A-Z]?[^A-Z]*$/.exec(field) ?? [];
  return !/\d/.test(path) && (said.includes(lettersOf(field)) || said.startsWith(lettersOf(noun)));
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');

/** Rejects input that has any issue. */
export function throwIfIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(...issues);
}

/** Rejects an action that the state of the thing forbids. */
export const badRequest = (message: string) => new AppError('BadRequestError', message);

export const unauthorized = (message: string) => new AppError('UnauthorizedError', message);

export const signInFailed = (message: string) =>
  new AppError('UnauthorizedError', message, { event: 'sign-in-failed' });

/** On routes that take an access token (RFC 6750, section 3). */
export const unauthorizedBearer = (message: string) =>
  new AppError('UnauthorizedError', message, { headers: { 'WWW-Authenticate': 'Bearer' } });

export const forbidden = (message: string) => new AppError('ForbiddenError', message, { event: 'forbidden' });

/** Names the kind of thing, never its id: `notFound('task')`. */
export const notFound = (thing: string) => new AppError('NotFoundError', `No such ${thing}`);

/** What was looked for; 404 where it was not found. */
export function orNotFound<Thing>(found: Thing | undefined, thing: string): Thing {
  if (found === undefined) throw notFound(thing);
  return found;
}

/** `cause`: an error, which the log shows with its stack, or a reason in words. */
export const unavailable = (message: string, cause?: unknown) =>
  new AppError('ServiceUnavailableError', message, { cause });

/** Rejects for now; the client is told to wait so many milliseconds, in whole seconds and at least one. */
export const tooManyRequests = (waitMs: number, event = 'limited') =>
  new AppError('TooManyRequestsError', 'Too many requests, try again later', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / SECOND))) },
    event,
  });
