import assert from 'node:assert/strict';
import {
  confirmRegistration,
  createRecurringTask,
  createTask,
  type EndCondition,
  type Interval,
  listLists,
  listTasks,
  listWorkspaces,
  type RecurringTask,
  refresh,
  register,
  updateTask,
} from './client';
import { client } from './client/client.gen';

const clock = { timeOfDay: '09:00', timezone: 'Europe/Paris' };
const INTERVALS: Interval[] = [
  { frequency: 'day', every: 1, ...clock },
  { frequency: 'week', daysOfWeek: ['monday', 'thursday'], ...clock },
  { frequency: 'month', dayOfMonth: -1, ...clock },
  { frequency: 'year', month: 2, dayOfMonth: 29, ...clock },
];
const ENDS: EndCondition[] = [
  { type: 'never' },
  { type: 'count', count: 10 },
  { type: 'date', endDate: '2099-12-31' },
];
// @ts-expect-error: a rule by day has no days of the month
export const noSuchField: Interval = { frequency: 'day', dayOfMonth: 3, ...clock };
// @ts-expect-error: a misspelt field
export const misspelt: EndCondition = { type: 'count', cuont: 3 };
const reasons: RecurringTask['stateReason'][] = ['completed', 'error', null];

const lastOf = (end: EndCondition): string => {
  switch (end.type) {
    case 'never':
      return 'none';
    case 'count':
      return String(end.count);
    case 'date':
      return end.endDate;
  }
};

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
  for (const interval of INTERVALS) {
    for (const endCondition of ENDS) {
      const { data: series } = await createRecurringTask({
        path,
        body: { title: 'Water', listId, interval, endCondition },
        throwOnError: true,
      });
      assert.equal(series.interval.frequency, interval.frequency);
      assert.equal(lastOf(series.endCondition), lastOf(endCondition));
      assert(reasons.includes(series.stateReason));
    }
  }
  const { data: next } = await refresh({ body: { refreshToken: opened.refreshToken }, throwOnError: true });
  assert(next.expiresIn > 0);
}
