import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { as, homeOf, joined } from '../people.ts';
import { openWorld, type Person, type World } from '../world.ts';
import { signedInAs } from './studio.ts';
import { launchBrowser, startVisit, type Visit } from './visit.ts';

const WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
  .repeat(4)
  .slice(0, 300);
const HEIGHT = 800;

let browser: Browser;
let world: World;
let ada: Person;
let home: string;
let list: string;
let task: string;
let arabic: string;

beforeAll(async () => {
  browser = await launchBrowser();
  world = await openWorld({ start: Date.now() });
  ada = await world.signUp('ada@example.com', WORD.slice(0, 190));
  home = await homeOf(world, ada);
  const call = async (method: string, path: string, body?: object) =>
    (await as(world, ada)(method, path, body)).body;
  const within = `/workspaces/${home}`;
  await call('PATCH', '/me', { timezone: 'UTC', preferences: { welcomed: true } });
  await call('PATCH', within, { title: WORD.slice(0, 200) });
  await joined(world, ada, home, 'member', WORD.slice(0, 180));
  const [{ id: space }] = (await call('GET', `${within}/spaces`)).items;
  await call('PATCH', `${within}/spaces/${space}`, { title: WORD.slice(0, 200) });
  [{ id: list }] = (await call('GET', `${within}/lists`)).items;
  await call('PATCH', `${within}/lists/${list}`, { title: WORD.slice(0, 200) });
  const labelIds: string[] = [];
  for (let index = 0; index < 12; index += 1)
    labelIds.push((await call('POST', `${within}/labels`, { title: `${index}${WORD.slice(0, 80)}` })).id);
  const due = new Date(world.clock.now()).toISOString().slice(0, 10);
  const made = await call('POST', `${within}/tasks`, {
    listId: list,
    title: WORD,
    description: WORD.repeat(4),
    dueDay: due,
    labelIds,
    checklist: Array.from({ length: 20 }, () => ({ title: WORD })),
  });
  task = made.id;
  await call('POST', `${within}/tasks/${task}/comments`, { body: WORD });
  for (let index = 0; index < 3; index += 1)
    await call('POST', `${within}/tasks`, { listId: list, title: WORD, dueDay: due });
  arabic = (await call('POST', `${within}/tasks`, { listId: list, title: 'مراجعة عقد الترجمة' })).id;
  const gone = await call('POST', `${within}/tasks`, { listId: list, title: WORD });
  await call('DELETE', `${within}/tasks/${gone.id}`);
  await call('POST', `${within}/recurring-tasks`, {
    title: WORD,
    listId: list,
    interval: {
      frequency: 'week',
      every: 2,
      daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      timeOfDay: '09:00',
      timezone: 'America/Argentina/ComodRivadavia',
    },
    endCondition: { type: 'count', count: 12 },
  });
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

async function enter(width: number, options: BrowserContextOptions = {}): Promise<Visit> {
  return startVisit(browser, signedInAs(world.app, ada), {
    ...options,
    viewport: { width, height: HEIGHT },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });
}

async function open({ page, origin }: Visit, address: string): Promise<void> {
  await page.goto(`${origin}/app${address}`);
  await page.locator('main:visible:not([aria-busy="true"])').first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/** What is wider than the place it has, where no one scrolls sideways, with what sticks out of it. */
const tooWide = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('html, nav, main, .scroll, .card, dialog')]
    .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
    .map((element) => {
      const { right } = element.getBoundingClientRect();
      const out = [...element.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > right + 1);
      return [element, ...out.slice(0, 3)].map((one) => one.tagName + '.' + one.className).join(' ');
    })`);

/** Buttons of one toolbar that lie over each other. */
const overlaps = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const all = [...document.querySelectorAll('[role=toolbar] > button')];
    return all.filter((one, index) => {
      const next = all[index + 1];
      return next && one.getBoundingClientRect().right > next.getBoundingClientRect().left + 0.5;
    }).map((one) => one.textContent);
  })()`);

const addresses = () => [
  '/today',
  `/w/${home}/lists/${list}`,
  `/w/${home}/lists/${list}?view=board`,
  `/w/${home}/lists/${list}?task=${task}`,
  `/w/${home}/recurring`,
  `/w/${home}/trash`,
  `/w/${home}/search?q=donau`,
  '/notifications',
  `/w/${home}/settings/spaces`,
  `/w/${home}/settings/labels`,
  `/w/${home}/settings/people`,
  '/lists',
  '/me',
];

describe('words of 300 letters', () => {
  it.each([360, 768, 1280])('make no screen scroll sideways at %i pixels', async (width) => {
    const visit = await enter(width);
    const found: [string, string[]][] = [];
    for (const address of addresses()) {
      await open(visit, address);
      found.push([address, await tooWide(visit.page)]);
    }
    expect(found).toEqual(addresses().map((address) => [address, []]));
    await visit.end();
  });
});

describe('on a phone', () => {
  it('no dialog is wider than its place, whatever it holds', async () => {
    const visit = await enter(360, { isMobile: true, hasTouch: true });
    const { page } = visit;
    const found: [string, string[]][] = [];
    const keys = ['c', 'd', 'r', 'l', 'm', 'Control+k', '?'];
    for (const key of keys) {
      await open(visit, `/w/${home}/lists/${list}`);
      await page.getByRole('main').locator('a.title').first().focus();
      await page.keyboard.press(key);
      await page.locator('dialog[open], :popover-open').first().waitFor();
      if (key === 'c') await page.keyboard.type('Call fri 15:00 *0 ');
      found.push([key, await tooWide(page)]);
    }
    expect(found).toEqual(keys.map((key) => [key, []]));
    await visit.end();
  });
});

describe('a title written from right to left', () => {
  it('stays so while it is selected', async () => {
    const visit = await enter(1280);
    await open(visit, `/w/${home}/lists/${list}`);
    const title = visit.page.locator(`[data-task="${arabic}"] a.title`);
    await title.focus();
    await visit.page.keyboard.press('x');
    await visit.page.getByRole('toolbar', { name: 'Selection' }).waitFor();
    expect(
      await title.evaluate(
        (element) => element.ownerDocument.defaultView?.getComputedStyle(element).direction,
      ),
    ).toBe('rtl');
    await visit.end();
  });
});

describe('beside a list', () => {
  it('the field of a comment is in sight, however long the task', async () => {
    const visit = await enter(1280);
    await open(visit, `/w/${home}/lists/${list}?task=${task}`);
    const field = await visit.page.getByRole('button', { name: 'Send' }).boundingBox();
    expect(field && field.y + field.height).toBeLessThanOrEqual(HEIGHT - 16);
    await visit.end();
  });
});

describe('the tools of a selection', () => {
  it.each([360, 768, 1280])('do not lie over each other at %i pixels', async (width) => {
    const visit = await enter(width);
    await open(visit, `/w/${home}/lists/${list}`);
    await visit.page.getByRole('main').locator('a.title').first().focus();
    await visit.page.keyboard.press('x');
    await visit.page.getByRole('toolbar', { name: 'Selection' }).waitFor();
    expect(await overlaps(visit.page)).toEqual([]);
    await visit.end();
  });
});
