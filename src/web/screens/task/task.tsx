import { useEffect } from 'preact/hooks';
import type { Task } from '../../data/rows.ts';
import { addressOf } from '../../shell/addresses.ts';
import { Lazy } from '../../shell/lazy.tsx';
import { navigate } from '../../shell/navigation.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { useLookUp } from '../../tasks/look-up.ts';
import { MissingTask } from '../../tasks/missing-task.tsx';
import { Coming } from '../../ui/coming.tsx';

const loadPanel = async () => (await import('../../tasks/panel.tsx')).Panel;

/** A task by itself, by its id or by its number (`ABC-12`, which leads to the id). */
export function TaskScreen({ params }: ScreenProps) {
  const { w = '', task = '' } = params;
  const number = /^[A-Za-z]{2,6}-(\d+)$/.exec(task)?.[1];
  if (number !== undefined) return <ByNumber w={w} number={Number(number)} />;
  return <Lazy load={loadPanel} props={{ id: task, isAlone: true }} />;
}

function ByNumber({ w, number }: { w: string; number: number }) {
  const { store } = useUserData();
  const show = ({ id }: Task) => navigate(addressOf('task', { w, task: id }), { replace: true });
  const held = [...store.view.all('task')].find((one) => one.workspaceId === w && one.number === number);
  const missing = useLookUp([w], held ? undefined : `tasks/by-number/${number}`, show);
  useEffect(() => {
    if (held) show(held);
  }, [held?.id]);
  return missing ? <MissingTask missing={missing} isAlone /> : <Coming />;
}
