import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route } from '../http/route.ts';
import { pageOf } from '../kernel/page.ts';
import { signedIn } from '../sessions/door.ts';
import { Workspace } from './schema.ts';
import { listWorkspacesOf } from './store.ts';

export const workspaceRoutes = [
  route({
    method: 'get',
    path: '/me/workspaces',
    door: signedIn,
    query: PageQuery,
    status: 200,
    answer: pageShape(Workspace),
    tag: 'Workspaces',
    summary: 'List my workspaces',
    handle: ({ deps, who, query }) => {
      const page = pageRequest(deps, query);
      const { total, items } = listWorkspacesOf(deps.read, who.userId, page);
      return pageOf(page, total, items);
    },
  }),
];
