import { globSync, readFileSync } from 'node:fs';
import { type Mutant, mutantsOf } from './mutators.ts';

interface Group {
  files: string[];
  /** Where their guarantees are held, the nearest first. */
  tests: string[];
}

/** What mutants are made of: who may do what, what proves who they are, and when recurring tasks come. */
export const GROUPS: Record<string, Group> = {
  door: {
    files: ['src/workspaces/{door,members,departure,assignments,store}.ts', 'src/db/memory.ts'],
    tests: [
      'memory',
      'workspaces',
      'bystanders',
      'invitations',
      'notifications',
      'removal',
      'search',
      'logs',
    ],
  },
  invitations: {
    files: ['src/workspaces/{invitations,invitations-store}.ts'],
    tests: ['invitations', 'bystanders', 'notifications', 'mail-budgets', 'removal'],
  },
  requests: {
    files: ['src/http/{route,rate-limits}.ts', 'src/db/budgets.ts', 'src/kernel/token-bucket.ts'],
    tests: ['http', 'limits', 'issues', 'workspaces', 'accounts', 'removal', 'export'],
  },
  sessions: {
    files: ['src/sessions/{access-token,door,routes,store,tokens}.ts'],
    tests: ['sessions', 'memory', 'limits', 'logs'],
  },
  keys: { files: ['src/kernel/{keys,secrets}.ts'], tests: ['keys', 'sessions'] },
  'sign-in': {
    files: ['src/auth/{attempts,login,login-code}.ts'],
    tests: ['accounts', 'bystanders', 'limits', 'logs', 'mail-worker'],
  },
  'mailed-tokens': {
    files: ['src/auth/{email-tokens,password-reset,email-change}.ts'],
    tests: ['accounts', 'mail-budgets', 'bystanders', 'removal', 'limits', 'logs'],
  },
  'sign-up': {
    files: ['src/auth/signup.ts'],
    tests: [
      'signup',
      'invitations',
      'telegram',
      'pre-hijacking',
      'accounts',
      'issues',
      'mail-budgets',
      'logs',
    ],
  },
  identities: {
    files: ['src/auth/{identities,google-tokens,telegram-widget}.ts'],
    tests: ['telegram', 'google', 'google-tokens', 'accounts', 'bystanders', 'logs'],
  },
  arithmetic: {
    files: ['src/recurring/{recurrence,interval,calendar,slots}.ts'],
    tests: ['recurrence', 'series', 'recurrence.properties'],
  },
  series: {
    files: [
      'src/recurring/{occurrences,schedule,lifecycle,rule,template,instances,instances-store}.ts',
      'src/recurring/{store,series,generate,sweep}.ts',
    ],
    tests: ['series-lifecycle', 'series', 'sweep', 'bystanders', 'neighbours', 'metrics', 'issues'],
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
