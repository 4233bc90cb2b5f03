import { NotFound } from '../screens/not-found/not-found.tsx';
import { isPhone } from '../shell/device.ts';
import { Button } from '../ui/button.tsx';
import { Nothing } from '../ui/nothing.tsx';
import type { Missing } from './look-up.ts';
import { closePanel } from './task-commands.ts';
import { Unsent } from './unsent.tsx';

interface Props {
  /** Undefined where only its number is known. */
  id?: string;
  missing: Missing;
  isAlone: boolean;
}

/** In place of a task that was not found. */
export function MissingTask({ id, missing, isAlone }: Props) {
  const { isGone } = missing;
  const icon = isGone ? 'link' : 'offline';
  const words = isGone
    ? 'This task is gone, or it is not yours to see.'
    : 'This task is not on this device. It is shown once the server can be reached.';
  const unsent = id !== undefined && <Unsent taskId={id} />;
  const again = !isGone && (
    <Button class="main" onClick={missing.again}>
      Try again
    </Button>
  );
  if (isAlone) {
    return (
      <NotFound below={unsent} {...(again && { title: 'Task', icon, action: again })}>
        {words}
      </NotFound>
    );
  }
  const actions = (
    <>
      <div class="line">
        <Button onClick={closePanel}>Close</Button>
        {again}
      </div>
      {unsent}
    </>
  );
  if (isPhone.value) {
    return (
      <NotFound class="panel" icon={icon} action={actions} {...(again && { title: 'Task' })}>
        {words}
      </NotFound>
    );
  }
  return (
    <aside class="panel sheet" aria-label="Task">
      <Nothing icon={icon} action={actions}>
        {words}
      </Nothing>
    </aside>
  );
}
