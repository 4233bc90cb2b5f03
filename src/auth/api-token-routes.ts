import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route, tagged } from '../http/route.ts';
import { toInstant } from '../kernel/instants.ts';
import { signedIn, usesNoted } from '../sessions/authentication.ts';
import { listApiTokens } from '../storage/api-tokens.ts';
import {
  ApiToken,
  ApiTokenInput,
  ApiTokenPatch,
  apiTokenIssues,
  apiTokenOf,
  createApiToken,
  NewApiToken,
  renameApiToken,
  revokeApiToken,
} from './api-tokens.ts';

export const apiTokenRoutes = tagged('Me', [
  route({
    method: 'get',
    path: '/me/tokens',
    guard: signedIn,
    query: PageQuery,
    response: pageShape('ApiTokenPage', ApiToken),
    operationId: 'listApiTokens',
    summary: 'List my API tokens',
    description: 'Those that still work, the oldest first, without their secrets.',
    handle: async ({ deps, who, query }) => {
      await usesNoted(deps);
      const now = toInstant(deps.clock.now());
      return listApiTokens(deps.read, who.userId, now, pageRequest(deps, query), apiTokenOf);
    },
  }),
  route({
    method: 'post',
    path: '/me/tokens',
    guard: signedIn,
    body: ApiTokenInput,
    validateReferences: ({ deps, who, body }) => apiTokenIssues(deps, deps.read, who, body),
    status: 201,
    response: NewApiToken,
    operationId: 'createApiToken',
    summary: 'Make an API token',
    description:
      'For scripts: sent as `Authorization: Bearer errand_…`. It is a cap: in its workspaces it may do what both your role and its role allow, elsewhere it is 403. Outside workspaces it reads your account, workspaces, notifications and events, narrowed to its workspaces. A notice goes to your address. At most 100.',
    handle: ({ deps, who, body }) => createApiToken(deps, who, body),
  }),
  route({
    method: 'patch',
    path: '/me/tokens/{token_id}',
    guard: signedIn,
    body: ApiTokenPatch,
    response: ApiToken,
    operationId: 'updateApiToken',
    summary: 'Rename an API token',
    description: 'Only its title can be changed.',
    handle: ({ deps, who, params, body }) => renameApiToken(deps, who, params.token_id, body),
  }),
  route({
    method: 'delete',
    path: '/me/tokens/{token_id}',
    guard: signedIn,
    operationId: 'deleteApiToken',
    summary: 'Revoke an API token',
    description: 'It stops working at once, and so do its streams.',
    handle: ({ deps, who, params }) => revokeApiToken(deps, who, params.token_id),
  }),
]);
