import { setTimeout as wait } from 'node:timers/promises';
import { recordAct } from '../audit/trail.ts';
import type { Tx } from '../db/tx.ts';
import type { Write } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import { badRequest, invalid, tooManyRequests, unavailable } from '../kernel/errors.ts';
import { MINUTE, SECOND, toInstant } from '../kernel/instants.ts';
import { ownState } from '../kernel/own-state.ts';
import type { OnDone } from '../kernel/progress.ts';
import { ZONE_DATA } from '../recurring/advance.ts';
import { clearZoneData, seenZoneData } from '../recurring/sweep.ts';
import { userKeyOf } from '../storage/changes.ts';
import {
  areBeingImported,
  beginWorkspace,
  deleteImports,
  finishWorkspaces,
  listImports,
  noteImportAlive,
} from '../storage/imports.ts';
import { timezoneOf } from '../storage/users.ts';
import { requireCapacity, requireQuotas } from '../workspaces/quotas.ts';
import { finishRemoval } from '../workspaces/removals.ts';
import type { PlannedWorkspace } from './plan.ts';
import { type Reading, startReading } from './reading.ts';
import type { ImportResult } from './result-schema.ts';
import { AT_THE_START, useOfPiece, writePiece } from './write-piece.ts';

/** Each holds a document in memory, some times as long as it is. */
const MAX_RUNNING = 2;
const BUSY_MS = 10 * SECOND;
/** A document that has not arrived after so long makes room for another one: two slow ones would keep everyone out. */
const SLOW_MS = 30 * SECOND;
/** An import that has not shown for so long that it lives was interrupted. */
export const ALIVE_MS = 2 * MINUTE;
const SHOWN_EVERY_MS = 10 * SECOND;
/** Between the steps of a command, beside which a server has to write as well. */
const COMMAND_PAUSE_MS = 20;

interface Running {
  begunAt: number;
  /** Rejected to make room, while the document arrives. */
  arriving: PromiseWithResolvers<never> | undefined;
}

/** The running imports by user, the longest first. */
export const runningImports = ownState(() => new Map<string, Running>());

interface Importing {
  userId: string;
  /** As in the account. */
  email: string;
  /** Writes in the importer's name, while they may. */
  write: Write;
  isDryRun: boolean;
  onDone?: OnDone;
}

/**
 * Imports a document into new workspaces of a person, who sees them once they are whole; an interrupted one leaves
 * nothing. 400 with every rule that it breaks, 403 beyond a quota, 429 while another one of theirs or too many in all run,
 * or where it was long in arriving and made room.
 */
export async function importDocument(
  deps: Deps,
  importing: Importing,
  chunks: AsyncIterable<Uint8Array>,
): Promise<ImportResult> {
  const { userId, email, isDryRun } = importing;
  const running = runningImports(deps);
  if (running.has(userId)) throw tooManyRequests(BUSY_MS);
  if (running.size >= MAX_RUNNING) makeRoom(running, deps.clock.now());
  const own: Running = { begunAt: deps.clock.now(), arriving: Promise.withResolvers() };
  running.set(userId, own);
  const reading = startReading(deps.stopping);
  try {
    await arrive(own, chunks[Symbol.asyncIterator](), reading);
    requireRunning(deps);
    const plan = await reading.plan({ email, now: deps.clock.now() });
    if ('broken' in plan) throw badRequest(plan.broken);
    if ('issues' in plan) throw invalid(...plan.issues);
    for (const { sizes } of plan.workspaces) requireQuotas(deps, sizes);
    await importing.write((tx) => requireCapacity(deps, tx, { ownerId: userId }, plan.use));
    const { counts, warnings } = plan;
    if (!isDryRun) await store(deps, importing, plan.workspaces, plan.use.tasks, reading);
    const workspaces = plan.workspaces.map(({ id, title }) => ({ id: isDryRun ? null : id, title }));
    return { workspaces, counts, warnings };
  } finally {
    if (running.get(userId) === own) running.delete(userId);
    await reading.end();
  }
}

function makeRoom(running: Map<string, Running>, now: number): void {
  const slow = [...running].find(([, { begunAt, arriving }]) => arriving && now - begunAt >= SLOW_MS);
  if (slow === undefined) throw tooManyRequests(BUSY_MS);
  const [userId, { arriving }] = slow;
  running.delete(userId);
  arriving?.reject(tooManyRequests(BUSY_MS));
}

