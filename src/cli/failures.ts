import { isOfFailingStorage } from '../db/storage-error.ts';
import { AppError, OperatorError } from '../kernel/errors.ts';

/** The command was called in a way that it cannot be meant. */
export class MisuseError extends OperatorError {
  override readonly exitCode = 2;
}

interface Failure {
  /** One line for each fault; a stack only for what nobody foresaw. */
  message: string;
  exitCode: number;
}

/** What went wrong, in words for the person who ran the command. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AppError && error.issues) {
    return { message: error.issues.map(({ message }) => message).join('\n'), exitCode: 2 };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    message: foreseen(error) ?? stack ?? plainReason(error),
    exitCode: error instanceof OperatorError ? error.exitCode : 1,
  };
}

/** What went wrong in one line, without a stack even where nobody foresaw it. */
export const reasonOf = (error: unknown): string => foreseen(error) ?? plainReason(error);

const plainReason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Undefined for what nobody foresaw. */
function foreseen(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof OperatorError || error instanceof AppError) {
    return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
  }
  if (!('code' in error)) return undefined;
  if (isOfFailingStorage(error)) return `The database: ${error.message} (${error.code})`;
  return listenFault(error) ?? ('syscall' in error ? error.message : undefined);
}

/** Why the server's address cannot be had, by the setting to change. */
function listenFault(
  error: Error & { code?: unknown; syscall?: unknown; port?: unknown; address?: unknown },
): string | undefined {
  const { code, syscall, port, address } = error;
  if (syscall === 'getaddrinfo') return 'server.host: there is no such host name';
  if (syscall !== 'listen') return undefined;
  if (code === 'EADDRINUSE') return `server.port: port ${port} of ${address} is taken by another program`;
  if (code === 'EACCES') {
    return `server.port: this user may not listen on port ${port}; take one above 1023, behind a reverse proxy`;
  }
  if (code === 'EADDRNOTAVAIL') return 'server.host: this machine has no such address';
  return undefined;
}
