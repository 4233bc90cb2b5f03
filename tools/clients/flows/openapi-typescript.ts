import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import { isAsked, RULES } from './rules';
import type { paths } from './schema.ts';

export async function flow(base: string, email: string, mailedToken: () => Promise<string>): Promise<void> {
  const client = createClient<paths>({ baseUrl: base });
  const password = 'correct horse battery';
  const registered = await client.POST('/auth/register', { body: { email, name: 'Ada', password } });
  assert.equal(registered.response.status, 201);
  const { data: opened } = await client.POST('/auth/register/confirm', {
    body: { token: await mailedToken() },
  });
  assert(opened?.accessToken && opened.refreshToken);
  client.use({
    onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${opened.accessToken}`),
  });
  const { data: workspaces } = await client.GET('/me/workspaces');
  const workspace_id = workspaces?.items[0]?.id ?? '';
  const path = { workspace_id };
  const { data: lists } = await client.GET('/workspaces/{workspace_id}/lists', { params: { path } });
  const listId = lists?.items[0]?.id ?? '';
  const { data: task, response } = await client.POST('/workspaces/{workspace_id}/tasks', {
    params: { path },
    body: { title: 'Buy milk', listId, priority: 'high', dueDate: '2026-12-01T09:00:00Z' },
  });
  assert(task);
  assert.equal(response.headers.get('Location'), `/api/workspaces/${workspace_id}/tasks/${task.id}`);
  await client.POST('/workspaces/{workspace_id}/tasks', { params: { path }, body: { title: 'Low', listId } });
  const { data: found } = await client.GET('/workspaces/{workspace_id}/tasks', {
    params: {
      path,
      query: { statusType: ['unstarted', 'started'], priority: ['high', 'urgent'], sortBy: 'dueDate' },
    },
    querySerializer: { array: { style: 'form', explode: false } },
  });
  assert.deepEqual(
    found?.items.map(({ id }) => id),
    [task.id],
  );
  const { error } = await client.GET('/workspaces/{workspace_id}/tasks', {
    // @ts-expect-error: no such priority
    params: { path, query: { priority: ['highest'] } },
  });
  assert.equal(error?.error, 'ValidationError');
  const edited = await client.PATCH('/workspaces/{workspace_id}/tasks/{task_id}', {
    params: { path: { workspace_id, task_id: task.id } },
    body: { dueDate: null, priority: 'none' },
  });
  assert.equal(edited.data?.dueDate, null);
  for (const rule of RULES) {
    const { data: series } = await client.POST('/workspaces/{workspace_id}/recurring-tasks', {
      params: { path },
      body: { title: 'Water', listId, ...rule },
    });
    assert(series);
    assert(isAsked(series, rule));
  }
  const { data: next } = await client.POST('/auth/refresh', { body: { refreshToken: opened.refreshToken } });
  assert(next);
  assert(next.expiresIn > 0);
}
