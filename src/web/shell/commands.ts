import { computed, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { IconName } from '../ui/icons.ts';
import { isSingleLetter } from './keys.ts';

export const GROUPS = ['Here', 'Go to', 'View', 'Everywhere'] as const;

/** Something that can be done, by key and by the palette. */
export interface Command {
  id: string;
  title: string;
  group: (typeof GROUPS)[number];
  icon?: IconName;
  /** Each does the same; the first is shown. See `keys.ts` for how they are written. */
  keys?: readonly string[];
  /** Not in the palette: moving about, say. */
  isKeyOnly?: boolean;
  /** Acts on the selection, else on the row that has the focus: listed first where there is one. */
  isOfTasks?: boolean;
  /** Changes something: listed only for those who may. */
  writes?: boolean;
  /** Goes on while its key is held down. */
  repeats?: boolean;
  /** Its key works in a text field too. */
  whileTyping?: boolean;
  /** Where its key means this; elsewhere the key is the browser's. */
  appliesNow?(): boolean;
  /** `isHeld`: its key is, and this is not the first time. */
  run(isHeld?: boolean): void;
}

/** A key that moves the focus or what has it, as long as it is held. */
export const moving = (id: string, title: string, key: string, run: Command['run']): Command => ({
  id,
  title,
  group: 'Here',
  keys: [key],
  isKeyOnly: true,
  repeats: true,
  run,
});

/** Something that is done on the screen that is shown. */
export const acting = (
  id: string,
  title: string,
  icon: IconName,
  keys: readonly string[],
  run: () => void,
): Command => ({ id, title, group: 'Here', icon, keys, run });

/** Commands that change something. */
export const writing = (commands: readonly Command[]): Command[] =>
  commands.map((command) => ({ ...command, writes: true }));

/** The keys that move a row up and down in the order of its list. */
export const orderKeys = (move: (by: number) => () => void): Command[] =>
  writing([
    moving('order-up', 'Move up', 'alt+ArrowUp', move(-1)),
    moving('order-down', 'Move down', 'alt+ArrowDown', move(1)),
  ]);

const registered = signal<readonly (readonly Command[])[]>([]);

/** Every command that applies now, once each. Of two with one key the one registered later wins. */
export const commands = computed<readonly Command[]>(() => {
  const byId = new Map<string, Command>();
  for (const command of [...registered.value].reverse().flat())
    if (!byId.has(command.id)) byId.set(command.id, command);
  return [...byId.values()];
});

/** WCAG 2.1.4: whether single letters and signs do anything. */
export const singleLetters = signal(true);

/** Whether a key does anything now. */
export const applies = (binding: string): boolean => singleLetters.value || !isSingleLetter(binding);

/** What `aria-keyshortcuts` names: none that does nothing. */
export const keyShortcuts = (keys: string | undefined) => (keys && applies(keys) ? keys : undefined);

/** Adds commands; call what it returns to remove them. */
export function registerCommands(added: readonly Command[]): () => void {
  // A copy: several components may add the same ones.
  const mine = [...added];
  registered.value = [...registered.value, mine];
  return () => {
    registered.value = registered.value.filter((group) => group !== mine);
  };
}

/** Commands that apply as soon as a component is shown, and as long; made again when one of `inputs` changes. */
export function useCommands(make: () => readonly Command[], inputs: readonly unknown[]): void {
  useLayoutEffect(() => registerCommands(make()), inputs);
}

export const commandFor = (binding: string): Command | undefined =>
  commands.value.find(({ keys }) => keys?.includes(binding));
