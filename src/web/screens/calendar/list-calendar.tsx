import type { ListViewProps } from '../list/list.tsx';
import { Grid } from './month.tsx';
import { Steps, usePeriod } from './period.tsx';

/** A list's month or week; the list names the screen, the month stands below. */
export function ListCalendar({ list }: ListViewProps) {
  const period = usePeriod();
  return (
    <>
      <div class="line month-line">
        <h2>{period.title}</h2>
        <Steps period={period} />
      </div>
      <Grid period={period} workspaceId={list.workspaceId} listId={list.id} />
    </>
  );
}
