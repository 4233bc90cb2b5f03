import { expect } from 'vitest';
import { createAccount } from '../src/auth/account/account.ts';
import type { UserRow } from '../src/storage/tables.ts';
import { openWorld, type Person, type TestResponse, type World, type WorldOptions } from './world.ts';

export type Call = (method: string, path: string, body?: unknown) => Promise<TestResponse>;

/** Calls in someone's name. */
export const as =
  (world: World, person: Person): Call =>
  (method, path, body) =>
    world.call(method, path, { token: person.accessToken, body });

/** An account that is entered by other means than a password. */
export const withoutPassword = ({ deps, clock }: World, email: string): Promise<UserRow> =>
  deps.write((tx) => createAccount(deps, tx, { email, name: 'No', passwordHash: null }, clock.now()));

/** The workspace that came with someone's account. */
export const homeOf = async (world: World, person: Person): Promise<string> =>
  (await as(world, person)('GET', '/me/workspaces')).body.items[0].id;

/** A world in which Ada is signed in, with her workspace and the list in it. */
export async function openHome(options?: WorldOptions) {
  const world = await openWorld(options);
  const ada = await world.signUp('ada@example.com');
  const call = as(world, ada);
  const home = await homeOf(world, ada);
  const inside = `/workspaces/${home}`;
  const [list] = (await call('GET', `${inside}/lists`)).body.items;
  return { world, ada, call, home, inside, list, listId: list.id as string, spaceId: list.spaceId as string };
}

/** The fields that a rejection names. */
export const pathsOf = ({ issues = [] }: { issues?: { path: string }[] }): string[] =>
  issues.map(({ path }) => path);

/** A request that is a 400 must name these fields. */
export async function expectIssues(asked: Promise<TestResponse>, ...paths: string[]): Promise<void> {
  const { status, body } = await asked;
  expect([status, body.error, pathsOf(body)]).toEqual([400, 'ValidationError', paths]);
}

/** Gives someone a new access token, where the clock took the one before. */
export async function signInAgain(world: World, person: Person): Promise<void> {
  person.accessToken = (await world.call('POST', '/auth/login', { body: person })).body.accessToken;
}

/** Invites an address and returns the mailed token. */
export async function invite(
  world: World,
  inviter: Person,
  workspaceId: string,
  email: string,
  role: string,
): Promise<string> {
  const { status } = await as(world, inviter)('POST', `/workspaces/${workspaceId}/invitations`, {
    email,
    role,
  });
  expect(status).toBe(201);
  const { token = '' } = await world.mailTo(email);
  return token;
}

/** Takes someone who has an account into the workspace. */
export async function addMember(
  world: World,
  inviter: Person,
  workspaceId: string,
  person: Person,
  role: string,
): Promise<void> {
  const token = await invite(world, inviter, workspaceId, person.email, role);
  expect((await as(world, person)('POST', '/invitations/accept', { token })).status).toBe(200);
}

/** Signs someone up who joins the workspace in that role. */
export async function joined(
  world: World,
  inviter: Person,
  workspaceId: string,
  role: string,
  name = role,
): Promise<Person> {
  const person = await world.signUp(undefined, name);
  await addMember(world, inviter, workspaceId, person, role);
  return person;
}
