import type { Status } from '../../data/rows.ts';
import { quoted } from '../../text/quoted.ts';

/** A status as it is edited; that of a new one is only this page's id. */
export interface StatusDraft extends Omit<Status, 'position'> {
  isNew?: boolean;
}

type Statuses = readonly StatusDraft[];

const idsOf = (statuses: Statuses): string[] => statuses.map(({ id }) => id);

/**
 * What is edited here joined with what was saved elsewhere meanwhile; both began with `base`. Where they differ in the
 * same, the edit from here stays, and `conflicts` says so in sentences.
 */
export function mergeStatuses(
  base: Statuses,
  mine: Statuses,
  theirs: Statuses,
): { statuses: StatusDraft[]; conflicts: string[] } {
  const conflicts: string[] = [];
  const statuses = mergeOrder(idsOf(base), idsOf(mine), idsOf(theirs)).flatMap((id) => {
    const [was, here, there] = [base, mine, theirs].map((all) => all.find((one) => one.id === id));
    if (!was) return here ?? there ?? [];
    if (!here) {
      if (there && isEdited(was, there)) conflicts.push(`${quoted(there.title)} is removed here.`);
      return [];
    }
    if (there) return mergeFields(was, here, there, conflicts);
    if (!isEdited(was, here)) return [];
    conflicts.push(`${quoted(was.title)} was removed; here it is a new status.`);
    return { ...here, isNew: true };
  });
  return { statuses, conflicts };
}

const isEdited = (was: StatusDraft, is: StatusDraft): boolean =>
  was.title !== is.title || was.type !== is.type || was.color !== is.color;

function mergeFields(was: StatusDraft, here: StatusDraft, there: StatusDraft, conflicts: string[]) {
  let isTaken = false;
  const merge = <Value>(before: Value, own: Value, other: Value): Value => {
    if (own === before) return other;
    isTaken ||= other !== before && other !== own;
    return own;
  };
  const merged: StatusDraft = {
    ...there,
    title: merge(was.title, here.title, there.title),
    type: merge(was.type, here.type, there.type),
    color: merge(was.color, here.color, there.color),
  };
  if (isTaken) conflicts.push(`${quoted(there.title)} was changed too; here it stays as you have it.`);
  return merged;
}

/** Every id, in the order that was chosen here, else in theirs; one that only the other has stands before the same one as there. */
function mergeOrder(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  const isMoved =
    mine.filter((id) => base.includes(id)).join() !== base.filter((id) => mine.includes(id)).join();
  const [order, other] = isMoved ? [[...mine], theirs] : [[...theirs], mine];
  other.toReversed().forEach((id, index, reversed) => {
    if (order.includes(id)) return;
    const next = order.indexOf(reversed[index - 1] ?? '');
    order.splice(next === -1 ? order.length : next, 0, id);
  });
  return order;
}
