import { AppError, badRequest } from '../kernel/errors.ts';

/** The ETag of a thing in this version. */
export const etagOf = (epoch: string, version: number): string => `"${epoch}-${version}"`;

/** Whether a header that names ETags, weak or not, names this one (RFC 9110, section 13.1). */
export const namesEtag = (header: string, etag: string): boolean =>
  header === '*' || header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);

const ETAG = /(?:W\/)?"[!#-~\x80-\xff]*"/g;

/** Whether a header is `*` or ETags with commas between (RFC 9110, sections 5.6.1 and 13.1). */
export const isEtagList = (header: string): boolean =>
  header === '*' ||
  header
    .replaceAll(ETAG, '""')
    .split(',')
    .every((entry) => ['', '""'].includes(entry.trim()));

export const CHANGED_MEANWHILE = 'It was changed meanwhile: read it again';

/** Throws 412 unless a thing is still as the request expects it. */
export type Precondition = (thing: { version: number }) => void;

/** What an `If-Match` asks; nothing where there is none. Throws 400 where it is malformed. */
export function preconditionOf(epoch: string, header: string | undefined): Precondition {
  if (header !== undefined && !isEtagList(header)) {
    throw badRequest('If-Match must be an ETag as responses have it, quotes included');
  }
  return ({ version }) => {
    if (header === undefined || namesEtag(header, etagOf(epoch, version))) return;
    throw new AppError('PreconditionFailedError', CHANGED_MEANWHILE);
  };
}
