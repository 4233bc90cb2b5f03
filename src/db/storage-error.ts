import { errnoOf, OperatorError, unavailable } from '../kernel/errors.ts';

/** A fault of the data folder or its files, with the way out in its message. */
export class StorageError extends OperatorError {}

/** Runs what touches the file; its failures come as a StorageError that names the file and the way out. */
export function explained<Result>(path: string, attempt: () => Result): Result {
  try {
    return attempt();
  } catch (cause) {
    throwExplained(path, cause);
  }
}

/** Throws what went wrong with the file, as `explained` does. */
export function throwExplained(path: string, cause: unknown): never {
  if (cause instanceof StorageError) throw cause;
  const code = errnoOf(cause);
  const why = FAILURES.find(([codes]) => codes.test(code))?.[1];
  if (why === undefined) throw cause;
  // The message of a system error begins with its code, and is shown beside this one.
  const named = cause instanceof Error && cause.message.startsWith(code) ? '' : ` (${code})`;
  throw new StorageError(`${path} ${why}${named}`, { cause });
}

export const WAY_OUT =
  'Nothing was changed. Restore a backup with `errand restore`, or set database.path to another file.';

const FAILURES: [RegExp, string][] = [
  [/^SQLITE_(CORRUPT|NOTADB|ERROR)/, `is damaged. ${WAY_OUT}`],
  [
    /^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS)/,
    'cannot be written: check the owner and the mode of it and of its folder, and whether the disk is read-only',
  ],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'cannot be written: there is no space left. Make some and try again'],
  [/^SQLITE_BUSY/, 'is locked by another process: stop it and try again'],
  [/^(SQLITE_IOERR|EIO)/, 'cannot be read or written: check the disk'],
  [/^(ENOTDIR|EEXIST|ELOOP|ENOENT)/, 'cannot be made there: check every folder and link on the way'],
];

const FAILING_STORAGE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM|BUSY|PROTOCOL|NOMEM|NOTADB|CORRUPT)/;

/** Whether it is SQLite saying that the disk or the file fails: no fault of what was asked of it. */
export const isOfFailingStorage = (error: unknown): boolean => FAILING_STORAGE.test(errnoOf(error));

/** 503 for a write, with the cause for the log. */
export const rejectWrite = (cause?: unknown) => unavailable('The storage cannot take writes now', cause);

/** What the caller of a failed write gets: a failing disk is no fault of the request, and comes as 503. */
export const writeError = (reason: unknown): unknown =>
  isOfFailingStorage(reason) ? rejectWrite(reason) : reason;
