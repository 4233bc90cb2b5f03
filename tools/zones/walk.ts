/**
 * Walks daily series through every time zone of this runtime, 1970 to 2100, and compares them with the plain oracle
 * around every change of clocks. Run by hand after an update of the runtime: `node tools/zones/walk.ts`.
 * Fails (exit 1) on an exception, a duplicate, a loss, a wrong number or a different opinion of `Intl`.
 */
import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { canonicalTimezone } from '../../src/kernel/time-zones.ts';
import { createRule, occurrenceAfter, occurrences } from '../../src/recurring/recurrence/recurrence.ts';
import type { EndCondition } from '../../src/recurring/rule-schema.ts';
import { momentOf, walk } from '../../test/recurrence-oracle.ts';

const FROM = '1970-01-01';
const LAST = '2100-12-31';
const DAY = 86_400_000;
const NEVER: EndCondition = { type: 'never' };
/** Names that `Intl.supportedValuesOf` does not list, or lists under another spelling. */
const ALIASES = `
  UTC GMT Etc/UTC Etc/GMT+12 Etc/GMT-14 EST MST HST EST5EDT PST8PDT CET WET US/Eastern US/Pacific
  US/Samoa NZ NZ-CHAT GB Eire Cuba Egypt Iran Israel Japan Kwajalein Pacific/Samoa Pacific/Kanton
  Asia/Calcutta Asia/Kolkata Asia/Kathmandu Europe/Kiev Europe/Kyiv America/Buenos_Aires
  Australia/LHI Antarctica/South_Pole Asia/Rangoon Singapore Zulu
`
  .trim()
  .split(/\s+/);

interface Report {
  zones: number;
  occurrences: number;
  changes: number;
  compared: number;
  skippedDays: string[];
  faults: string[];
}

/** The daily series over the whole range: every date in turn, each number right, also when asked for directly. */
function walkRange(timezone: string, timeOfDay: string, report: Report) {
  const momentOn = (day: number) => momentOf(Temporal.PlainDate.from(dateText(day)), timeOfDay, timezone).ms;
  const firstDay = Date.parse(FROM) / DAY;
  const startsAt = new Date(momentOn(firstDay)).toISOString();
  const rule = createRule(
    { frequency: 'day', timeOfDay, timezone },
    { type: 'date', endDate: LAST },
    startsAt,
  );
  let [previousAt, previousDay, number] = ['', firstDay - 1, 0];
  for (const occurrence of occurrences(rule)) {
    const day = Date.parse(occurrence.local.slice(0, 10)) / DAY;
    const fault = (what: string) => report.faults.push(`${timezone} ${occurrence.local}: ${what}`);
    number += 1;
    report.occurrences += 1;
    if (occurrence.at <= previousAt) fault('not later than the one before');
    if (occurrence.number !== number) fault(`number ${occurrence.number}, not ${number}`);
    if (day !== previousDay + 1) {
      if (day === previousDay + 2 && momentOn(previousDay) === momentOn(previousDay + 1))
        report.skippedDays.push(`${timezone} ${dateText(previousDay)}`);
      else fault(`lost what comes after ${dateText(previousDay)}`);
    }
    if (number % 1_000 === 0 && !isDeepStrictEqual(occurrenceAfter(rule, previousAt), occurrence))
      fault('another one when asked for directly');
    [previousAt, previousDay] = [occurrence.at, day];
  }
  if (dateText(previousDay) !== LAST) report.faults.push(`${timezone} ended on ${dateText(previousDay)}`);
}

/** Three days either side of every change of clocks, at the times of day that the change touches. */
function walkChanges(timezone: string, report: Report) {
  const intl = intlClock(timezone);
  let change: Temporal.ZonedDateTime | null = Temporal.Instant.from(`${FROM}T00:00Z`).toZonedDateTimeISO(
    timezone,
  );
  for (;;) {
    change = change.getTimeZoneTransition('next');
    if (!change || change.year > 2100) return;
    report.changes += 1;
    const before = change.subtract({ nanoseconds: 1 });
    const walls = [change, before].flatMap((moment) =>
      [-30, -1, 0, 1, 15].map((minutes) => moment.toPlainDateTime().add({ minutes }).toPlainTime()),
    );
    const times = new Set(['00:00', ...walls.map((time) => time.toString({ smallestUnit: 'minute' }))]);
    const startsAt = new Date(change.epochMilliseconds - 3 * DAY).toISOString();
    for (const timeOfDay of times) {
      const interval = { frequency: 'day', timeOfDay, timezone } as const;
      const series = occurrences(createRule(interval, NEVER, startsAt));
      for (const expected of walk(interval, NEVER, startsAt, 6)) {
        const { value } = series.next();
        report.compared += 1;
        if (!isDeepStrictEqual(value, expected))
          report.faults.push(
            `${timezone} ${expected.local}: ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`,
          );
        else if (expected.note !== 'shifted' && intl(expected.at) !== expected.local)
          report.faults.push(
            `${timezone} ${expected.at}: Intl shows ${intl(expected.at)}, not ${expected.local}`,
          );
      }
    }
  }
}

const dateText = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);

/** What `Intl` takes the clocks of a zone to show, `YYYY-MM-DDTHH:MM`. */
function intlClock(timezone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return (at) => format.format(new Date(at)).replace(' ', 'T');
}

function walkZones(zones: string[]): Report {
  const report: Report = { zones: 0, occurrences: 0, changes: 0, compared: 0, skippedDays: [], faults: [] };
  for (const timezone of zones) {
    report.zones += 1;
    try {
      if (canonicalTimezone(timezone) !== timezone) report.faults.push(`${timezone} is not taken as it is`);
      walkRange(timezone, '00:30', report);
      walkChanges(timezone, report);
    } catch (error) {
      report.faults.push(`${timezone} threw ${error}`);
    }
  }
  return report;
}

async function main() {
  const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), ...ALIASES])];
  const workers = availableParallelism();
  const began = performance.now();
  const reports = await Promise.all(
    Array.from({ length: workers }, (_, n) => {
      const share = zones.filter((_zone, index) => index % workers === n);
      return new Promise<Report>((resolve, reject) => {
        new Worker(new URL(import.meta.url), { workerData: share })
          .once('message', resolve)
          .once('error', reject);
      });
    }),
  );
  const sum = (pick: (report: Report) => number) => reports.map(pick).reduce((a, b) => a + b, 0);
  const skippedDays = reports.flatMap((report) => report.skippedDays).sort();
  const faults = reports.flatMap((report) => report.faults);
  const lines = [
    `zone data ${process.versions.tz}, Node ${process.versions.node}`,
    `${sum((report) => report.zones)} zones, ${FROM} to ${LAST}, ${Math.round((performance.now() - began) / 1_000)} s`,
    `${sum((report) => report.occurrences)} daily occurrences walked at 00:30`,
    `${sum((report) => report.changes)} changes of clocks, ${sum((report) => report.compared)} occurrences around them compared with the oracle and Intl`,
    `skipped calendar days: ${skippedDays.join(', ')}`,
    `${faults.length} faults`,
    ...faults.slice(0, 50),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (isMainThread) await main();
else parentPort?.postMessage(walkZones(workerData));
