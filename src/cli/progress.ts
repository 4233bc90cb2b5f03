import type { OnDone } from '../kernel/progress.ts';
import type { Shell } from './shell.ts';

const WIDTH = 30;

/** Draws how far long work has come, where someone watches; in a pipe it draws nothing. */
export function progressBar(shell: Shell, label: string): OnDone {
  if (!shell.isWatched) return () => {};
  return (done, total) => {
    const filled = total === 0 ? WIDTH : Math.round((done / total) * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    shell.say(`\r${label} ${bar} ${done}/${total}${done >= total ? '\n' : ''}`);
  };
}
