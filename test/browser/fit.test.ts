import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { as, homeOf, joined } from '../people.ts';
import { openWorld, type Person, type World } from '../world.ts';
import { signedInAs } from './studio.ts';
import { browser, goTo, isReady, painted, startVisit, useBrowser, type Visit } from './visit.ts';

const WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
  .repeat(4)
  .slice(0, 300);
const HEIGHT = 800;

let world: World;
let ada: Person;
let home: string;
let list: string;
let task: string;
let arabic: string;

useBrowser();
beforeAll(async () => {
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
afterAll(() => world.close());

/** A visit at Lists; the other screens are opened inside the client. */
async function enter(width: number, options: BrowserContextOptions = {}): Promise<Visit> {
  const visit = await startVisit(browser, signedInAs(world.app, ada), {
    ...options,
    viewport: { width, height: HEIGHT },
  });
  await visit.page.goto(`${visit.origin}/app/lists`);
  await isReady(visit.page);
  return visit;
}

const WIDTHS = [1280, 768, 360];
const resize = async (page: Page, width: number) => {
  await page.setViewportSize({ width, height: HEIGHT });
  await painted(page);
  await isReady(page);
};

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
  '/settings',
  '/lists',
  '/me',
];

describe('words of 300 letters', () => {
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    visit = await enter(1280);
    page = visit.page;
  });
  beforeEach(() => resize(page, 1280));
  afterAll(() => visit.end());

  it('make no screen scroll sideways at 360, 768 and 1280 pixels', async () => {
    const found: string[] = [];
    for (const address of addresses()) {
      await resize(page, 1280);
      await goTo(page, address);
      for (const width of WIDTHS) {
        await resize(page, width);
        for (const wide of await tooWide(page)) found.push(`${address} ${width}: ${wide}`);
      }
    }
    expect(found).toEqual([]);
  });

  it('do not lay the tools of a selection over each other at 360, 768 and 1280 pixels', async () => {
    await goTo(page, `/w/${home}/lists/${list}`);
    await page.getByRole('main').locator('a.title').first().focus();
    await page.keyboard.press('x');
    await page.getByRole('toolbar', { name: 'Selection' }).waitFor();
    for (const width of WIDTHS) {
      await resize(page, width);
      expect([width, await overlaps(page)]).toEqual([width, []]);
    }
  });

  it('leave room between a toast and the line of keys at 1280 and 768 pixels', async () => {
    await goTo(page, `/w/${home}/lists/${list}`);
    await page.getByRole('main').locator('a.title').first().press('i');
    const toast = page.getByRole('status').filter({ hasText: 'given to' });
    await toast.waitFor();
    for (const width of [1280, 768]) {
      await resize(page, width);
      const [above, below] = await Promise.all([toast.boundingBox(), page.locator('.keys').boundingBox()]);
      if (!above || !below) throw new Error('Nothing to compare');
      expect(below.y - above.y - above.height, `${width}`).toBeGreaterThanOrEqual(8);
    }
  });

  it('leave the field of a comment in sight beside a list', async () => {
    await goTo(page, `/w/${home}/lists/${list}?task=${task}`);
    const field = await page.getByRole('button', { name: 'Send' }).boundingBox();
    expect(field && field.y + field.height).toBeLessThanOrEqual(HEIGHT - 16);
  });

  it('do not turn the direction of another title, also while that is selected', async () => {
    await goTo(page, `/w/${home}/lists/${list}`);
    const title = page.locator(`[data-task="${arabic}"] a.title`);
    await title.focus();
    await page.keyboard.press('x');
    await page.getByRole('toolbar', { name: 'Selection' }).waitFor();
    expect(
      await title.evaluate(
        (element) => element.ownerDocument.defaultView?.getComputedStyle(element).direction,
      ),
    ).toBe('rtl');
  });
});

describe('on a phone', () => {
  it('no dialog is wider than its place, whatever it holds', async () => {
    const visit = await enter(360, { isMobile: true, hasTouch: true });
    const { page } = visit;
    const found: [string, string[]][] = [];
    const keys = ['c', 'd', 'r', 'l', 'm', 'Control+k', '?'];
    const shown = page.locator('dialog[open], :popover-open').first();
    await goTo(page, `/w/${home}/lists/${list}`);
    for (const key of keys) {
      await page.getByRole('main').locator('a.title').first().focus();
      await page.keyboard.press(key);
      await shown.waitFor();
      if (key === 'c') await page.keyboard.type('Call fri 15:00 *0 ');
      found.push([key, await tooWide(page)]);
      while (await shown.isVisible()) await page.keyboard.press('Escape');
    }
    expect(found).toEqual(keys.map((key) => [key, []]));
    await visit.end();
  });
});

/** 1280 by 1024 pixels at 400 %, and with letters that are half as large again. */
describe.each([16, 24])('a window of 320 by 256 pixels with letters of %i', (standard) => {
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    visit = await enter(320);
    page = visit.page;
    await page.setViewportSize({ width: 320, height: 256 });
    const device = await page.context().newCDPSession(page);
    await device.send('Page.enable');
    await device.send('Page.setFontSizes', { fontSizes: { standard } });
  });
  afterAll(() => visit.end());

  /** Which of some elements lie under something else, or out of the window, once they have the focus. */
  const hidden = (within: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(within)})].flatMap((one) => {
      if (!one.checkVisibility() || one.disabled) return [];
      one.focus();
      one.scrollIntoView({ block: 'nearest' });
      const { left, top, width, height } = one.getBoundingClientRect();
      const at = document.elementFromPoint(left + Math.min(width, 20) / 2, top + height / 2);
      return one === at || one.contains(at) || at?.closest('label')?.contains(one) ? [] : [one.outerHTML.slice(0, 80)];
    })`);

  it('leaves rows and the tools above them within reach', async () => {
    for (const address of [`/w/${home}/lists/${list}`, '/today', `/w/${home}/calendar`]) {
      await goTo(page, address);
      await page.getByRole('main').getByRole('link').first().waitFor();
      expect([
        address,
        await hidden('main .scroll a, main .scroll button, main .head :is(a, button)'),
      ]).toEqual([address, []]);
      const room = await page.locator('main .scroll').evaluate((element) => element.clientHeight);
      expect(room, address).toBeGreaterThan(100);
    }
    const head = page.getByRole('main').getByRole('heading', { level: 1 });
    await head.scrollIntoViewIfNeeded();
    await head.hover();
    await page.mouse.wheel(0, 60);
    await expect.poll(() => page.getByRole('main').evaluate((main) => main.scrollTop)).toBeGreaterThan(0);
  });

  it('leaves each field of a dialog in sight that has the focus', async () => {
    await goTo(page, `/w/${home}/lists/${list}`);
    for (const key of ['r', 'd']) {
      await page.getByRole('main').locator('a.title').first().focus();
      await page.keyboard.press(key);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).waitFor();
      expect([key, await hidden('dialog :is(input, select, button)')]).toEqual([key, []]);
      await page.keyboard.press('Escape');
    }
  });

  it('leaves the way back of a toast within reach, whatever it names', async () => {
    await goTo(page, `/w/${home}/lists/${list}`);
    await page.getByRole('main').locator('a.title').first().press('e');
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    const box = await undo.boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(320);
    await undo.click();
  });
});
