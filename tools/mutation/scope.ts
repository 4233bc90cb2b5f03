import { existsSync, globSync, readFileSync } from 'node:fs';
import { type Mutant, mutantsOf } from './mutators.ts';

interface Group {
  files: string[];
  /** The files below `test/` that hold their guarantees, the nearest first. */
  tests: string[];
}

const SIGN_IN_TESTS = [
  'auth/password-sign-in',
  'auth/login-code',
  'auth/password-reset',
  'auth/email-change',
  'auth/mailed-secrets',
  'auth/accounts',
];
const LIMIT_TESTS = ['http/failed-sign-ins', 'http/limits', 'http/logs'];

/** What mutants are made of: who may do what, what proves who they are, and when recurring tasks come. */
export const GROUPS: Record<string, Group> = {
  guard: {
    files: [
      'src/workspaces/{authorization,members,membership-removal,assignments}.ts',
      'src/storage/workspaces.ts',
      'src/db/query-cache.ts',
    ],
    tests: [
      'db/query-cache',
      'workspaces/workspaces',
      'workspaces/cross-tenant-deletions',
      'workspaces/invitations',
      'notifications/notifications',
      'auth/account-deletion',
      'tasks/search',
      'http/logs',
    ],
  },
  invitations: {
    files: ['src/{workspaces,storage}/invitations.ts'],
    tests: [
      'workspaces/invitations',
      'workspaces/cross-tenant-deletions',
      'notifications/notifications',
      'mail/mail-limits',
      'auth/account-deletion',
    ],
  },
  requests: {
    files: ['src/http/{route,rate-limits}.ts', 'src/storage/rate-limits.ts', 'src/kernel/token-bucket.ts'],
    tests: [
      'http/body',
      'http/http',
      'http/failed-sign-ins',
      'http/limits',
      'http/issues',
      'workspaces/workspaces',
      ...SIGN_IN_TESTS,
      'auth/account-deletion',
      'export/export',
    ],
  },
  sessions: {
    files: ['src/sessions/{access-token,authentication,routes,tokens}.ts', 'src/storage/sessions.ts'],
    tests: [
      'sessions/refresh',
      'sessions/sessions',
      'sessions/cookie-sessions',
      'db/query-cache',
      'auth/api-tokens',
      'changes/ended-streams',
      'auth/account-deletion',
      'workspaces/cross-tenant-deletions',
      ...LIMIT_TESTS,
    ],
  },
  keys: {
    files: ['src/kernel/{keys,secrets}.ts'],
    tests: ['kernel/keys', 'sessions/refresh', 'sessions/sessions'],
  },
  'sign-in': {
    files: ['src/{users/attempts,auth/password/login,auth/email/login-code}.ts'],
    tests: [
      ...SIGN_IN_TESTS,
      'auth/disabled-accounts',
      'workspaces/cross-tenant-deletions',
      ...LIMIT_TESTS,
      'mail/console-mails',
      'mail/mail-worker',
    ],
  },
  'mailed-tokens': {
    files: ['src/{storage/email-tokens,auth/password/password-reset,auth/email/email-change}.ts'],
    tests: [
      ...SIGN_IN_TESTS,
      'mail/mail-limits',
      'workspaces/cross-tenant-deletions',
      'auth/account-deletion',
      ...LIMIT_TESTS,
    ],
  },
  'sign-up': {
    files: ['src/auth/email/signup.ts'],
    tests: [
      'auth/signup',
      'workspaces/invitations',
      'auth/telegram',
      'auth/pre-hijacking',
      ...SIGN_IN_TESTS,
      'http/issues',
      'mail/mail-limits',
      'http/logs',
    ],
  },
  identities: {
    files: ['src/auth/providers/{identities,google/google-tokens,telegram/telegram-widget}.ts'],
    tests: [
      'auth/telegram',
      'auth/google',
      'auth/google-tokens',
      ...SIGN_IN_TESTS,
      'workspaces/cross-tenant-deletions',
      'http/logs',
    ],
  },
  accounts: {
    files: [
      'src/auth/account/{account-deletion,disabling}.ts',
      'src/auth/providers/google/google.ts',
      'src/auth/providers/telegram/telegram.ts',
      'src/storage/{identities,login-codes,notifications,outbox,pending-signups,signup-attempts,users}.ts',
    ],
    tests: [
      'auth/login-code',
      'auth/signup',
      'auth/pre-hijacking',
      'auth/telegram',
      'auth/google',
      'auth/disabled-accounts',
      'notifications/notifications',
      'auth/account-deletion',
      'workspaces/cross-tenant-deletions',
      'mail/mail-limits',
      'mail/mail-worker',
    ],
  },
  arithmetic: {
    files: ['src/recurring/recurrence/*.ts'],
    tests: [
      'recurring/interval-schema',
      'recurring/recurrence',
      'recurring/life-cycle',
      'recurring/series',
      'recurring/recurrence.properties',
    ],
  },
  series: {
    files: [
      'src/recurring/{schedule,lifecycle,change-rule,template,instances}.ts',
      'src/storage/{occurrences,instances,series}.ts',
      'src/recurring/{series,advance,sweep}.ts',
    ],
    tests: [
      'recurring/skip-and-pause',
      'recurring/series-reading',
      'recurring/instances',
      'recurring/edit-modes',
      'recurring/change-rule',
      'recurring/catching-up',
      'recurring/life-cycle',
      'recurring/series',
      'recurring/sweep',
      'workspaces/cross-tenant-deletions',
      'workspaces/cross-tenant',
      'metrics/metrics',
      'http/issues',
    ],
  },
  'api-tokens': {
    files: [
      'src/auth/api-tokens.ts',
      'src/storage/api-tokens.ts',
      'src/http/{session-cookie,same-origin,etags}.ts',
    ],
    tests: [
      'auth/api-tokens',
      'sessions/cookie-sessions',
      'http/etags',
      'sessions/refresh',
      'changes/ended-streams',
    ],
  },
  changes: {
    files: [
      'src/changes/{changes,cursor,epoch,listening,stream-events,streams,values}.ts',
      'src/storage/changes.ts',
    ],
    tests: [
      'changes/changes',
      'changes/events',
      'changes/ended-streams',
      'changes/recording',
      'changes/following',
      'auth/api-tokens',
      'db/journal',
    ],
  },
  carried: {
    files: [
      'src/tasks/{batch,change-task,checklist-items,checklist,comments,labels}.ts',
      'src/storage/{labels,comments,checklists,mentions,client-ids}.ts',
    ],
    tests: [
      'tasks/batch',
      'tasks/checklists',
      'tasks/comments',
      'tasks/labels',
      'tasks/numbers',
      'http/client-ids',
      'http/etags',
      'tasks/tasks',
      'trash/tasks',
      'recurring/instances',
      'recurring/life-cycle',
      'tasks/days',
      'tasks/search',
      'workspaces/quotas',
      'workspaces/cross-tenant',
    ],
  },
  trash: {
    files: [
      'src/trash/{delete-lists,purge,restore,steps}.ts',
      'src/tasks/trash-tasks.ts',
      'src/storage/{delete-rows,trash,trash-contents,trash-lists,unpack-lists}.ts',
    ],
    tests: [
      'storage/table-traits',
      'trash/tasks',
      'trash/lists',
      'trash/export',
      'storage/erasure',
      'http/etags',
      'http/client-ids',
      'tasks/batch',
      'workspaces/cross-tenant-deletions',
      'trash/unseen',
      'trash/steps',
    ],
  },
  import: {
    files: [
      'src/import/{checks,plan,rows,series-rows,trash-pieces,write-piece,reading}.ts',
      'src/storage/imports.ts',
    ],
    tests: [
      'import/import',
      'import/kept',
      'import/long-body',
      'import/broken-documents',
      'import/pieces',
      'import/interrupted',
      'import/round-trip',
    ],
  },
};

/** Single tests left out: those that take their time, or start many processes. */
export const TEST_NAMES =
  /^(?!.*(is not walked through|whatever is lost|however many processes|wherever one is killed))/;

interface FileMutants {
  file: string;
  source: string;
  firstId: number;
  mutants: Mutant[];
}

/** The mutants of a group's files whose path holds `only`, numbered through. */
export function planMutants(group: string, only: string): FileMutants[] {
  let firstId = 0;
  return globSync(groupOf(group).files)
    .sort()
    .filter((file) => file.includes(only))
    .map((file) => {
      const source = readFileSync(file, 'utf8');
      const planned = { file, source, firstId, mutants: mutantsOf(file, source) };
      firstId += planned.mutants.length;
      return planned;
    });
}

export function groupOf(name: string): Group {
  const group = GROUPS[name];
  if (!group) throw new Error(`The groups are ${Object.keys(GROUPS).join(', ')}`);
  const missing = group.tests.filter((test) => !existsSync(`test/${test}.test.ts`));
  if (missing.length > 0) throw new Error(`There is no test ${missing.join(', ')}`);
  return group;
}
