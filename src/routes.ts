import { accountRoutes } from './auth/account/account-routes.ts';
import { apiTokenRoutes } from './auth/api-token-routes.ts';
import { identityRoutes } from './auth/providers/identity-routes.ts';
import { authRoutes } from './auth/routes.ts';
import { changeRoutes } from './changes/routes.ts';
import { exportRoutes } from './export/routes.ts';
import type { Route } from './http/route.ts';
import { importRoutes } from './import/routes.ts';
import { listRoutes } from './lists/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { recurringRoutes } from './recurring/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { checklistRoutes } from './tasks/checklist-routes.ts';
import { commentRoutes } from './tasks/comment-routes.ts';
import { labelRoutes } from './tasks/label-routes.ts';
import { taskRoutes } from './tasks/routes.ts';
import { trashRoutes } from './trash/routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

/** Every route under the base path. */
export const routes: readonly Route[] = [
  ...authRoutes,
  ...accountRoutes,
  ...identityRoutes,
  ...apiTokenRoutes,
  ...exportRoutes,
  ...importRoutes,
  ...sessionRoutes,
  ...notificationRoutes,
  ...workspaceRoutes,
  ...listRoutes,
  ...taskRoutes,
  ...labelRoutes,
  ...checklistRoutes,
  ...commentRoutes,
  ...recurringRoutes,
  ...trashRoutes,
  ...changeRoutes,
];
