import type { SeriesProgress } from '../recurring/progress-schema.ts';
import { createRule, occurrenceAtOrBefore, type Rule } from '../recurring/recurrence/recurrence.ts';
import type { ImportedOccurrence, ImportedSeriesHead, ImportedTaskHead } from './schema.ts';

/** How a series goes on: its rule with nothing left to imply, where it stands, and what was decided. */
export interface Continuation {
  interval: Rule['interval'];
  endCondition: Rule['endCondition'];
  progress: Omit<SeriesProgress, 'zoneData' | 'adoptedTaskId' | 'broughtBack'> &
    Pick<NonNullable<ImportedSeriesHead['progress']>, 'zoneData' | 'adoptedTaskId' | 'broughtBack'>;
  occurrences: readonly ImportedOccurrence[];
}

type Instance = Pick<ImportedTaskHead, 'id' | 'recurrence'>;

/** The rule by what the document says of it; its anchor is no day of ours where no year is left for one. */
export const ruleOf = ({ interval, endCondition = { type: 'never' }, startsAt }: ImportedSeriesHead): Rule =>
  createRule(interval, endCondition, startsAt);

/** As the document says, or for version 1 as follows from its upcoming occurrence and the tasks of the series. */
export function continuationOf(
  series: ImportedSeriesHead,
  occurrences: readonly ImportedOccurrence[],
  instances: readonly Instance[],
): Continuation {
  const { progress } = series;
  const rule = ruleOf(series);
  const complete = { interval: rule.interval, endCondition: rule.endCondition };
  if (progress) {
    const { upcoming } = progress;
    return {
      ...complete,
      progress: { ...progress, upcoming: upcoming && { ...upcoming, taskId: upcoming.taskId ?? null } },
      occurrences,
    };
  }
  return { ...complete, ...derived(series, { ...rule, endCondition: { type: 'never' } }, instances) };
}

function derived(series: ImportedSeriesHead, rule: Rule, instances: readonly Instance[]) {
  const decided = new Map<string, ImportedOccurrence>();
  for (const { id, recurrence } of instances) {
    if (!recurrence) continue;
    const { occurrenceAt: at, occurrenceNumber: number } = recurrence;
    const local = occurrenceAtOrBefore(rule, at)?.local ?? at.slice(0, 'YYYY-MM-DDTHH:MM'.length);
    decided.set(local, { ruleVersion: 1, local, at, number, state: 'generated', taskId: id });
  }
  const last = [...decided.values()].reduce<ImportedOccurrence | undefined>(
    (latest, each) => (latest && latest.at > each.at ? latest : each),
    undefined,
  );
  const at = series.nextRunAt ?? last?.at;
  const number = series.nextOccurrenceNumber ?? last?.number;
  const known = at === undefined ? null : occurrenceAtOrBefore(rule, at);
  return {
    progress: {
      anchorDate: rule.anchor,
      numberOffset: number == null || !known ? 0 : number - known.number,
      ruleVersion: 1,
      upcoming:
        series.nextRunAt != null && number != null && known
          ? { local: known.local, number, taskId: series.nextTaskId ?? null }
          : null,
    },
    occurrences: [...decided.values()],
  };
}
