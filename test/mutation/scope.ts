import { globSync, readFileSync } from 'node:fs';
import { type Mutant, mutantsOf } from './mutators.ts';

/** What mutants are made of: who may do what, what proves who they are, and when recurring tasks come. */
export const GROUPS: Record<string, string[]> = {
  authorization: [
    'src/workspaces/{door,members,invitations,invitations-store,departure,assignments,store}.ts',
    'src/http/{route,rate-limits}.ts',
    'src/db/budgets.ts',
    'src/kernel/token-bucket.ts',
  ],
  tokens: [
    'src/sessions/{access-token,door,routes,store,tokens}.ts',
    'src/auth/{attempts,email-tokens,login,login-code,password-reset,email-change,signup,identities}.ts',
    'src/auth/{google-tokens,telegram-widget}.ts',
    'src/kernel/{secrets,keys}.ts',
  ],
  recurrence: [
    'src/recurring/{recurrence,interval,calendar,occurrences,schedule,progress,slots,rule,template}.ts',
    'src/recurring/{instances,instances-store,store,series,generate,sweep}.ts',
  ],
};

/**
 * What shows a fault soonest comes first; left out are tests that start programs or write much, which would hold up
 * every mutant of the path of a request for seconds and say nothing that others do not say.
 */
export const TESTS_FIRST = [
  'recurrence.test',
  'words',
  'keys',
  'contract',
  'sessions',
  'limits',
  'telegram',
  'google',
  'invitations',
  'workspaces',
  'signup',
  'accounts',
  'series',
  'sweep',
];
export const TESTS_LEFT_OUT = [
  'backup',
  'browser',
  'bulk-deletes',
  'cli',
  'config',
  'doctor',
  'docs',
  'mail-smtp',
  'messages',
  'migrate',
  'native-addon',
  'programs',
  'query-plans',
  'rehearsal',
  'restore',
  'storage',
  'writer',
];

export interface FileMutants {
  file: string;
  source: string;
  firstId: number;
  mutants: Mutant[];
}

/** The mutants of the files whose path or group holds `only`, numbered through. */
export function planMutants(only: string): FileMutants[] {
  let firstId = 0;
  return Object.entries(GROUPS).flatMap(([group, patterns]) =>
    globSync(patterns)
      .sort()
      .filter((file) => group === only || file.includes(only))
      .map((file) => {
        const source = readFileSync(file, 'utf8');
        const planned = { file, source, firstId, mutants: mutantsOf(file, source) };
        firstId += planned.mutants.length;
        return planned;
      }),
  );
}
