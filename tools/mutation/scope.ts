import { globSync, readFileSync } from 'node:fs';
import { type Mutant, mutantsOf } from './mutators.ts';

interface Group {
  files: string[];
  /** Where their guarantees are held, the nearest first. */
  tests: string[];
}

/** What mutants are made of: who may do what, what proves who they are, and when recurring tasks come. */
export const GROUPS: Record<string, Group> = {
  guard: {
    files: [
      'src/workspaces/{authorization,members,membership-removal,assignments}.ts',
      'src/storage/workspaces.ts',
      'src/db/query-cache.ts',
    ],
    tests: [
      'query-cache',
      'workspaces',
      'cross-tenant-deletions',
      'invitations',
      'notifications',
      'account-deletion',
      'search',
      'logs',
    ],
  },
  invitations: {
    files: ['src/{workspaces,storage}/invitations.ts'],
    tests: ['invitations', 'cross-tenant-deletions', 'notifications', 'mail-limits', 'account-deletion'],
  },
  requests: {
    files: ['src/http/{route,rate-limits}.ts', 'src/storage/rate-limits.ts', 'src/kernel/token-bucket.ts'],
    tests: ['http', 'limits', 'issues', 'workspaces', 'accounts', 'account-deletion', 'export'],
  },
  sessions: {
    files: ['src/sessions/{access-token,authentication,routes,tokens}.ts', 'src/storage/sessions.ts'],
    tests: ['sessions', 'query-cache', 'limits', 'logs'],
  },
  keys: { files: ['src/kernel/{keys,secrets}.ts'], tests: ['keys', 'sessions'] },
  'sign-in': {
    files: ['src/auth/{attempts,password/login,email/login-code}.ts'],
    tests: ['accounts', 'cross-tenant-deletions', 'limits', 'logs', 'mail-worker'],
  },
  'mailed-tokens': {
    files: ['src/{storage/email-tokens,auth/password/password-reset,auth/email/email-change}.ts'],
    tests: ['accounts', 'mail-limits', 'cross-tenant-deletions', 'account-deletion', 'limits', 'logs'],
  },
  'sign-up': {
    files: ['src/auth/email/signup.ts'],
    tests: [
      'signup',
      'invitations',
      'telegram',
      'pre-hijacking',
      'accounts',
      'issues',
      'mail-limits',
      'logs',
    ],
  },
  identities: {
    files: ['src/auth/providers/{identities,google/google-tokens,telegram/telegram-widget}.ts'],
    tests: ['telegram', 'google', 'google-tokens', 'accounts', 'cross-tenant-deletions', 'logs'],
  },
  arithmetic: {
    files: ['src/recurring/recurrence/*.ts'],
    tests: ['recurrence', 'series', 'recurrence.properties'],
  },
  series: {
    files: [
      'src/recurring/{schedule,lifecycle,change-rule,template,instances}.ts',
      'src/storage/{occurrences,instances,series}.ts',
      'src/recurring/{series,advance,sweep}.ts',
    ],
    tests: [
      'series-lifecycle',
      'series',
      'sweep',
      'cross-tenant-deletions',
      'cross-tenant',
      'metrics',
      'issues',
    ],
  },
};

/** Single tests left out: those that take their time, or start many processes. */
export const TEST_NAMES = /^(?!.*(is not walked through|however many processes|wherever one is killed))/;

export interface FileMutants {
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
  return group;
}
