import { beforeEach } from 'vitest';
import type { List } from '../src/lists/schema.ts';
import { type Call, openHome } from './people.ts';
import { openWorld, type Person, type World } from './world.ts';

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

/** To be called by a file of tests: in each, Ada is signed in, in a world of its own. */
export function useAda(): void {
  beforeEach(async () => {
    world = await openWorld();
    ada = await world.signUp('ada@example.com');
  });
}

/** The same, for what is about her workspace and the list in it. */
export function useHome(): void {
  beforeEach(async () => {
    ({ world, ada, call, home, inside, list, listId, spaceId } = await openHome());
  });
}
