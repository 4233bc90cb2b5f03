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
import { isAsked, RULES } from './rules';

export async function flow(_base: string, email: string, mailedToken: () => Promise<string>): Promise<void> {
  const password = 'correct horse battery';
  assert.equal((await register({ email, name: 'Ada', password })).status, 201);
  const opened = await confirmRegistration({ token: await mailedToken() });
  assert(opened.status === 201);
  assert(opened.data.accessToken && opened.data.refreshToken);
  const options = { headers: { Authorization: `Bearer ${opened.data.accessToken}` } };
  const workspaces = await listWorkspaces({}, options);
  assert(workspaces.status === 200);
  const workspace = workspaces.data.items[0]?.id ?? '';
  const lists = await listLists(workspace, {}, options);
  assert(lists.status === 200);
  const listId = lists.data.items[0]?.id ?? '';
  const body = { title: 'Buy milk', listId, priority: 'high', dueDate: '2026-12-01T09:00:00Z' } as const;
  const task = await createTask(workspace, body, options);
  assert(task.status === 201);
  await createTask(workspace, { title: 'Low', listId }, options);
  const found = await listTasks(
    workspace,
    { statusType: ['unstarted', 'started'], priority: ['high', 'urgent'], sortBy: 'dueDate' },
    options,
  );
  assert(found.status === 200);
  assert.deepEqual(
    found.data.items.map(({ id }) => id),
    [task.data.id],
  );
  // @ts-expect-error: no such priority
  const rejected = await listTasks(workspace, { priority: ['highest'] }, options);
  assert(rejected.status === 400);
  assert.equal(rejected.data.error, 'ValidationError');
  const edited = await updateTask(workspace, task.data.id, { dueDate: null, priority: 'none' }, options);
  assert(edited.status === 200);
  assert.equal(edited.data.dueDate, null);
  for (const rule of RULES) {
    const series = await createRecurringTask(workspace, { title: 'Water', listId, ...rule }, options);
    assert(series.status === 201);
    assert(isAsked(series.data, rule));
  }
  const next = await refresh({ refreshToken: opened.data.refreshToken });
  assert(next.status === 200);
  assert(next.data.expiresIn > 0);
}
