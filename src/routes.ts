import { identityRoutes } from './auth/identity-routes.ts';
import { authRoutes } from './auth/routes.ts';
import { exportRoutes } from './export/routes.ts';
import type { Route } from './http/route.ts';
import { listRoutes } from './lists/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { recurringRoutes } from './recurring/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { taskRoutes } from './tasks/routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

/** Every route under the base path. */
export const routes: readonly Route[] = [
  ...authRoutes,
  ...identityRoutes,
  ...exportRoutes,
  ...sessionRoutes,
  ...notificationRoutes,
  ...workspaceRoutes,
  ...listRoutes,
  ...taskRoutes,
  ...recurringRoutes,
];
