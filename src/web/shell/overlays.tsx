import { computed, type Signal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { dayForNew, statusForNew } from '../tasks/new-task.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { addressOf, type ScreenName } from './addresses.ts';
import { sentenceOf } from './api.ts';
import { chooseWorkspace, sync, workspace, workspaces } from './frame-view.ts';
import { match, navigate } from './navigation.ts';
import { signOut } from './session.ts';
import { showToast } from './toasts.ts';

export interface OverlayProps {
  onClose(): void;
}

/** A dialog that can be opened from anywhere; each is loaded when it is first opened. */
const OVERLAYS = {
  palette: () => import('./palette.tsx').then(({ Palette }) => Palette),
  keys: () => import('./keys-dialog.tsx').then(({ KeysDialog }) => KeysDialog),
  signOut: () => import('./sign-out-dialog.tsx').then(({ SignOutDialog }) => SignOutDialog),
  quickAdd: () => import('../tasks/quick-add.tsx').then(({ QuickAdd }) => QuickAdd),
  newWorkspace: () =>
    import('../screens/settings/new-workspace.tsx').then(({ NewWorkspace }) => NewWorkspace),
  waitingChanges: () => import('./waiting-changes.tsx').then(({ WaitingChanges }) => WaitingChanges),
};

type OverlayName = keyof typeof OVERLAYS;

const open: Signal<OverlayName | undefined> = signal(undefined);

type Overlay = ComponentType<OverlayProps>;

/** Those that were loaded: they open at once. */
const loaded = signal<Partial<Record<OverlayName, Overlay>>>({});

/** Keys pressed between asking for a dialog, or for the search, and its being there. */
let pressedAhead: string[] = [];
let isSearchComing = false;

/** Lets keys act again: what was asked for does not come, or something else was asked for. */
export function dropKeysAhead(): void {
  pressedAhead = [];
  isSearchComing = false;
}

function openOverlay(name: OverlayName): void {
  dropKeysAhead();
  open.value = name;
  if (loaded.peek()[name]) return;
  (OVERLAYS[name]() as Promise<Overlay>).then(
    (overlay) => {
      loaded.value = { ...loaded.peek(), [name]: overlay };
    },
    () => {
      open.value = undefined;
      showToast('This part could not be loaded. Load the page again.');
    },
  );
}

/** Keeps a key for what was asked for and is not there yet; false where nothing is on its way. */
export function keepKey(key: string): boolean {
  // The address is there before its screen.
  isSearchComing &&= location.pathname.endsWith('/search');
  if (open.peek() === undefined && !isSearchComing) return false;
  pressedAhead.push(key);
  return true;
}

/** Gives a field what was typed ahead; other keys follow by `pressKeysAhead`, once it has the focus. */
export function takeTypedAhead(): string {
  const end = pressedAhead.findIndex((key) => key.length > 1);
  const typed = end === -1 ? pressedAhead : pressedAhead.slice(0, end);
  pressedAhead = end === -1 ? [] : pressedAhead.slice(end);
  return typed.join('');
}

/** Presses what is left of the keys typed ahead, where the focus is. */
export function pressKeysAhead(): void {
  const keys = pressedAhead;
  dropKeysAhead();
  for (const key of keys)
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
}

const closeOverlay = (): void => {
  open.value = undefined;
  statusForNew.value = undefined;
  dayForNew.value = undefined;
};

/** Whether quick add is open: toasts appear inside it then. */
export const isQuickAddOpen = computed(() => open.value === 'quickAdd');

export const openPalette = (): void => openOverlay('palette');
export const openKeys = (): void => openOverlay('keys');
export const openQuickAdd = (): void => openOverlay('quickAdd');
export const openNewWorkspace = (): void => openOverlay('newWorkspace');
export const openWaitingChanges = (): void => openOverlay('waitingChanges');

/** Goes to the search; where that is there already, to its field. */
export function openSearch(w: string): void {
  dropKeysAhead();
  navigate(addressOf('search', { w }));
  const field = document.querySelector<HTMLElement>('.search-screen input');
  field?.focus();
  isSearchComing = !field;
}

/** Signs out at once, or asks where something was not sent yet. */
export function openSignOut(): void {
  if (sync.value.waiting + sync.value.notSaved > 0) openOverlay('signOut');
  else void signOutNow();
}

/** Shows another workspace; on a screen of one, its Today. */
export function showWorkspace(id: string): void {
  chooseWorkspace(id);
  if (match.peek()?.params.w) navigate(addressOf('workspaceToday', { w: id }));
}

/** Which workspace is shown, and what concerns it. */
export function workspaceItems(): MenuItem[] {
  const current = workspace.value;
  const items: MenuItem[] = workspaces.value.map(({ id, title }) => ({
    title,
    icon: 'board',
    isChosen: id === current?.id,
    run: () => showWorkspace(id),
  }));
  const open = (screen: ScreenName) => () => navigate(addressOf(screen, { w: current?.id ?? '' }));
  if (current)
    items.push(
      {
        title: 'Workspace settings',
        icon: 'settings',
        startsGroup: true,
        run: open('settingsGeneral'),
      },
      { title: 'Spaces and lists', icon: 'layers', run: open('settingsSpaces') },
    );
  return [
    ...items,
    { title: 'New workspace', icon: 'plus', startsGroup: !current, run: openNewWorkspace },
    { title: 'Sign out', icon: 'sign-out', run: openSignOut },
  ];
}

/** Signs out, and says so where that fails. */
export async function signOutNow(): Promise<void> {
  const failure = await signOut();
  if (failure) showToast(`You are still signed in. ${sentenceOf(failure)}`);
}

/** The open dialog, if there is one. */
export function Overlays() {
  const name = open.value;
  const Shown = name && loaded.value[name];
  useEffect(() => {
    if (Shown) pressKeysAhead();
  }, [Shown]);
  // Where the session ends, nothing waits for who signs in next.
  useEffect(() => closeOverlay, []);
  return Shown ? <Shown onClose={closeOverlay} /> : null;
}
