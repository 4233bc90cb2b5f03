import type { List, Row } from '../data/rows.ts';
import type { ScreenName } from '../shell/addresses.ts';
import { today } from '../shell/clock.ts';
import type { Match } from '../shell/router.ts';
import type { Day } from '../text/days.ts';
import { fold } from '../text/match.ts';
import type { Named } from '../text/quick-add.ts';
import type { Filters } from '../text/say-filters.ts';
import { statusForNew } from './new-task.ts';

/** What a new task gets from the view it is made in. */
export interface GivenByView {
  listId: string | undefined;
  /** A day, where the view is one and the text names none. */
  day: Day | null;
  /** Whom and which label the filters name, and the status of the column. */
  shared: Row;
}

/** Today gives its day, a day of the calendar that one, a filter on one person or label gives that one; Upcoming gives nothing. */
export function givenByView(
  match: Match<ScreenName> | undefined,
  filters: Filters,
  userId: string,
  chosenDay: Day | undefined,
): GivenByView {
  const name = match?.name;
  const isToday = name === 'today' || name === 'workspaceToday';
  const isMine = name === 'mine' || name === 'workspaceMine';
  const { assignee, label } = filters;
  const person = assignee === 'me' || (isMine && assignee === undefined) ? userId : assignee;
  const isOnePerson = person !== undefined && !['everyone', 'none'].includes(person) && !person.includes(',');
  const isOneLabel = label !== undefined && label !== 'none' && !label.includes(',');
  const statusId = statusForNew.peek();
  return {
    listId: match?.params.listId,
    day: chosenDay ?? (isToday ? today.peek() : null),
    shared: {
      ...(isOnePerson && { assigneeId: person }),
      ...(isOneLabel && { labelIds: [label] }),
      ...(statusId !== undefined && { statusId }),
    },
  };
}

/**
 * Lists by the names they are called by: every space begins with one “Tasks”, so others than the first name their
 * space.
 */
export function listNames(
  lists: readonly List[],
  firstId: string | undefined,
  titleOfSpace: (spaceId: string) => string | undefined,
): Named[] {
  const taken = new Set<string>();
  return [...lists]
    .sort((a, b) => Number(b.id === firstId) - Number(a.id === firstId))
    .map(({ id, title, spaceId }) => {
      const name = taken.has(fold(title)) ? `${titleOfSpace(spaceId)} / ${title}` : title;
      taken.add(fold(title));
      return { id, title: name };
    });
}
