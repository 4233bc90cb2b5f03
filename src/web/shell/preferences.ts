import { effect } from '@preact/signals';
import type { Outcome } from '../data/api.ts';
import { call } from './api.ts';
import { singleLetters } from './commands.ts';
import { me, takeProfile } from './session.ts';
import type { Profile } from './signed-in.ts';

/** Keeps what the person chose in force: single letters as keys. */
export function startPreferences(): void {
  effect(() => {
    singleLetters.value = me.value?.preferences?.singleLetters !== false;
  });
}

/** Saves some of the person's preferences; the others stay. */
export const savePreferences = (changes: Readonly<Record<string, unknown>>): Promise<Outcome<Profile>> =>
  save(() => ({ preferences: { ...me.peek()?.preferences, ...changes } }));

/** Saves fields of the profile. */
export const saveProfile = (body: object): Promise<Outcome<Profile>> => save(() => body);

/** The save before: they go one after another, since each begins with what the one before it made. */
let last: Promise<unknown> = Promise.resolve();

function save(make: () => object): Promise<Outcome<Profile>> {
  const done = last.then(async () => {
    const reply = await call<Profile>('PATCH', '/me', make());
    if (reply.kind === 'ok') await takeProfile(reply.body);
    return reply;
  });
  last = done.catch(() => {});
  return done;
}
