import { globSync, readFileSync } from 'node:fs';
import { type Mutant, mutantsOf } from './mutators.ts';

interface Group {
  files: string[];
  /** Where their guarantees are held, the nearest first. */
  tests: string[];
}

/** What mutants are made of: who may do what, what proves who they are, and when recurring tasks come. */
export const GROUPS: Record<string, Group> = {
  authorization: {
    files: [
      'src/workspaces/{door,members,invitations,invitations-store,departure,assignments,store}.ts',
      'src/http/{route,rate-limits}.ts',
      'src/db/budgets.ts',
      'src/kernel/token-bucket.ts',
    ],
    tests: [
      'contract',
      'invitations',
      'workspaces',
      'notifications',
      'removal',
      'http',
      'bystanders',
      'signup',
      'limits',
      'enumeration',
    ],
  },
  tokens: {
    files: [
      'src/sessions/{access-token,door,routes,store,tokens}.ts',
      'src/auth/{attempts,email-tokens,login,login-code,password-reset,email-change,signup,identities}.ts',
      'src/auth/{google-tokens,telegram-widget}.ts',
      'src/kernel/{secrets,keys}.ts',
    ],
    tests: [
      'keys',
      'contract',
      'sessions',
      'telegram',
      'google',
      'google-tokens',
      'signup',
      'pre-hijacking',
      'accounts',
      'limits',
      'enumeration',
      'invitations',
      'logs',
      'pages',
      'removal',
      'bystanders',
    ],
  },
  recurrence: {
    files: [
      'src/recurring/{recurrence,interval,calendar,occurrences,schedule,progress,slots,rule,template}.ts',
      'src/recurring/{instances,instances-store,store,series,generate,sweep}.ts',
    ],
    tests: [
      'recurrence',
      'contract',
      'series-lifecycle',
      'series',
      'sweep',
      'removal',
      'recurrence.properties',
    ],
  },
};

/** Single tests left out: those that measure time, and those that start many processes. */
export const TEST_NAMES = /^(?!speed |.*(however many processes|wherever one is killed))/;

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
