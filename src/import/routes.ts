import { route, tagged } from '../http/route.ts';
import { MINUTE } from '../kernel/instants.ts';
import { requireAccount, signedIn, writeSignedIn } from '../sessions/authentication.ts';
import { importDocument } from './import.ts';
import { ImportQuery, ImportResult } from './result-schema.ts';
import { AccountImport } from './schema.ts';

export const importRoutes = tagged('Me', [
  route({
    method: 'post',
    path: '/account/import',
    guard: signedIn,
    query: ImportQuery,
    body: AccountImport,
    longBody: { maxBytes: 64 * 1_024 * 1_024, milliseconds: 10 * MINUTE },
    response: ImportResult,
    operationId: 'importAccount',
    summary: 'Import an export',
    description:
      'Takes what `exportAccount` gives, of format version 1 or 2 and at most 64 MiB, into new workspaces of yours with new ids. Numbers, keys, positions, instants and what decides how series go on are kept. Of people only you are matched, by address; others become null and are named in `warnings`. The workspaces appear once they are whole; nobody is notified. 403 where they would exceed a quota, 429 while another import of yours or two of others run; one that is still arriving after 30 s makes room, and is 429 then.',
    handle: ({ deps, who, query, chunks }) =>
      importDocument(
        deps,
        {
          userId: who.userId,
          email: requireAccount(deps.read, who).email,
          write: (fn) => writeSignedIn(deps, who, fn),
          isDryRun: query.dryRun === true,
        },
        chunks(),
      ),
  }),
]);
