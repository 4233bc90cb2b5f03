import { useEffect, useState } from 'preact/hooks';
import type { Task } from '../../data/rows.ts';
import { addressOf } from '../../shell/addresses.ts';
import { Lazy } from '../../shell/lazy.tsx';
import { navigate } from '../../shell/navigation.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { NotFound } from '../not-found/not-found.tsx';

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
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const show = ({ id }: Task) => navigate(addressOf('task', { w, task: id }), { replace: true });
    const held = [...store.view.all('task')].find((one) => one.workspaceId === w && one.number === number);
    if (held) {
      show(held);
      return;
    }
    void store.asked.ask<Task>(w, `tasks/by-number/${number}`).then((found) => {
      if (found) show(found);
      else setMissing(true);
    });
  }, [w, number]);
  return isMissing ? <NotFound /> : <main class="sheet" aria-busy="true" />;
}
