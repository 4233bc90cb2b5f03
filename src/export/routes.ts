import { route } from '../http/route.ts';
import { signedIn } from '../sessions/door.ts';
import { exportAccount } from './export.ts';
import { AccountExport } from './schema.ts';

export const exportRoutes = [
  route({
    method: 'get',
    path: '/account/export',
    door: signedIn,
    status: 200,
    answer: AccountExport,
    tag: 'Me',
    summary: 'Export my data',
    description:
      'Profile, the workspaces you own with everything in them, and notifications, all as of one moment; to be saved as a file. 5, then one every 20 minutes.',
    handle: ({ deps, who, visitor }) => exportAccount(deps, who, visitor),
  }),
];
