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
export async function savePreferences(changes: Readonly<Record<string, unknown>>): Promise<Outcome<Profile>> {
  const person = me.peek();
  return saveProfile({ preferences: { ...person?.preferences, ...changes } });
}

/** Saves fields of the profile. */
export async function saveProfile(body: object): Promise<Outcome<Profile>> {
  const reply = await call<Profile>('PATCH', '/me', body);
  if (reply.kind === 'ok') await takeProfile(reply.body);
  return reply;
}
