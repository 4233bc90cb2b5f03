import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route, tagged } from '../http/route.ts';
import { toInstant } from '../kernel/instants.ts';
import { signedIn, signedInOrToken } from '../sessions/authentication.ts';
import { listInvitations } from '../storage/invitations.ts';
import { listMembers } from '../storage/workspaces.ts';
import { member } from './authorization.ts';
import { acceptInvitation, invite, inviteeIssues, revokeInvitation } from './invitations.ts';
import { changeRole, removeMember } from './members.ts';
import {
  AcceptInput,
  Invitation,
  InvitationInput,
  MemberPatch,
  Workspace,
  WorkspaceInput,
  WorkspaceMember,
  WorkspacePatch,
} from './schema.ts';
import {
  createWorkspace,
  removeWorkspace,
  updateWorkspace,
  workspaceSeenBy,
  workspacesFor,
} from './workspaces.ts';

export const workspaceRoutes = [
  ...tagged('Workspaces', [
    route({
      method: 'get',
      path: '/me/workspaces',
      guard: signedInOrToken,
      query: PageQuery,
      response: pageShape('WorkspacePage', Workspace),
      operationId: 'listWorkspaces',
      summary: 'List my workspaces',
      description: 'Those you are a member of, the default one first.',
      handle: ({ deps, who, query }) => workspacesFor(deps.read, who, pageRequest(deps, query)),
    }),
    route({
      method: 'post',
      path: '/workspaces',
      guard: signedIn,
      body: WorkspaceInput,
      status: 201,
      response: Workspace,
      operationId: 'createWorkspace',
      summary: 'Create a workspace',
      description:
        'It starts with a space `General`, in it a list `Tasks`, and the `Default` status template.',
      handle: ({ deps, who, body }) => createWorkspace(deps, who, body),
    }),
    route({
      method: 'get',
      path: '/workspaces/{workspace_id}',
      guard: member('viewer'),
      response: Workspace,
      operationId: 'getWorkspace',
      summary: 'Read a workspace',
      description: 'With your own role in it.',
      handle: ({ deps, who }) => ({
        ...workspaceSeenBy(deps.read, who.workspaceId, who.userId),
        role: who.role,
      }),
    }),
    route({
      method: 'patch',
      path: '/workspaces/{workspace_id}',
      guard: member('admin'),
      body: WorkspacePatch,
      response: Workspace,
      operationId: 'updateWorkspace',
      summary: 'Change a workspace',
      description: 'Changes the title, or the key that stands before the numbers of its tasks.',
      handle: ({ deps, who, body }) => updateWorkspace(deps, who, body),
    }),
    route({
      method: 'delete',
      path: '/workspaces/{workspace_id}',
      guard: member('owner', { apiTokens: 'rejected' }),
      operationId: 'deleteWorkspace',
      summary: 'Delete a workspace',
      description: 'With everything in it.',
      handle: ({ deps, who }) => removeWorkspace(deps, who),
    }),
  ]),
  ...tagged('People', [
    route({
      method: 'get',
      path: '/workspaces/{workspace_id}/members',
      guard: member('viewer'),
      query: PageQuery,
      response: pageShape('MemberPage', WorkspaceMember),
      operationId: 'listMembers',
      summary: 'List the members',
      description: 'With their roles, the longest-standing first.',
      handle: ({ deps, who, query }) => listMembers(deps.read, who.workspaceId, pageRequest(deps, query)),
    }),
    route({
      method: 'patch',
      path: '/workspaces/{workspace_id}/members/{user_id}',
      guard: member('admin', { apiTokens: 'rejected' }),
      body: MemberPatch,
      response: WorkspaceMember,
      operationId: 'updateMember',
      summary: 'Change the role of a member',
      description:
        'Admins grant up to admin. `owner`, by the owner only and with their `password` where they have one, hands the workspace over and makes the old owner an admin: both are notified, also by mail. A member who becomes a viewer loses their open tasks, and the invitations of someone who is no longer an admin are cancelled.',
      handle: ({ deps, who, requestContext, params, body }) =>
        changeRole(deps, who, requestContext, params.user_id, body),
    }),
    route({
      method: 'delete',
      path: '/workspaces/{workspace_id}/members/{user_id}',
      guard: member('viewer', { apiTokens: 'rejected' }),
      errors: [400],
      operationId: 'removeMember',
      summary: 'Remove a member, or leave',
      description:
        'Everyone may leave but the owner (400); removing others needs the role admin. Their open tasks are unassigned, and the invitations they sent are cancelled.',
      handle: ({ deps, who, params }) => removeMember(deps, who, params.user_id),
    }),
    route({
      method: 'get',
      path: '/workspaces/{workspace_id}/invitations',
      guard: member('admin'),
      query: PageQuery,
      response: pageShape('InvitationPage', Invitation),
      operationId: 'listInvitations',
      summary: 'List the invitations',
      description: 'Those that can still be accepted.',
      handle: ({ deps, who, query }) =>
        listInvitations(deps.read, who.workspaceId, toInstant(deps.clock.now()), pageRequest(deps, query)),
    }),
    route({
      method: 'post',
      path: '/workspaces/{workspace_id}/invitations',
      guard: member('admin', { apiTokens: 'rejected' }),
      body: InvitationInput,
      validateReferences: ({ deps, who, body }) => inviteeIssues(deps.read, who, body),
      status: 201,
      response: Invitation,
      operationId: 'createInvitation',
      summary: 'Invite someone',
      description:
        'Mails a token that works for 7 days, for the account of that address only. The newest invitation of an address replaces the older; where too many were mailed there to mail it as well, the token mailed last accepts it.',
      handle: ({ deps, who, body }) => invite(deps, who, body),
    }),
    route({
      method: 'delete',
      path: '/workspaces/{workspace_id}/invitations/{invitation_id}',
      guard: member('admin', { apiTokens: 'rejected' }),
      operationId: 'revokeInvitation',
      summary: 'Take an invitation back',
      description: 'Its token stops working.',
      handle: ({ deps, who, params }) => revokeInvitation(deps, who, params.invitation_id),
    }),
    route({
      method: 'post',
      path: '/invitations/accept',
      guard: signedIn,
      body: AcceptInput,
      response: Workspace,
      errors: [403],
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation',
      description:
        'With the mailed token, signed in to the account of the invited address; another account is 403. A token that does not work is 400. A member already there keeps their role.',
      handle: ({ deps, who, body }) => acceptInvitation(deps, who, body),
    }),
  ]),
];
