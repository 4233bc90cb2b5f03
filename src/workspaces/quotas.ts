import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { forbidden } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';
import { ownState } from '../kernel/own-state.ts';
import { type Counted, countUsed, type Use, useOf } from '../storage/quotas.ts';
import type { Member } from './authorization.ts';

/** What an owner may still add before their use is summed up again. */
interface Allowance extends Use {
  until: number;
}

/** By owner; to be deleted where an owner comes to hold more by other ways. */
export const allowancesOf = ownState(() => new Map<string, Allowance>());

const MEGABYTE = 1_000_000;
/** Nearer to a quota, use is summed up each time. */
const FAR = { tasks: 10_000, bytes: 32 * MEGABYTE };
/** Far from both, so much of the way may be gone before that, for so long: what series make meanwhile is far less. */
const SHARE = 4;
const ALLOWANCE_MS = 10 * SECOND;

/**
 * 403 when the owner of the workspace would hold more than their quota by it; what takes nothing more is never rejected. To
 * be asked in the transaction that adds it.
 */
export function requireCapacity(deps: Deps, db: Db, { ownerId }: Pick<Member, 'ownerId'>, added: Use): void {
  if (added.tasks <= 0 && added.bytes <= 0) return;
  const now = deps.clock.now();
  const allowance = allowancesOf(deps).get(ownerId);
  if (
    allowance &&
    now < allowance.until &&
    added.tasks <= allowance.tasks &&
    added.bytes <= allowance.bytes
  ) {
    allowance.tasks -= added.tasks;
    allowance.bytes -= added.bytes;
    return;
  }
  allowancesOf(deps).delete(ownerId);
  const { tasks, megabytes } = deps.config.quotas;
  const use = useOf(db, ownerId);
  const left = {
    tasks: (tasks || Number.POSITIVE_INFINITY) - use.tasks - added.tasks,
    bytes: (megabytes * MEGABYTE || Number.POSITIVE_INFINITY) - use.bytes - added.bytes,
  };
  if (added.tasks > 0 && left.tasks < 0) throw tooMuch('tasks', tasks);
  if (added.bytes > 0 && left.bytes < 0) throw tooMuch('megabytes', megabytes);
  if (left.tasks < FAR.tasks || left.bytes < FAR.bytes) return;
  allowancesOf(deps).set(ownerId, {
    tasks: left.tasks / SHARE,
    bytes: left.bytes / SHARE,
    until: now + ALLOWANCE_MS,
  });
}

const WORDS: Record<Counted, string> = {
  lists: 'lists',
  spaces: 'spaces',
  status_templates: 'status templates',
  series: 'recurring tasks',
};

/** 403 when the workspace has as many of these as it may; to be asked in the transaction that adds one. */
export function requireQuota({ config }: Deps, db: Db, who: Member, key: Counted): void {
  const most = config.quotas[key];
  if (most > 0 && countUsed(db, who, key) >= most) throw tooMany(key, most);
}

/** 403 while the owner, or the workspace, has more than the quotas allow, as the trash counts too: nothing is restored. */
export function requireWithinQuotas(
  { config: { quotas } }: Deps,
  db: Db,
  who: Member,
  counted: readonly Counted[],
): void {
  const use = useOf(db, who.ownerId);
  if (quotas.tasks > 0 && use.tasks > quotas.tasks) throw tooMuch('tasks', quotas.tasks);
  if (quotas.megabytes > 0 && use.bytes > quotas.megabytes * MEGABYTE) {
    throw tooMuch('megabytes', quotas.megabytes);
  }
  for (const key of counted) {
    const most = quotas[key];
    if (most > 0 && countUsed(db, who, key) > most) throw tooMany(key, most);
  }
}

const tooMany = (key: Counted, most: number) => exceeded(key, `A workspace may have ${most} ${WORDS[key]}`);

const tooMuch = (key: 'tasks' | 'megabytes', most: number) =>
  exceeded(key, `The owner of this workspace may have ${most} ${key === 'tasks' ? 'tasks' : 'MB of text'}`);

/** 403 when a workspace with so many of each would have more than it may. */
export function requireQuotas({ config: { quotas } }: Deps, sizes: Record<Counted, number>): void {
  for (const key of Object.keys(WORDS) as Counted[]) {
    if (quotas[key] > 0 && sizes[key] > quotas[key]) throw tooMany(key, quotas[key]);
  }
}

/** Names the setting, which an admin of the server may raise. */
const exceeded = (key: string, words: string) => forbidden(`${words} (quotas.${key})`);
