import { AppError, type ErrorKind } from '../kernel/errors.ts';

const STATUS: Record<ErrorKind, number> = {
  ValidationError: 400,
  BadRequestError: 400,
  UnauthorizedError: 401,
  ForbiddenError: 403,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  PreconditionFailedError: 412,
  PayloadTooLargeError: 413,
  UnsupportedMediaTypeError: 415,
  TooManyRequestsError: 429,
  InternalServerError: 500,
  ServiceUnavailableError: 503,
};

/** The status of the response to an error. */
export const statusOfError = ({ kind }: AppError): number => STATUS[kind];

/** The response headers that scripts of other origins may read. */
export const EXPOSED = 'Content-Disposition, ETag, Location, Retry-After, X-Request-Id';

/** The headers of every response; pages replace the content policy by one of their own. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'X-Request-Id': requestId,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** The headers of every response in JSON. */
export function jsonHeaders(requestId: string): Record<string, string> {
  const headers = commonHeaders(requestId);
  headers['Content-Type'] = 'application/json; charset=utf-8';
  return headers;
}

/** A response in JSON, or without a body where there is none to give. */
export function respond(
  requestId: string,
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): Response {
  if (body !== undefined) return respondText(requestId, status, JSON.stringify(body), headers);
  const all = Object.assign(commonHeaders(requestId), headers);
  if (status !== 204) all['Content-Length'] = '0';
  return new Response(null, { status, headers: all });
}

/** A response whose JSON is written already. */
export function respondText(
  requestId: string,
  status: number,
  json: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Response {
  return new Response(json, { status, headers: Object.assign(jsonHeaders(requestId), headers) });
}

/** The response to an error; whatever is no AppError is an internal error and says nothing of itself. */
export function errorResponse(requestId: string, reason: unknown): Response {
  const error =
    reason instanceof AppError
      ? reason
      : new AppError('InternalServerError', 'Something went wrong on our side');
  return respond(requestId, STATUS[error.kind], errorBody(error), error.headers);
}

export const errorBody = (error: AppError) => ({
  error: error.kind,
  message: error.message,
  ...(error.issues && { issues: error.issues }),
});