async function arrive(own: Running, chunks: AsyncIterator<Uint8Array>, reading: Reading): Promise<void> {
  for (;;) {
    const arrived = chunks.next();
    const { value, done } = await (own.arriving ? Promise.race([arrived, own.arriving.promise]) : arrived);
    if (done) break;
    reading.add(value);
  }
  own.arriving = undefined;
}

async function store(
  deps: Deps,
  importing: Importing,
  workspaces: readonly PlannedWorkspace[],
  total: number,
  reading: Reading,
): Promise<void> {
  const { userId } = importing;
  const ids = workspaces.map(({ id }) => id);
  try {
    const zoneData = await fill(deps, importing, workspaces, total, reading);
    await importing.write((tx) => {
      requireUntouched(tx, ids);
      finishWorkspaces(tx, ids, userId, toInstant(deps.clock.now()));
      if (!zoneData.isSubsetOf(new Set([seenZoneData(tx)]))) clearZoneData(tx);
      recordAct(deps, tx, { event: 'account-imported', userId, workspaceIds: ids }, 'account imported');
    });
  } catch (error) {
    await deps.write((tx) => deleteImports(tx, { workspaceIds: ids }));
    for (const id of ids) {
      // What is left when the server stops goes when it is back.
      await finishRemoval(deps, { kind: 'workspace', id }).catch(() => {});
    }
    throw error;
  }
}

/** Stores what the workspaces hold in steps, between which others write; returns which zone data series come from. */
async function fill(
  deps: Deps,
  { userId, write, onDone }: Importing,
  workspaces: readonly PlannedWorkspace[],
  total: number,
  reading: Reading,
): Promise<ReadonlySet<string>> {
  const now = deps.clock.now();
  const at = toInstant(now);
  const ids = workspaces.map(({ id }) => id);
  const { code, timezone, keys } = await write((tx) => ({
    code: userKeyOf(tx, userId) ?? 0,
    timezone: timezoneOf(tx, userId),
    keys: new Map(
      workspaces.map(({ id, title, key, createdAt = at, updatedAt = createdAt }) => {
        const row = { id, title, key, owner_id: userId, created_at: createdAt, updated_at: updatedAt };
        return [id, beginWorkspace(tx, row, deps.actsAs, at)];
      }),
    ),
  }));
  const storing = { owner: { id: userId, code, timezone }, keys, at, zoneData: ZONE_DATA };
  let standing = AT_THE_START;
  const reserved = new Map<string, number>();
  let shownAt = now;
  let done = 0;
  const zoneData = new Set<string>();
  for (let piece = await reading.begin(storing); piece; piece = await reading.next()) {
    requireRunning(deps);
    const entries = piece;
    const use = useOfPiece(entries);
    for (const entry of entries) if (entry.kind === 'series') zoneData.add(entry.row.tz_version);
    const stepAt = deps.clock.now();
    const showsAlive = stepAt - shownAt >= SHOWN_EVERY_MS;
    const written = await write((tx) => {
      requireUntouched(tx, ids);
      if (showsAlive) noteImportAlive(tx, ids, toInstant(stepAt));
      requireCapacity(deps, tx, { ownerId: userId }, use);
      return writePiece(tx, entries, code, standing, reserved);
    });
    ({ standing } = written);
    for (const [id, seq] of written.reserved) reserved.set(id, seq);
    if (showsAlive) shownAt = stepAt;
    done += use.tasks;
    if (use.tasks > 0) onDone?.(done, total);
    if (deps.actsAs === 'command') await wait(COMMAND_PAUSE_MS);
  }
  return zoneData;
}

function requireRunning({ stopping }: Deps): void {
  if (stopping.aborted) throw unavailable('The server is stopping');
}

function requireUntouched(tx: Tx, ids: readonly string[]): void {
  if (!areBeingImported(tx, ids)) throw unavailable('The import was interrupted');
}

/** Has what interrupted imports of this server left deleted, when it starts. */
export async function dropInterruptedImports({ read, write }: Deps): Promise<void> {
  if (listImports(read).length > 0) await write((tx) => deleteImports(tx, { source: 'api' }));
}

/** Has what imports left deleted that were interrupted elsewhere. */
export const dropDeadImports = (deps: Deps): Promise<boolean> =>
  deps.write((tx) => deleteImports(tx, { aliveBefore: toInstant(deps.clock.now() - ALIVE_MS) }));
