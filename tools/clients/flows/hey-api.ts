import assert from 'node:assert/strict';
import {
  confirmRegistration,
  createRecurringTask,
  createTask,
  listLists,
  listTasks,
  listWorkspaces,
  refresh,
  register,
  updateTask,
} from './client';
import { client } from './client/client.gen';
import { isAsked, RULES } from './rules';

export async function flow(base: string, email: string, mailedToken: () => Promise<string>): Promise<void> {
  client.setConfig({ baseUrl: base });
  const password = 'correct horse battery';
  const registered = await register({ body: { email, name: 'Ada', password } });
  assert.equal(registered.response?.status, 201);
  const { data: opened } = await confirmRegistration({
    body: { token: await mailedToken() },
    throwOnError: true,
  });
  assert(opened.accessToken && opened.refreshToken);
  client.setConfig({ baseUrl: base, auth: opened.accessToken });
  const { data: workspaces } = await listWorkspaces({ throwOnError: true });
  const workspace_id = workspaces.items[0]?.id ?? '';
  const path = { workspace_id };
  const { data: lists } = await listLists({ path, throwOnError: true });
  const listId = lists.items[0]?.id ?? '';
  const body = { title: 'Buy milk', listId, priority: 'high', dueDate: '2026-12-01T09:00:00Z' } as const;
  const { data: task } = await createTask({ path, body, throwOnError: true });
  await createTask({ path, body: { title: 'Low', listId }, throwOnError: true });
  const { data: found } = await listTasks({
    path,
    query: { statusType: ['unstarted', 'started'], priority: ['high', 'urgent'], sortBy: 'dueDate' },
    throwOnError: true,
  });
  assert.deepEqual(
    found.items.map(({ id }) => id),
    [task.id],
  );
  // @ts-expect-error: no such priority
  const { error } = await listTasks({ path, query: { priority: ['highest'] } });
  assert.equal(error?.error, 'ValidationError');
  const { data: edited } = await updateTask({
    path: { workspace_id, task_id: task.id },
    body: { dueDate: null, priority: 'none' },
    throwOnError: true,
  });
  assert.equal(edited.dueDate, null);
  for (const rule of RULES) {
    const { data: series } = await createRecurringTask({
      path,
      body: { title: 'Water', listId, ...rule },
      throwOnError: true,
    });
    assert(isAsked(series, rule));
  }
  const { data: next } = await refresh({ body: { refreshToken: opened.refreshToken }, throwOnError: true });
  assert(next.expiresIn > 0);
}
