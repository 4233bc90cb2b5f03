import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import { positionAfter } from '../kernel/positions.ts';
import { STATUS_COLORS } from '../storage/starter.ts';
import type { Status, StatusEntry } from './schema.ts';

/**
 * What a template's statuses become by a new array: entries with the id of a status keep it and what they do not
 * name, others are new. The array's order is kept by entries that bring no position of their own; where each brings the
 * one that it has already, it was read and sent back, and the order is what is meant.
 */
export function nextStatuses(
  present: readonly Status[],
  entries: readonly StatusEntry[],
  now: Instant,
): Status[] {
  const keptBy = ({ id }: StatusEntry) => present.find((status) => status.id === id);
  const isMoved = (entry: StatusEntry) =>
    entry.position !== undefined && entry.position !== keptBy(entry)?.position;
  const areMoved = entries.some(isMoved);
  let last: number | undefined;
  return entries.map((entry) => {
    const kept = keptBy(entry);
    const type = entry.type ?? kept?.type ?? 'unstarted';
    const position = (areMoved ? entry.position : undefined) ?? placeAfter(last, kept?.position);
    last = Math.max(last ?? position, position);
    return {
      id: kept?.id ?? newId(now),
      title: entry.title ?? kept?.title ?? '',
      type,
      color: entry.color ?? kept?.color ?? STATUS_COLORS[type],
      position,
    };
  });
}

/** In the order in which they are shown. */
export const inOrder = (statuses: readonly Status[]): Status[] =>
  statuses.toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));

/** Where tasks go whose status leaves the template: the first of the same type, else the first. */
export const successorOf = (status: Pick<Status, 'type'>, among: readonly Status[]): Status =>
  among.find(({ type }) => type === status.type) ?? firstOf(among);

/** Where tasks go that come to another template: the same status, the same title, the same type, else the first. */
export const counterpartOf = (status: Status, among: readonly Status[]): Status =>
  among.find(({ id }) => id === status.id) ??
  among.find(({ title }) => title === status.title) ??
  successorOf(status, among);

function firstOf(statuses: readonly Status[]): Status {
  const [first] = statuses;
  if (!first) throw new Error('A template has no statuses');
  return first;
}

const placeAfter = (last: number | undefined, present: number | undefined): number =>
  present !== undefined && present > (last ?? Number.NEGATIVE_INFINITY) ? present : positionAfter(last);
