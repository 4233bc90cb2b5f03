import type { Migrations } from '../src/db/migrate.ts';
import { accounts } from './0001_accounts.ts';
import { workspaces } from './0002_workspaces.ts';
import { notifications } from './0003_notifications.ts';
import { tasks } from './0004_tasks.ts';
import { recurring } from './0005_recurring.ts';
import { removals } from './0006_removals.ts';
import { searchErasure } from './0007_search_erasure.ts';
import { statements } from './statements.ts';

/** Every migration, in order. A released one is never changed. */
export const migrations: Migrations = {
  '0001_accounts': statements(accounts),
  '0002_workspaces': statements(workspaces),
  '0003_notifications': statements(notifications),
  '0004_tasks': statements(tasks),
  '0005_recurring': statements(recurring),
  '0006_removals': statements(removals),
  '0007_search_erasure': statements(searchErasure),
};
