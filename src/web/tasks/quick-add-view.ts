import type { Row } from '../data/rows.ts';
import type { ScreenName } from '../shell/addresses.ts';
import { today } from '../shell/clock.ts';
import type { Match } from '../shell/router.ts';
import type { Day } from '../text/days.ts';
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
