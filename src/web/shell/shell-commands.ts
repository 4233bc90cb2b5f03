import { effect, untracked } from '@preact/signals';
import { redo, undo } from '../tasks/act.ts';
import type { IconName } from '../ui/icons.ts';
import { addressOf, type ScreenName } from './addresses.ts';
import { type Command, registerCommands } from './commands.ts';
import { canWrite, inbox, sync, workspace, workspaces } from './frame-view.ts';
import { navigate } from './navigation.ts';
import {
  openKeys,
  openNewWorkspace,
  openPalette,
  openQuickAdd,
  openSearch,
  openSignOut,
  openWaitingChanges,
  showWorkspace,
} from './overlays.tsx';
import { session } from './signed-in.ts';
import { THEMES } from './stored-theme.ts';
import { chooseTheme } from './theme.ts';

/** Registers the commands of every screen, and keeps them in step with who is signed in and what there is. */
export function startShellCommands(): void {
  let remove = () => {};
  effect(() => {
    const next =
      session.value.kind === 'in' ? [...doing(), ...going(), ...looking(), ...leaving()] : looking();
    untracked(() => {
      remove();
      remove = registerCommands(next);
    });
  });
}

const everywhere = (
  id: string,
  title: string,
  icon: IconName,
  run: () => void,
  keys: readonly string[] = [],
): Command => ({ id, title, group: 'Everywhere', icon, keys, run });

function doing(): Command[] {
  const { waiting, notSaved } = sync.value;
  const all: (Command | false)[] = [
    (canWrite.value || !workspace.value) &&
      everywhere('new-task', 'New task', 'plus', openQuickAdd, ['c', 'q']),
    {
      id: 'palette',
      title: 'Commands',
      group: 'Everywhere',
      keys: ['mod+k'],
      isKeyOnly: true,
      whileTyping: true,
      run: openPalette,
    },
    everywhere('keys', 'Keys', 'keyboard', openKeys, ['?']),
    everywhere('undo', 'Undo', 'undo', () => void undo(), ['z', 'mod+z']),
    everywhere('redo', 'Redo', 'redo', () => void redo(), ['Z', 'mod+shift+z']),
    waiting + notSaved > 0 && everywhere('waiting-changes', 'Waiting changes', 'sending', openWaitingChanges),
  ];
  return all.filter((command) => command !== false);
}

/** What is rarely done comes last. */
const leaving = (): Command[] => [
  everywhere('new-workspace', 'New workspace', 'plus', openNewWorkspace),
  everywhere('sign-out', 'Sign out', 'sign-out', openSignOut),
];

function going(): Command[] {
  const w = workspace.value?.id;
  const go = (id: string, title: string, name: ScreenName, icon: Command['icon'], key?: string): Command => ({
    id,
    title,
    group: 'Go to',
    ...(icon && { icon }),
    ...(key && { keys: [key] }),
    run: () => navigate(addressOf(name, { w: w ?? '' })),
  });
  return [
    go('today', 'Go to Today', 'today', 'sun', 'g t'),
    go('upcoming', 'Go to Upcoming', 'upcoming', 'upcoming', 'g u'),
    go('mine', 'Go to My tasks', 'mine', 'me', 'g m'),
    ...(w && inbox.value ? [go('inbox', 'Go to Inbox', 'inbox', 'inbox', 'g i')] : []),
    ...(w
      ? [
          go('calendar', 'Go to Calendar', 'calendar', 'upcoming', 'g c'),
          go('recurring', 'Go to Recurring', 'recurring', 'repeat', 'g r'),
          { ...go('search', 'Search', 'search', 'search', '/'), run: () => openSearch(w) },
          go('trash', 'Go to Trash', 'trash', 'trash'),
        ]
      : []),
    go('notifications', 'Go to Notifications', 'notifications', 'notifications', 'g n'),
    ...workspaces.value
      .filter(({ id }) => id !== w)
      .map(
        ({ id, title }): Command => ({
          id: `workspace-${id}`,
          title: `Switch to ${title}`,
          group: 'Go to',
          icon: 'layers',
          run: () => showWorkspace(id),
        }),
      ),
  ];
}

const looking = (): Command[] =>
  THEMES.map((theme) => ({
    id: `theme-${theme}`,
    title: { system: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' }[theme],
    group: 'View',
    icon: theme === 'dark' ? 'moon' : 'sun',
    run: () => chooseTheme(theme),
  }));
