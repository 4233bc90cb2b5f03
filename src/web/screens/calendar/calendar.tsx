import type { ScreenProps } from '../../shell/screens.ts';
import { KeyLine } from '../../tasks/key-line.tsx';
import { ScreenHead } from '../../tasks/screen-head.tsx';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { Grid } from './month.tsx';
import { Steps, usePeriod } from './period.tsx';

/** Everything of a workspace that has a date, in months and weeks. */
export function Calendar({ params }: ScreenProps) {
  const w = params.w ?? '';
  const period = usePeriod();
  const [month, year] = period.title.split(' ');
  useTaskCommands();
  return (
    <main class="sheet">
      <ScreenHead
        title={period.title}
        heading={
          <>
            {month} <span class="year">{year}</span>
          </>
        }
        workspaceId={w}
      >
        <Steps period={period} />
      </ScreenHead>
      <Grid period={period} workspaceId={w} />
      <KeyLine />
    </main>
  );
}
