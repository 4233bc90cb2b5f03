import { route, tagged } from '../../http/route.ts';
import { signedIn, signedInOrToken } from '../../sessions/authentication.ts';
import { Me, MeInput, PasswordInput, RemovalInput } from '../schema.ts';
import { removeMe } from './account-deletion.ts';
import { changePassword, findMe, passwordIssues, updateMe } from './me.ts';

export const accountRoutes = tagged('Me', [
  route({
    method: 'delete',
    path: '/auth/me',
    guard: signedIn,
    body: RemovalInput,
    shortBody: true,
    errors: [403],
    operationId: 'deleteAccount',
    summary: 'Delete my account',
    description:
      'With the password, or with the address where there is none; a wrong one is 403. Workspaces that others are in pass to the longest-standing admin, else member; the rest of what you own is deleted with everything in it. Elsewhere your tasks stay, without your name.',
    handle: ({ deps, who, requestContext, body }) => removeMe(deps, who, requestContext, body),
  }),
  route({
    method: 'get',
    path: '/me',
    guard: signedInOrToken,
    response: Me,
    operationId: 'getMe',
    summary: 'Read my account',
    description: 'The account of the access token, and how it can sign in.',
    handle: ({ deps, who }) => findMe(deps.read, who.userId),
  }),
  route({
    method: 'patch',
    path: '/me',
    guard: signedIn,
    body: MeInput,
    response: Me,
    operationId: 'updateMe',
    summary: 'Change my name and settings',
    description:
      'The display name, the time zone that days are read in, the first day of the week, and preferences.',
    handle: ({ deps, who, body }) => updateMe(deps, who, body),
  }),
  route({
    method: 'post',
    path: '/me/password',
    guard: signedIn,
    body: PasswordInput,
    validateReferences: ({ deps, who, body }) => passwordIssues(deps, who, body),
    errors: [403],
    operationId: 'changePassword',
    summary: 'Change my password',
    description: 'The current one is required where there is one: 403 for a wrong one. Other sessions end.',
    handle: ({ deps, who, requestContext, body }) => changePassword(deps, who, requestContext, body),
  }),
]);
