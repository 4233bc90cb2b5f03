import { AppError, type ErrorKind } from '../kernel/errors.ts';

const STATUS: Record<ErrorKind, number> = {
  ValidationError: 400,
  BadRequestError: 400,
  UnauthorizedError: 401,
  ForbiddenError: 403,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  PayloadTooLargeError: 413,
  UnsupportedMediaTypeError: 415,
  TooManyRequestsError: 429,
  InternalServerError: 500,
  ServiceUnavailableError: 503,
};

/** The headers of every answer; pages replace the content policy by one of their own. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'X-Request-Id': requestId,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
});

/** An answer in JSON, or without a body where there is none to give. */
export function answer(
  requestId: string,
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): Response {
  if (body !== undefined) return answerText(requestId, status, JSON.stringify(body), headers);
  const all = Object.assign(commonHeaders(requestId), headers);
  if (status !== 204) all['Content-Length'] = '0';
  return new Response(null, { status, headers: all });
}

/** An answer whose JSON is written already. */
export function answerText(
  requestId: string,
  status: number,
  json: string,
  headers: Record<string, string> = {},
): Response {
  const all = Object.assign(commonHeaders(requestId), headers);
  all['Content-Type'] = 'application/json; charset=utf-8';
  return new Response(json, { status, headers: all });
}

/** The answer to a refusal; whatever is no AppError is an internal error and says nothing of itself. */
export function refusal(requestId: string, reason: unknown): Response {
  const error =
    reason instanceof AppError
      ? reason
      : new AppError('InternalServerError', 'Something went wrong on our side');
  return answer(requestId, STATUS[error.kind], errorBody(error), error.headers);
}

export const errorBody = (error: AppError) => ({
  error: error.kind,
  message: error.message,
  ...(error.issues && { issues: error.issues }),
});
