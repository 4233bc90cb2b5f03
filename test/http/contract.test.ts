import { describe, expect, it } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { routes } from '../../src/routes.ts';
import { CONTRACT_ROUTES } from '../contract-routes.ts';

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
const mounted = routes.map(nameOf);

/** The least role of a route inside a workspace, where it is not viewer to read and member to write. */
const ROLES: Record<string, string> = {
  'PATCH ': 'admin',
  'DELETE ': 'owner',
  'PATCH /members/{user_id}': 'admin',
  // Everyone may leave.
  'DELETE /members/{user_id}': 'viewer',
  'GET /invitations': 'admin',
  'POST /invitations': 'admin',
  'DELETE /invitations/{invitation_id}': 'admin',
  'POST /status-templates': 'admin',
  'PATCH /status-templates/{template_id}': 'admin',
  'DELETE /status-templates/{template_id}': 'admin',
  'DELETE /trash': 'admin',
  'POST /recurring-tasks/preview': 'viewer',
};

describe('the mounted routes', () => {
  it('are those of the specification and the contract: none forgotten, none invented', () => {
    expect(mounted.toSorted()).toEqual(CONTRACT_ROUTES.toSorted());
  });

  it('are each mounted once', () => {
    expect(new Set(mounted).size).toBe(mounted.length);
  });

  it('let members in by the role that the contract asks for', () => {
    for (const route of routes.filter(({ path }) => path.includes('{workspace_id}'))) {
      const role = ROLES[nameOf(route).replace('/workspaces/{workspace_id}', '')];
      expect([nameOf(route), route.guard.role]).toEqual([
        nameOf(route),
        role ?? (route.method === 'get' ? 'viewer' : 'member'),
      ]);
    }
  });
});
