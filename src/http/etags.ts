import { AppError } from '../kernel/errors.ts';

/** The ETag of a thing in this version. */
export const etagOf = (epoch: string, version: number): string => `"${epoch}-${version}"`;

/** Whether a header that names ETags, weak or not, names this one (RFC 9110, section 13.1). */
export const namesEtag = (header: string, etag: string): boolean =>
  header.trim() === '*' || header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);

export const CHANGED_MEANWHILE = 'It was changed meanwhile: read it again';

/** Throws 412 unless a thing is still as the request expects it. */
export type Precondition = (thing: { version: number }) => void;

/** What an `If-Match` asks; nothing where there is none. */
export const preconditionOf =
  (epoch: string, header: string | undefined): Precondition =>
  ({ version }) => {
    if (header === undefined || namesEtag(header, etagOf(epoch, version))) return;
    throw new AppError('PreconditionFailedError', CHANGED_MEANWHILE);
  };
