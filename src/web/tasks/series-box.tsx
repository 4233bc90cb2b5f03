import type { Task } from '../data/rows.ts';
import { today, zone } from '../shell/clock.ts';
import { keyShortcuts } from '../shell/commands.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { useUserData } from '../shell/store.ts';
import { sayRule } from '../text/say-rules.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { openSeries } from './series.ts';

/** Of an instance: its series in words. */
export function SeriesBox({ task }: { task: Task }) {
  const { view } = useUserData().store;
  const seriesId = task.recurrence?.recurringTaskId;
  const series = seriesId ? view.signal('recurringTask', seriesId).value : undefined;
  if (!series) return null;
  const words = sayRule(series.interval, series.endCondition, today.value, zone.value);
  return (
    <section class="series" aria-label="Series">
      <Icon name="repeat" />
      <div>
        <p>{words}</p>
        {series.state !== 'active' && <p class="quiet">{series.state === 'paused' ? 'Paused' : 'Ended'}</p>}
      </div>
      <Button
        class="plain push"
        data-field="repeat"
        aria-label={`Repeats: ${words}. Edit`}
        aria-keyshortcuts={keyShortcuts('r')}
        disabled={!mayWriteIn(task.workspaceId)}
        onClick={() => openSeries(task.id)}
      >
        Edit
      </Button>
    </section>
  );
}
