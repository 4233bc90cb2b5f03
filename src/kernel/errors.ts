import { SECOND } from './instants.ts';

/** Every refusal the service gives; the error door turns each kind into its status. */
export type ErrorKind =
  | 'ValidationError'
  | 'BadRequestError'
  | 'UnauthorizedError'
  | 'ForbiddenError'
  | 'NotFoundError'
  | 'MethodNotAllowedError'
  | 'PayloadTooLargeError'
  | 'UnsupportedMediaTypeError'
  | 'TooManyRequestsError'
  | 'InternalServerError'
  | 'ServiceUnavailableError';

export interface Issue {
  /** Name of the field, dotted for nested ones: `interval.timezone`. */
  path: string;
  message: string;
}

/** A fault of the surroundings: settings, files, the command line. Its message tells the operator what to do. */
export class OperatorError extends Error {}

/** The code of an error of Node or SQLite: ENOSPC, SQLITE_FULL; empty for one that has none. */
export const codeOf = (error: unknown): string =>
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

/** Refuses input; one issue per broken rule, all of them at once, and none twice. The message has what each says. */
export const invalid = (...issues: Issue[]) => {
  const different = new Map(issues.map((issue) => [`${issue.path}\n${issue.message}`, issue]));
  const message = [...new Set(issues.map((issue) => issue.message))].join('; ');
  return new AppError('ValidationError', message, { issues: [...different.values()] });
};

/** Refuses input that has any issue. */
export function demandSound(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(...issues);
}

/** Refuses an action that the state of the thing forbids. */
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
export function demand<Thing>(found: Thing | undefined, thing: string): Thing {
  if (found === undefined) throw notFound(thing);
  return found;
}

export const unavailable = (message: string, cause?: unknown) =>
  new AppError('ServiceUnavailableError', message, { cause });

/** Refuses for now; the client is told to wait so many milliseconds, in whole seconds and at least one. */
export const tooManyRequests = (waitMs: number, event = 'limited') =>
  new AppError('TooManyRequestsError', 'Too many requests, try again later', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / SECOND))) },
    event,
  });
