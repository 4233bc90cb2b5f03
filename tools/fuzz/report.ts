import { type Hold, ownMs } from './loop.ts';
import type { Operation } from './operations.ts';
import type { MemoryUse } from './target.ts';

export type Intent = 'valid' | 'strange' | 'broken' | 'gone' | 'foreign';

/** Something that must not be, with what is needed to look at it. */
interface Finding {
  seed: number;
  /** The number of the request in its run. */
  number: number;
  what: string;
  route: string;
  request: string;
  response: string;
}

interface Tally {
  /** Requests by what they were meant to be, and of each how many had a 2xx. */
  sent: Record<Intent, number>;
  accepted: Record<Intent, number>;
  statuses: Map<number, number>;
}

export interface Report {
  seed: number;
  requests: number;
  seconds: number;
  tallies: Map<string, Tally>;
  findings: Finding[];
  /** Findings beyond those that are kept. */
  unshown: number;
  memory: (MemoryUse & { requests: number })[];
  holds: Hold[];
}

const MAX_SHOWN = 40;
const HOLDS_SHOWN = 8;
/** What one request may hold the event loop for by itself. */
export const MAX_HELD_MS = 50;
/** Before that, caches fill and rare routes are not met. */
const TELLING_FROM = 20_000;
/** What memory may grow by from the second to the last quarter of a long run. */
const MAX_GROWTH = { share: 0.1, mb: 4 };

export const emptyReport = (seed: number, operations: readonly Operation[]): Report => ({
  seed,
  requests: 0,
  seconds: 0,
  tallies: new Map(
    operations.map(({ name }) => [
      name,
      {
        sent: { valid: 0, strange: 0, broken: 0, gone: 0, foreign: 0 },
        accepted: { valid: 0, strange: 0, broken: 0, gone: 0, foreign: 0 },
        statuses: new Map(),
      },
    ]),
  ),
  findings: [],
  unshown: 0,
  memory: [],
  holds: [],
});

/** One finding of a kind is enough to look at; the others are counted. */
export function addFinding(report: Report, finding: Finding): void {
  const isKnown = report.findings.some(({ what, route }) => what === finding.what && route === finding.route);
  if (isKnown || report.findings.length >= MAX_SHOWN) report.unshown += 1;
  else report.findings.push(finding);
}

export function addHold(report: Report, hold: Hold): void {
  report.holds.push(hold);
  report.holds.sort((a, b) => ownMs(b) - ownMs(a));
  report.holds.length = Math.min(report.holds.length, HOLDS_SHOWN);
}

/** The routes that no valid request got a 2xx from; too few requests tell nothing of that. */
export const neverAccepted = ({ tallies, requests }: Report): string[] =>
  requests < TELLING_FROM
    ? []
    : [...tallies].flatMap(([name, { accepted }]) => (accepted.valid + accepted.strange === 0 ? [name] : []));

/** By how many MB the heap grew between the second and the last quarter, and whether that is too much. */
export function growthOf({ memory, requests }: Report): { mb: number; isTooMuch: boolean } {
  const quarter = Math.floor(memory.length / 4);
  if (quarter === 0) return { mb: 0, isTooMuch: false };
  const mean = (points: MemoryUse[]) => points.reduce((sum, { heapMb }) => sum + heapMb, 0) / points.length;
  const before = mean(memory.slice(quarter, 2 * quarter));
  const mb = mean(memory.slice(-quarter)) - before;
  return {
    mb,
    isTooMuch: requests >= TELLING_FROM && mb > MAX_GROWTH.mb && mb > before * MAX_GROWTH.share,
  };
}

/** The report for people. */
export function printed(report: Report): string {
  const { seed, requests, seconds, tallies, findings, unshown, memory, holds } = report;
  const percent = (part: number, whole: number) =>
    whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`;
  const rows = [...tallies].map(([name, { sent, accepted, statuses }]) => {
    const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, n]) => `${status}×${n}`);
    return `${name.padEnd(88)} ${percent(accepted.valid, sent.valid).padStart(6)} of ${String(sent.valid).padEnd(7)} ${counts.join(' ')}`;
  });
  const growth = growthOf(report);
  return [
    `seed ${seed}: ${requests} requests in ${seconds.toFixed(0)} s`,
    '',
    'route, valid requests that were accepted, all responses by status',
    ...rows,
    '',
    `heap after collection, MB: ${memory.map(({ heapMb }) => heapMb.toFixed(1)).join(' ')} (grew by ${growth.mb.toFixed(1)})`,
    `resident, MB: ${memory.map(({ rssMb }) => rssMb.toFixed(0)).join(' ')}`,
    'longest holds of the event loop:',
    ...holds.map(
      (hold) =>
        `  ${ownMs(hold).toFixed(1)} ms (clock ${hold.ms.toFixed(1)}, CPU ${hold.cpuMs.toFixed(1)}, garbage ${hold.gcMs.toFixed(1)})  ${hold.during}`,
    ),
    '',
    ...findings.map(
      ({ number, what, request, response }) =>
        `FOUND (seed ${seed}, request ${number}): ${what}\n  ${request}\n  ${response}`,
    ),
    unshown > 0 ? `and ${unshown} findings like these` : `${findings.length} findings`,
  ].join('\n');
}
