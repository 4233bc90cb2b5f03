import { useEffect, useMemo } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import { useRows, useUserData } from '../shell/store.ts';
import { lingering } from './act.ts';

/**
 * The tasks that meet a condition, in order; what it returns is another array whenever one of them changes. `inputs`
 * name what the condition and the order depend on besides the task. A task that lingers stays where it was.
 */
export function useTasks(
  where: (task: Task) => boolean,
  compare: (a: Task, b: Task) => number,
  inputs: readonly unknown[],
): readonly Task[] {
  const { view } = useUserData().store;
  const list = useRows('task', where, compare, inputs);
  const { value: stays } = lingering;
  useEffect(() => {
    if (stays.size === 0) list.refresh(view.all('task'));
  }, [stays, list]);
  const revision = list.revision.value;
  return useMemo(() => [...list.rows], [list, revision]);
}
