import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addTasks } from '../many-tasks.ts';
import { as, openHome } from '../people.ts';
import type { Person, World } from '../world.ts';
import { signedInAs } from './studio.ts';
import {
  browser,
  DESKTOP,
  goTo,
  NOON,
  painted,
  startVisit,
  synced,
  useBrowser,
  type Visit,
} from './visit.ts';

const DAY = 86_400_000;
/** More than a device holds of one workspace. */
const BACKLOG = 10_200;

let world: World;
let ada: Person;
let home: string;
let lists: Record<'backlog' | 'later' | 'done', string>;
let visit: Visit;
let page: Page;

const asAda = (method: string, path: string, body?: object) => as(world, ada)(method, path, body);

useBrowser();
beforeAll(async () => {
  ({ world, ada, home } = await openHome({ start: NOON }));
  await asAda('PATCH', '/me', { timezone: 'UTC', preferences: { welcomed: true } });
  const [space] = (await asAda('GET', `/workspaces/${home}/spaces`)).body.items;
  const list = async (title: string): Promise<string> =>
    (await asAda('POST', `/workspaces/${home}/lists`, { spaceId: space.id, title })).body.id;
  lists = { backlog: await list('Backlog'), later: await list('Later'), done: await list('Done long ago') };
  const day = (days: number) => new Date(world.clock.now() + days * DAY).toISOString().slice(0, 10);
  const dated = { isOpen: true, assigneeId: ada.id };
  await addTasks(world, home, BACKLOG, { listId: lists.backlog, title: 'Backlog', ...dated });
  await addTasks(world, home, 250, { listId: lists.later, title: 'Later', isOpen: true });
  await addTasks(world, home, 3, {
    listId: lists.done,
    title: 'Old',
    isOpen: false,
    at: world.clock.now() - 40 * DAY,
  });
  await asAda('POST', `/workspaces/${home}/tasks`, { listId: lists.later, title: 'Today', dueDay: day(0) });
  visit = await startVisit(browser, signedInAs(world.app, ada), { ...DESKTOP, at: NOON });
  page = visit.page;
  await page.goto(`${visit.origin}/app/today`);
  await synced(page);
});
afterAll(async () => {
  await visit.end();
  await world.close();
});
const linkIn = (name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const total = async (query: string): Promise<number> =>
  (await asAda('GET', `/workspaces/${home}/tasks/query?limit=1&statusType=unstarted,started&${query}`)).body
    .total;

describe('a workspace of more open tasks than a device holds', () => {
  it('is counted by the server, and counted again as things change', async () => {
    await goTo(page, '/today');
    await linkIn(`Backlog ${BACKLOG}`).waitFor();
    await linkIn('Later 251').waitFor();
    await linkIn(`My tasks ${BACKLOG}`).waitFor();
    const tomorrow = new Date(world.clock.now() + DAY).toISOString().slice(0, 10);
    const due = await total(`assigneeId=me,none&timezone=UTC&dueBefore=${tomorrow}`);
    await linkIn(`Today ${due}`).waitFor();
    await asAda('POST', `/workspaces/${home}/tasks`, { listId: lists.later, title: 'Another' });
    await linkIn('Later 252').waitFor();
  });

  it('says where filters let nothing pass that they do not see all tasks of the list', async () => {
    await goTo(page, `/w/${home}/lists/${lists.backlog}?assignee=none`);
    await page.getByText(/more tasks are on the server.* Filters do not see them\.$/).waitFor();
  });

  it('is searched on the server too, which says how many more it found, and shows them', async () => {
    await goTo(page, `/w/${home}/search?q=Backlog`);
    await page.getByText(`The server found ${BACKLOG - 100} more.`).waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(`The server found ${BACKLOG - 200} more.`).waitFor();
  });

  it('shows what it holds of a list, how many more there are, and those as they are wanted', async () => {
    await goTo(page, `/w/${home}/lists/${lists.backlog}`);
    const rest = page.getByText(/^\d+ more tasks? (is|are) on the server/);
    await rest.waitFor();
    // At once: it goes with the last of them.
    const number = async () => Number.parseInt((await rest.allInnerTexts())[0] ?? '0', 10);
    const before = await number();
    expect(before).toBeGreaterThan(300);
    const more = page.getByRole('button', { name: 'Show more' });
    for (let left = before; left > 0; ) {
      await more.click();
      await expect.poll(number).toBeLessThan(left);
      left = await number();
    }
    await linkIn(`Backlog ${BACKLOG}`).waitFor();
  });
});

describe('a list whose only tasks were closed long ago', () => {
  it('teaches as an empty one, and shows them on request', async () => {
    await goTo(page, `/w/${home}/lists/${lists.done}`);
    await page.getByText('Press C and write what comes to mind').waitFor();
    await page.getByRole('button', { name: 'Show older closed tasks' }).click();
    await expect.poll(() => page.getByRole('main').getByRole('checkbox').count()).toBe(3);
    await page.getByRole('button', { name: 'Show older closed tasks' }).waitFor({ state: 'detached' });
  });
});

describe('a list with nothing closed but what is held', () => {
  it('offers no older tasks', async () => {
    const asked = page.waitForResponse(/tasks\/query\?.*statusType=completed/);
    await goTo(page, `/w/${home}/lists/${lists.later}`);
    expect((await (await asked).json()).total).toBe(0);
    await painted(page);
    await page.getByRole('main').locator('a.title').first().waitFor();
    expect(await page.getByRole('button', { name: 'Show older closed tasks' }).count()).toBe(0);
  });
});

describe('a task beside a list', () => {
  it('goes to neighbours while J is held no more often than Safari lets the address change', async () => {
    await goTo(page, `/w/${home}/lists/${lists.later}`);
    await page.getByRole('main').locator('a.title').first().click();
    await page.getByRole('button', { name: 'Next task' }).waitFor();
    await page.evaluate(`(() => {
      const replace = history.replaceState.bind(history);
      globalThis.changes = [];
      history.replaceState = (...entry) => {
        changes.push(performance.now());
        replace(...entry);
      };
    })()`);
    for (let times = 0; times < 200; times++) await page.keyboard.down('j');
    await page.keyboard.up('j');
    const changes = await page.evaluate<number[]>('changes');
    expect(changes.length).toBeGreaterThan(1);
    expect(changes.filter((at, index) => at - (changes[index - 100] ?? -Infinity) < 10_000)).toEqual([]);
  });
});
