import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route } from '../http/route.ts';
import { toInstant } from '../kernel/instants.ts';
import { signedIn } from '../sessions/door.ts';
import { member } from './door.ts';
import { acceptInvitation, invite, inviteeIssues, revokeInvitation } from './invitations.ts';
import { listInvitations } from './invitations-store.ts';
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
import { listMembers, listWorkspacesOf } from './store.ts';
import { createWorkspace, removeWorkspace, updateWorkspace, workspaceSeenBy } from './workspaces.ts';

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
    handle: ({ deps, who, query }) => listWorkspacesOf(deps.read, who.userId, pageRequest(deps, query)),
  }),
  route({
    method: 'post',
    path: '/workspaces',
    door: signedIn,
    body: WorkspaceInput,
    status: 201,
    answer: Workspace,
    tag: 'Workspaces',
    summary: 'Create a workspace',
    description: 'It starts with a space `General`, in it a list `Tasks`, and the `Default` status template.',
    handle: ({ deps, who, body }) => createWorkspace(deps, who, body),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}',
    door: member('viewer'),
    status: 200,
    answer: Workspace,
    tag: 'Workspaces',
    summary: 'Read a workspace',
    handle: ({ deps, who }) => workspaceSeenBy(deps.read, who.workspaceId, who.userId),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}',
    door: member('admin'),
    body: WorkspacePatch,
    status: 200,
    answer: Workspace,
    tag: 'Workspaces',
    summary: 'Rename a workspace',
    handle: ({ deps, who, body }) => updateWorkspace(deps, who, body),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}',
    door: member('owner'),
    status: 204,
    tag: 'Workspaces',
    summary: 'Delete a workspace',
    description: 'With everything in it.',
    handle: ({ deps, who }) => removeWorkspace(deps, who),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/members',
    door: member('viewer'),
    query: PageQuery,
    status: 200,
    answer: pageShape(WorkspaceMember),
    tag: 'People',
    summary: 'List the members',
    handle: ({ deps, who, query }) => listMembers(deps.read, who.workspaceId, pageRequest(deps, query)),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/members/{user_id}',
    door: member('admin'),
    body: MemberPatch,
    status: 200,
    answer: WorkspaceMember,
    tag: 'People',
    summary: 'Change the role of a member',
    description:
      'Admins grant up to admin. `owner`, by the owner only, hands the workspace over and makes the old owner an admin. A member who becomes a viewer loses their open tasks, and the invitations of someone who is no admin any more die.',
    handle: ({ deps, who, params, body }) => changeRole(deps, who, params.user_id, body),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/members/{user_id}',
    door: member('viewer'),
    status: 204,
    refuses: [400],
    tag: 'People',
    summary: 'Remove a member, or leave',
    description:
      'Everyone may leave but the owner (400); removing others needs the role admin. Their open tasks are unassigned, and the invitations they sent die.',
    handle: ({ deps, who, params }) => removeMember(deps, who, params.user_id),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/invitations',
    door: member('admin'),
    query: PageQuery,
    status: 200,
    answer: pageShape(Invitation),
    tag: 'People',
    summary: 'List the invitations',
    description: 'Those that can still be accepted.',
    handle: ({ deps, who, query }) =>
      listInvitations(deps.read, who.workspaceId, toInstant(deps.clock.now()), pageRequest(deps, query)),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/invitations',
    door: member('admin'),
    body: InvitationInput,
    refers: ({ deps, who, body }) => inviteeIssues(deps.read, who, body),
    status: 201,
    answer: Invitation,
    tag: 'People',
    summary: 'Invite someone',
    description:
      'Mails a token that works for 7 days, for the account of that address only. The newest invitation of an address replaces the older; where too many were mailed there to mail it as well, the token mailed last accepts it.',
    handle: ({ deps, who, body }) => invite(deps, who, body),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/invitations/{invitation_id}',
    door: member('admin'),
    status: 204,
    tag: 'People',
    summary: 'Take an invitation back',
    handle: ({ deps, who, params }) => revokeInvitation(deps, who, params.invitation_id),
  }),
  route({
    method: 'post',
    path: '/invitations/accept',
    door: signedIn,
    body: AcceptInput,
    status: 200,
    answer: Workspace,
    refuses: [403],
    tag: 'People',
    summary: 'Accept an invitation',
    description:
      'With the mailed token, signed in to the account of the invited address; another account is 403. A token that does not work is 400. A member already there keeps their role.',
    handle: ({ deps, who, body }) => acceptInvitation(deps, who, body),
  }),
];
