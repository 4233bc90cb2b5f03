import { computed, signal } from '@preact/signals';
import type { User } from '../../users/schema.ts';
import type { Failure, Outcome } from '../data/api.ts';
import { addressOf } from './addresses.ts';
import { call } from './api.ts';
import { endLeftSession } from './left-session.ts';
import { leaveSession } from './left-user.ts';
import { address, navigate } from './navigation.ts';
import { type Profile, session } from './signed-in.ts';
import { forgetStore, keptUser, openStore, userData, whenSignedOut } from './store.ts';

/** Whether a request of this page ends the session: its end may be heard before the response. */
let isEnding = false;

/** Grows whenever someone signs in or out here: what was asked for before says nothing of the present session. */
let turns = 0;

/** Whether the browser says that it keeps no cookie, or did not keep that of the last sign-in here. */
export const isCookieRejected = signal(!navigator.cookieEnabled);

/** The profile of who is signed in, as the server told it last. */
export const me = computed<Profile | undefined>(() => {
  if (session.value.kind !== 'in') return undefined;
  const noted = userData.value?.store.note<Profile>('me');
  return noted?.id === session.value.me.id ? noted : session.value.me;
});

/** Whether the person has a password, or may have one as far as is known. */
export const hasPassword = computed(() => me.value?.hasPassword !== false);

/** Finds out who is signed in: shows at once what this device kept, and asks the server. */
export async function loadSession(): Promise<void> {
  whenSignedOut(() => {
    if (!isEnding) session.value = { kind: 'out' };
  });
  if (!(await endLeftSession())) {
    session.value = { kind: 'out' };
    return;
  }
  const before = turns;
  const asked = call<Profile>('GET', '/me');
  const kept = await keptUser();
  if (kept) void enter(kept as unknown as Profile);
  const reply = await asked;
  if (turns !== before) return;
  if (reply.kind === 'ok') await enterAs(reply.body);
  else if (reply.kind === 'error' && reply.status === 401) session.value = { kind: 'out' };
  else if (!kept) session.value = { kind: 'unreachable' };
}

/** Follows a sign-in of another tab, once this one is seen again; ends what was left without the network. */
export function startFollowingSignIn(): void {
  addEventListener('online', () => void endLeftSession());
  document.addEventListener('visibilitychange', async () => {
    if (document.visibilityState !== 'visible' || session.value.kind !== 'out') return;
    if (!(await endLeftSession())) return;
    const reply = await call<Profile>('GET', '/me');
    if (reply.kind === 'ok' && session.value.kind === 'out') await enterAs(reply.body);
  });
}

function enter(person: Profile): Promise<void> {
  session.value = { kind: 'in', me: person };
  return openStore(person.id);
}

/** Enters with a profile that the server returned: what this device noted on an earlier visit is older. */
async function enterAs(profile: Profile): Promise<void> {
  await enter(profile);
  await takeProfile(profile);
}

/**
 * Proves who someone is at one of the endpoints that sign in, and keeps the session as a cookie that no script can
 * read. A reply without a session, as after Telegram's first sign-in, signs nobody in.
 */
export async function signIn(path: string, proof: object): Promise<Outcome<{ user: User } | undefined>> {
  await endLeftSession();
  isCookieRejected.value = !navigator.cookieEnabled;
  const body = { ...proof, session: 'cookie' };
  const reply = await call<{ user: User } | undefined>('POST', path, body);
  if (reply.kind === 'ok' && reply.body?.user) {
    const own = ++turns;
    if (!isCookieRejected.value) void enter(reply.body.user);
    const profile = await call<Profile>('GET', '/me');
    if (turns !== own) return reply;
    isCookieRejected.value = profile.kind === 'error' && profile.status === 401;
    if (profile.kind === 'ok') await enterAs(profile.body);
  }
  return reply;
}

/** Takes over a profile that the server returned, for the next visit and the other tabs too. */
export async function takeProfile(profile: Profile): Promise<void> {
  const held = userData.peek();
  if (held?.userId === profile.id) await held.store.keep('me', profile);
  if (session.value.kind === 'in' && session.value.me.id === profile.id)
    session.value = { kind: 'in', me: profile };
}

/**
 * Ends the session here and on the server, without the network as soon as that can be reached; undefined once done, else
 * what went wrong.
 */
export async function signOut(): Promise<Failure | undefined> {
  const userId = me.value?.id ?? null;
  const reply = await endSession(async () => {
    const asked = await call('POST', '/auth/logout');
    if (asked.kind === 'network') leaveSession(userId);
    const isOver = asked.kind === 'network' || (asked.kind === 'error' && asked.status === 401);
    return isOver ? { kind: 'ok', status: 401, body: undefined } : asked;
  });
  return reply.kind === 'ok' ? undefined : reply;
}

/**
 * Ends the session by a request. Once signing in is shown, nothing of the person is left on this device, the address
 * they were at included.
 */
export async function endSession(request: () => Promise<Outcome>): Promise<Outcome> {
  const userId = me.value?.id;
  isEnding = true;
  const reply = await request();
  if (reply.kind === 'ok') {
    turns++;
    await forgetStore(userId);
  }
  isEnding = false;
  if (reply.kind === 'ok' || !userData.value) session.value = { kind: 'out' };
  if (reply.kind === 'ok') navigate(addressOf('signIn'), { replace: true });
  return reply;
}

/** Leads to signing in, and back to the present address afterwards. */
export function askToSignIn(): void {
  const wanted = address.value;
  const isHome = wanted === addressOf('today');
  const to = isHome ? '' : `?${new URLSearchParams({ to: wanted })}`;
  navigate(addressOf('signIn') + to, { replace: true });
}
