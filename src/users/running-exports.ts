import { ownState } from '../kernel/own-state.ts';

/** The exports that are running, and how to stop one: deleting an account stops its own. */
export const runningExports = ownState(() => new Set<{ userId: string; stop: AbortController }>());
