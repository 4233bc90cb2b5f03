import { signal } from '@preact/signals';
import type { TakenBack } from '../data/acts.ts';
import type { Intent } from '../data/change.ts';
import { currentUserData, userData } from '../shell/store.ts';
import { showToast, toast } from '../shell/toasts.ts';
import { focusRow, isAmongRows, shownIds } from './current.ts';

const isTouched = matchMedia('(pointer: coarse)');

/** Does something at once, and says so with a way back. `name` is a sentence of what was done. */
export function act(name: string, intents: readonly Intent[]): void {
  if (intents.length === 0) return;
  void currentUserData().store.acts.do(name, intents);
  showToast(name, () => void undo());
}

/** The same for what shows by itself where the person looks: it needs a way back only where there are no keys. */
export const actInSight = (name: string, intents: readonly Intent[]): void =>
  (isTouched.matches ? act : actQuietly)(name, intents);

/** Does something at once without a word, where one sees it and can take it back. It can be undone all the same. */
export function actQuietly(name: string, intents: readonly Intent[]): void {
  if (intents.length === 0) return;
  void currentUserData().store.acts.do(name, intents);
  toast.value = undefined;
}

/** Takes back what was done last on this page. */
export async function undo(): Promise<void> {
  toast.value = undefined;
  const { activeElement } = document;
  const taken = await userData.peek()?.store.acts.undo();
  if (!taken) showToast('Nothing was done on this page that can be taken back.');
  else if (taken.isEarly) showToast(`Cannot be taken back before the server has responded: ${taken.name}`);
  else showToast(`${taken.isDone ? 'Taken back' : 'Nothing is left to take back of'}: ${taken.name}`);
  focusFirstOf(taken, activeElement);
}

/** Does again what was taken back last. */
export async function redo(): Promise<void> {
  const { activeElement } = document;
  const taken = await userData.peek()?.store.acts.redo();
  if (!taken) showToast('Nothing was taken back that can be done again.');
  else if (taken.isDone) showToast(taken.name, () => void undo());
  else showToast(`Nothing is left to do again of: ${taken.name}`);
  focusFirstOf(taken, activeElement);
}

/** Leads among rows to what changed, which may be out of sight, unless the person has gone on since. */
function focusFirstOf(taken: TakenBack | null | undefined, from: Element | null): void {
  const hasMoved = from?.isConnected && document.activeElement !== from;
  if (hasMoved || !isAmongRows() || document.querySelector('dialog:modal')) return;
  const things = new Set(taken?.things);
  focusRow(shownIds.peek().find((id) => things.has(id)));
}

/** Tasks that were completed on a screen of days: they stay there until their toast goes. */
export const lingering = signal<ReadonlySet<string>>(new Set());

toast.subscribe((shown) => {
  if (!shown && lingering.peek().size > 0) lingering.value = new Set();
});

/** Lets tasks stay where they are shown, until the toast goes. */
export function linger(ids: readonly string[]): void {
  lingering.value = new Set([...lingering.peek(), ...ids]);
}
