import { useEffect, useState } from 'preact/hooks';
import { now, weekStart, zone } from '../shell/clock.ts';
import type { QuickTask } from '../text/quick-add.ts';
import { localOf } from '../text/zones.ts';

/** The next dates of a repeat in words. */
export function NextDates({ task }: { task: QuickTask }) {
  const [words, setWords] = useState('');
  const { repeat } = task;
  const key = JSON.stringify([repeat, task.day, task.time, task.end]);
  useEffect(() => {
    let isWanted = true;
    if (!repeat) setWords('');
    else
      import('../text/next-dates.ts').then(({ nextDates, startsOnItsDay }) => {
        if (!isWanted) return;
        const present = localOf(now.peek(), zone.peek());
        const days = nextDates(task, present, 3, weekStart.peek()).join(', ');
        setWords(days && `${startsOnItsDay(task, present) ? 'then' : 'next'} ${days}`);
      });
    return () => {
      isWanted = false;
    };
  }, [key]);
  return words === '' ? null : <p class="quiet">{words}</p>;
}
