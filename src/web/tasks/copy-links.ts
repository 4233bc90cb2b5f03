import type { Task } from '../data/rows.ts';
import { addressOf } from '../shell/addresses.ts';
import { hrefOf } from '../shell/navigation.ts';
import { showToast } from '../shell/toasts.ts';
import { copyText } from '../ui/copy-text.ts';

/** Copies the addresses of tasks, one a line. */
export function copyLinks(tasks: readonly Task[]): void {
  const hrefs = tasks.map(
    ({ id, workspaceId: w }) => new URL(hrefOf(addressOf('task', { w, task: id })), location.origin).href,
  );
  const [words, verb] = hrefs.length === 1 ? ['Link', 'The link'] : [`${hrefs.length} links`, 'The links'];
  void copyText(hrefs.join('\n')).then((isCopied) =>
    showToast(isCopied ? `${words} copied` : `${verb} could not be copied`),
  );
}
