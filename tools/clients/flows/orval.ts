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
import type { EndCondition, Interval, RecurringTask } from './client.schemas';

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
  for (const interval of INTERVALS) {
    for (const endCondition of ENDS) {
      const series = await createRecurringTask(
        workspace,
        { title: 'Water', listId, interval, endCondition },
        options,
      );
      assert(series.status === 201);
      assert.equal(series.data.interval.frequency, interval.frequency);
      assert.equal(lastOf(series.data.endCondition), lastOf(endCondition));
      assert(reasons.includes(series.data.stateReason));
    }
  }
  const next = await refresh({ refreshToken: opened.data.refreshToken });
  assert(next.status === 200);
  assert(next.data.expiresIn > 0);
}
