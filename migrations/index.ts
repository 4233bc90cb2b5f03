import type { Migrations } from '../src/db/migrate.ts';
import { accounts } from './0001_accounts.ts';
import { workspaces } from './0002_workspaces.ts';
import { notifications } from './0003_notifications.ts';
import { tasks } from './0004_tasks.ts';
import { recurring } from './0005_recurring.ts';
import { removals } from './0006_removals.ts';
import { searchErasure } from './0007_search_erasure.ts';
import { signupAttempts } from './0008_signup_attempts.ts';
import { changes } from './0009_changes.ts';
import { audit } from './0010_audit.ts';
import { quotas } from './0011_quotas.ts';
import { userSettings } from './0012_user_settings.ts';
import { numbers } from './0014_numbers.ts';
import { memberChanges } from './0016_member_changes.ts';
import { carried } from './0017_carried.ts';
import { cookieSessions } from './0018_cookie_sessions.ts';
import { mentions } from './0019_mentions.ts';
import { apiTokens } from './0020_api_tokens.ts';
import { seriesCarried } from './0021_series_carried.ts';
import { adoptedTasks } from './0023_adopted_tasks.ts';
import { trash } from './0024_trash.ts';
import { versions } from './0025_versions.ts';
import { seriesSteps } from './0026_series_steps.ts';
import { imports } from './0027_imports.ts';
import { clientIds } from './0028_client_ids.ts';
import { comingSeries } from './0029_coming_series.ts';
import { seriesVersions } from './0030_series_versions.ts';
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
  '0008_signup_attempts': statements(signupAttempts),
  '0009_changes': statements(changes),
  '0010_audit': statements(audit),
  '0011_quotas': statements(quotas),
  '0012_user_settings': statements(userSettings),
  '0014_numbers': statements(numbers),
  '0016_member_changes': statements(memberChanges),
  '0017_carried': statements(carried),
  '0018_cookie_sessions': statements(cookieSessions),
  '0019_mentions': statements(mentions),
  '0020_api_tokens': statements(apiTokens),
  '0021_series_carried': statements(seriesCarried),
  '0023_adopted_tasks': statements(adoptedTasks),
  '0024_trash': statements(trash),
  '0025_versions': statements(versions),
  '0026_series_steps': statements(seriesSteps),
  '0027_imports': statements(imports),
  '0028_client_ids': statements(clientIds),
  '0029_coming_series': statements(comingSeries),
  '0030_series_versions': statements(seriesVersions),
};
