import { NotFound } from '../screens/not-found/not-found.tsx';
import { isPhone } from '../shell/device.ts';
import { Button } from '../ui/button.tsx';
import { Nothing } from '../ui/nothing.tsx';
import type { Missing } from './look-up.ts';
import { closePanel } from './task-commands.ts';

/** In place of a task that was not found. */
export function MissingTask({ missing, isAlone }: { missing: Missing; isAlone: boolean }) {
  const { isGone } = missing;
  const icon = isGone ? 'link' : 'offline';
  const words = isGone
    ? 'This task is gone, or it is not yours to see.'
    : 'This task is not on this device. It is shown once the server can be reached.';
  const again = !isGone && (
    <Button class="main" onClick={missing.again}>
      Try again
    </Button>
  );
  if (isAlone) {
    return <NotFound {...(again && { title: 'Task', icon, action: again })}>{words}</NotFound>;
  }
  const actions = (
    <div class="line">
      <Button onClick={closePanel}>Close</Button>
      {again}
    </div>
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
