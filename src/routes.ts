import { authRoutes } from './auth/routes.ts';
import type { Route } from './http/route.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

/** Every route under the base path. */
export const routes: readonly Route[] = [...authRoutes, ...sessionRoutes, ...workspaceRoutes];
