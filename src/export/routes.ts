import { route, tagged } from '../http/route.ts';
import { signedIn } from '../sessions/authentication.ts';
import { exportAccount } from './export.ts';
import { AccountExport } from './schema.ts';

export const exportRoutes = tagged('Me', [
  route({
    method: 'get',
    path: '/account/export',
    guard: signedIn,
    isPrivate: true,
    response: AccountExport,
    headers: { 'Content-Disposition': '`attachment`, with a name for the file' },
    operationId: 'exportAccount',
    summary: 'Export my data',
    description:
      'Profile, the workspaces you own with everything in them, and notifications, all in one consistent snapshot. It is sent as a file; `export-schema.json`, beside `openapi.json`, describes it as a JSON Schema. A user can export 5 times, then once every 20 minutes.',
    handle: ({ deps, who, requestContext }) => exportAccount(deps, who, requestContext),
  }),
]);
