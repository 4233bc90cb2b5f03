import { beforeEach } from 'vitest';
import type { List } from '../src/lists/schema.ts';
import { as, type Call, openHome } from './people.ts';
import { openWorld, type Person, type World, type WorldOptions } from './world.ts';

/** Of the test under way. */
export let world: World;
export let ada: Person;
/** Calls in Ada's name; from here on only where a file uses her home. */
export let call: Call;
/** Her workspace. */
export let home: string;
/** The path of what is in it; also `at`. */
export let inside: string;
export let list: List;
export let listId: string;
export let spaceId: string;

export const at = (path = ''): string => inside + path;

/** To be called by a file of tests: each has a world of its own. */
export function useWorld(options?: WorldOptions): void {
  beforeEach(() => openInstead(options));
}

/** The same, in which Ada is signed in. */
export function useAda(options?: WorldOptions): void {
  beforeEach(() => openAda(options));
}

/** The same, for what concerns her workspace and the list in it. */
export function useHome(options?: WorldOptions): void {
  beforeEach(() => openHomeInstead(options));
}

/** For a test that needs another world. */
export async function openInstead(options?: WorldOptions): Promise<void> {
  world = await openWorld(options);
}

/** One in which requests are limited. */
export const openLimited = (limits: object = {}, { settings, ...more }: WorldOptions = {}): Promise<void> =>
  openInstead({ ...more, settings: { ...settings, rate_limits: { enabled: true, ...limits } } });

/** Stops, and opens the same data again. */
export async function reopen(options?: WorldOptions): Promise<void> {
  world = await world.reopen(options);
  call = as(world, ada);
}

export async function openAda(options?: WorldOptions): Promise<void> {
  await openInstead(options);
  ada = await world.signUp('ada@example.com');
}

export async function openHomeInstead(options?: WorldOptions): Promise<void> {
  ({ world, ada, call, home, inside, list, listId, spaceId } = await openHome(options));
}
