import { useEffect, useState } from 'preact/hooks';
import { now, zone } from '../shell/clock.ts';
import type { QuickTask } from '../text/quick-add.ts';
import { localOf } from '../text/zones.ts';

/** The next dates of a repeat in words. */
export function NextDates({ task }: { task: QuickTask }) {
  const [lines, setLines] = useState<readonly string[]>([]);
  const { repeat } = task;
  const key = JSON.stringify([repeat, task.day, task.time, task.end]);
  useEffect(() => {
    let isWanted = true;
    if (!repeat) setLines([]);
    else
      import('../text/next-dates.ts').then(({ nextDates }) => {
        if (isWanted) setLines(nextDates(task, localOf(now.peek(), zone.peek()), 3));
      });
    return () => {
      isWanted = false;
    };
  }, [key]);
  const word = task.day === null ? 'next' : 'then';
  return lines.length === 0 ? null : (
    <p class="quiet">
      {word} {lines.join(', ')}
    </p>
  );
}
