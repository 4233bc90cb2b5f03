import { expect } from 'vitest';
import { as, joined } from '../people.ts';
import type { Person, World } from '../world.ts';

/** What paths and bodies name, of one workspace. */
export interface Things {
  workspace_id: string;
  space_id: string;
  list_id: string;
  template_id: string;
  status_id: string;
  task_id: string;
  number: string;
  label_id: string;
  item_id: string;
  comment_id: string;
  job_id: string;
  instance_id: string;
  user_id: string;
  invitation_id: string;
  notification_id: string;
  session_id: string;
  token_id: string;
  trash_id: string;
}

const INTERVAL = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' };

/** A body that each route would accept. */
export const samples = (own: Things): Record<string, object> => ({
  'POST /auth/register': { email: 'new@example.com', password: 'password1', name: 'New' },
  'POST /auth/register/confirm': { token: 'x' },
  'POST /auth/register/invited': { invitationToken: 'x', name: 'New', password: 'password1' },
  'POST /auth/login': { email: 'new@example.com', password: 'password1' },
  'POST /auth/login/code': { email: 'new@example.com' },
  'POST /auth/login/code/confirm': { email: 'new@example.com', code: '000000' },
  'POST /auth/login/google': { idToken: 'x' },
  'POST /auth/login/telegram': { id: 1, first_name: 'New', auth_date: 1, hash: 'x' },
  'POST /auth/refresh': { refreshToken: 'x' },
  'POST /auth/logout': { refreshToken: 'x' },
  'POST /auth/password/reset/request': { email: 'new@example.com' },
  'POST /auth/password/reset/confirm': { token: 'x', newPassword: 'password1' },
  'POST /auth/email/change/request': { newEmail: 'new@example.com' },
  'POST /auth/email/change/confirm': { token: 'x' },
  'POST /auth/email/change/revert': { token: 'x' },
  'POST /auth/links/read': { token: 'x' },
  'DELETE /auth/me': { password: 'password1' },
  'POST /account/import': { formatVersion: 2, workspaces: [] },
  'PATCH /me': { name: 'New' },
  'POST /me/tokens': { title: 'New', role: 'member', workspaceIds: null },
  'PATCH /me/tokens/{token_id}': { title: 'New' },
  'POST /me/password': { currentPassword: 'password1', newPassword: 'password2' },
  'POST /me/google': { idToken: 'x' },
  'POST /me/telegram': { id: 1, first_name: 'New', auth_date: 1, hash: 'x' },
  'POST /workspaces': { title: 'New' },
  'PATCH /workspaces/{workspace_id}': { title: 'New' },
  'PATCH /workspaces/{workspace_id}/members/{user_id}': { role: 'viewer' },
  'POST /workspaces/{workspace_id}/invitations': { email: 'new@example.com', role: 'member' },
  'POST /invitations/accept': { token: 'x' },
  'POST /workspaces/{workspace_id}/spaces': { title: 'New' },
  'PATCH /workspaces/{workspace_id}/spaces/{space_id}': { title: 'New' },
  'POST /workspaces/{workspace_id}/lists': { title: 'New', spaceId: own.space_id },
  'PATCH /workspaces/{workspace_id}/lists/{list_id}': { title: 'New' },
  'POST /workspaces/{workspace_id}/status-templates': { title: 'New' },
  'PATCH /workspaces/{workspace_id}/status-templates/{template_id}': { title: 'New' },
  'POST /workspaces/{workspace_id}/tasks': { title: 'New', listId: own.list_id },
  'POST /workspaces/{workspace_id}/tasks/batch': {
    operations: [{ op: 'create', title: 'New', listId: own.list_id }],
  },
  'PATCH /workspaces/{workspace_id}/tasks/{task_id}': { title: 'New' },
  'POST /workspaces/{workspace_id}/trash/{trash_id}/restore': { listId: own.list_id, spaceId: own.space_id },
  'POST /workspaces/{workspace_id}/tasks/{task_id}/move': { listId: own.list_id, position: 1 },
  'POST /workspaces/{workspace_id}/tasks/{task_id}/comments': { body: 'New' },
  'PATCH /workspaces/{workspace_id}/tasks/{task_id}/comments/{comment_id}': { body: 'New' },
  'POST /workspaces/{workspace_id}/labels': { title: 'New' },
  'PATCH /workspaces/{workspace_id}/labels/{label_id}': { title: 'New' },
  'POST /workspaces/{workspace_id}/tasks/{task_id}/checklist': { title: 'New' },
  'PATCH /workspaces/{workspace_id}/tasks/{task_id}/checklist/{item_id}': { isDone: true },
  'POST /workspaces/{workspace_id}/recurring-tasks': {
    title: 'New',
    listId: own.list_id,
    interval: INTERVAL,
  },
  'POST /workspaces/{workspace_id}/recurring-tasks/preview': { interval: INTERVAL },
  'PATCH /workspaces/{workspace_id}/recurring-tasks/{job_id}': { title: 'New' },
  'POST /workspaces/{workspace_id}/recurring-tasks/{job_id}/skip': {},
  'POST /workspaces/{workspace_id}/recurring-tasks/{job_id}/step-back': {
    occurrenceAt: '2026-03-28T09:00:00.000Z',
  },
  'POST /workspaces/{workspace_id}/recurring-tasks/{job_id}/instances/{task_id}/edit-mode': {
    mode: 'this',
    updates: { title: 'New' },
  },
});

/** One of each thing, in the workspace of someone, who invited a guest. */
export async function furnish(world: World, person: Person): Promise<Things> {
  const ask = as(world, person);
  const get = async (path: string) => (await ask('GET', path)).body;
  const post = async (path: string, body: object) => {
    const response = await ask('POST', path, body);
    expect(response.status).toBeLessThan(300);
    return response.body;
  };
  const workspace_id = (await get('/me/workspaces')).items[0].id;
  const base = `/workspaces/${workspace_id}`;
  const list = (await get(`${base}/lists`)).items[0];
  const template = await post(`${base}/status-templates`, { title: 'Spare' });
  const label = await post(`${base}/labels`, { title: 'Label' });
  const task = await post(`${base}/tasks`, {
    title: 'Task',
    listId: list.id,
    labelIds: [label.id],
    checklist: [{ title: 'Item' }],
  });
  const comment = await post(`${base}/tasks/${task.id}/comments`, { body: 'Comment' });
  const job = await post(`${base}/recurring-tasks`, {
    title: 'Job',
    listId: list.id,
    interval: INTERVAL,
  });
  const invitation = await post(`${base}/invitations`, { email: `guest-of-${person.email}`, role: 'viewer' });
  const guest = await joined(world, person, workspace_id, 'member');
  const trashed = await post(`${base}/tasks`, { title: 'Trashed', listId: list.id });
  await ask('DELETE', `${base}/tasks/${trashed.id}`);
  return {
    workspace_id,
    space_id: list.spaceId,
    list_id: list.id,
    template_id: template.id,
    status_id: template.statuses[0].id,
    task_id: task.id,
    trash_id: trashed.id,
    number: String(task.number),
    label_id: label.id,
    item_id: task.checklist[0].id,
    comment_id: comment.id,
    job_id: job.id,
    instance_id: job.nextTaskId,
    user_id: guest.id,
    invitation_id: invitation.id,
    notification_id: (await get('/me/notifications')).items[0].id,
    session_id: (await get('/me/sessions')).items[0].id,
    token_id: (await post('/me/tokens', { title: 'Token', role: 'viewer', workspaceIds: null })).id,
  };
}
