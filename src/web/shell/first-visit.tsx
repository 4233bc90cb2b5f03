import { computed, effect, signal, untracked } from '@preact/signals';
import type { Outcome } from '../data/api.ts';
import { derivedIds } from '../data/ids.ts';
import { create, removeForGood } from '../data/intents.ts';
import { act } from '../tasks/act.ts';
import { deviceZone, nameOfZone } from '../text/zones.ts';
import { Button } from '../ui/button.tsx';
import { sentenceOf } from './api.ts';
import { today } from './clock.ts';
import { inbox, isFirstLoad, workspace } from './frame-view.ts';
import { savePreferences, saveProfile } from './preferences.ts';
import { me } from './session.ts';
import { isOpen, userData } from './store.ts';
import { showToast } from './toasts.ts';

/** Titles that fit a phone; what they leave out is in the task. */
const EXAMPLES = [
  { title: 'Tick the box, or press E' },
  {
    title: 'Add one: press C or +',
    description: 'Write “Call Ada fri 15:00 p1”. Day, time and priority are understood as you type.',
  },
  {
    title: 'Find all by Search or Ctrl K',
    description: 'Search finds tasks by any of their words. Ctrl K, or ⌘ K, finds commands and lists too.',
  },
];

/** Ids that this person's examples always have, so that two devices make them once. */
const exampleIds = (userId: string): string[] => derivedIds(userId, EXAMPLES.length);

/** Sets the time zone at the first sign-in, and makes the examples of a first visit. */
export function startFirstVisit(): void {
  /** Whose zone was set: a profile that was asked for before must not set it over what they chose since. */
  let zoneOf: string | undefined;
  effect(() => {
    const { id, timezone } = me.value ?? {};
    if (timezone !== null || id === zoneOf) return;
    zoneOf = id;
    untracked(() => void saveProfile({ timezone: deviceZone() }));
  });
  let madeFor: string | undefined;
  effect(() => {
    const { preferences, id } = me.value ?? {};
    const held = userData.value;
    const list = inbox.value;
    const own = workspace.value;
    if (!id || held?.userId !== id || madeFor === id || isFirstLoad.value) return;
    if (!list || own?.role !== 'owner' || !preferences || preferences.welcomed) return;
    madeFor = id;
    untracked(() => {
      const isEmpty = [...held.store.view.all('task')].every(({ workspaceId }) => workspaceId !== own.id);
      void savePreferences({ welcomed: true });
      if (!isEmpty) return;
      const fields = { listId: list.id, dueDay: today.peek() };
      void held.store.acts.do(
        'Added examples',
        exampleIds(id).map((taskId, index) =>
          create('task', own.id, taskId, { ...fields, ...EXAMPLES[index] }),
        ),
      );
    });
  });
}

/** The examples that are still there. */
function heldExamples() {
  const held = userData.value;
  if (!held) return [];
  return exampleIds(held.userId).flatMap((id) => held.store.view.signal('task', id).value ?? []);
}

/** Where examples are shown, while one is open: a way to be rid of them. */
export function Examples() {
  const tasks = heldExamples();
  const store = userData.value?.store;
  if (!store || !tasks.some((task) => isOpen(store, task))) return null;
  return (
    <section class="examples line" aria-label="Examples">
      <p class="quiet">These are examples, to try things on.</p>
      <Button class="plain push" onClick={() => act('Removed the examples', tasks.map(removeForGood))}>
        Remove examples
      </Button>
    </section>
  );
}

/** Who answered here, which the next person has not. */
const answeredBy = signal<string | undefined>(undefined);

/** The device's zone where it is not the person's, and they did not choose to keep theirs here. */
const otherZone = computed(() => {
  const person = me.value;
  const device = deviceZone();
  if (!person?.timezone || answeredBy.value === person.id || nameOfZone(person.timezone) === device)
    return undefined;
  const { id, timezone: own } = person;
  return person.preferences?.keptZone === device ? undefined : { id, device, own };
});

/** Offers the device's time zone where it differs. */
export function ZoneOffer() {
  const found = otherZone.value;
  if (!found) return null;
  const { id, device, own } = found;
  const saving = async (save: Promise<Outcome>) => {
    answeredBy.value = id;
    const reply = await save;
    if (reply.kind === 'ok') return;
    answeredBy.value = undefined;
    showToast(sentenceOf(reply));
  };
  return (
    <div class="zone-offer" role="status">
      <span>This device is in another time zone.</span>
      <Button onClick={() => saving(saveProfile({ timezone: device }))}>Use {device}</Button>
      <Button class="plain" onClick={() => saving(savePreferences({ keptZone: device }))}>
        Keep {own}
      </Button>
    </div>
  );
}
