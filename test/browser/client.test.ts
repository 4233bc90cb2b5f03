import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../world.ts';
import { fillStudio, type Studio, signedInAs } from './studio.ts';
import { launchBrowser, startVisit, type Visit } from './visit.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let world: World;
let studio: Studio;

beforeAll(async () => {
  browser = await launchBrowser();
  world = await openWorld({ start: Date.now() });
  studio = await fillStudio(world);
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

const visitAs = (width = 1280, colorScheme: 'light' | 'dark' = 'light'): Promise<Visit> =>
  startVisit(browser, signedInAs(world.app, studio.mara), {
    viewport: { width, height: 800 },
    colorScheme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });

async function open({ page, origin }: Visit, address: string): Promise<void> {
  await page.goto(`${origin}/app${address}`);
  await isReady(page);
}

async function isReady(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  // On a phone, the screen below a task stays, hidden.
  await page.locator('main:not([aria-busy="true"]):visible').first().waitFor();
}

/** What axe finds, as rule and place. */
async function violations(page: Page): Promise<string[]> {
  // Playwright evaluates outside of the page's policy.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations: found } = await checker.run();
    return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
  });
}

const ADDRESSES = [
  '/today',
  '/today?task={task}',
  '/upcoming',
  '/mine',
  '/w/{w}/inbox',
  '/w/{w}/lists/{list}',
  '/w/{w}/lists/{list}?view=board',
  '/w/{w}/lists/{list}?view=calendar',
  '/w/{w}/calendar',
  '/w/{w}/tasks/{task}',
  '/w/{w}/recurring',
  '/w/{w}/search?q=lease',
  '/w/{w}/trash',
  '/notifications',
  ...['general', 'spaces', 'statuses', 'labels', 'people'].map((name) => `/w/{w}/settings/${name}`),
  ...['profile', 'security', 'tokens', 'data'].map((name) => `/settings/${name}`),
  '/nowhere',
];
const filled = (address: string): string => {
  const ids: Record<string, string | undefined> = {
    w: studio.workspaceId,
    list: studio.listIds.website,
    task: studio.taskIds.copy,
  };
  return address.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
};
const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

describe('every screen, in both themes, 320 and 1280 px wide,', () => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await visitAs();
  });
  afterAll(() => visit.end());

  it.each(ADDRESSES)('has no violation that axe finds, and fits: %s', async (address) => {
    const { page } = visit;
    await open(visit, filled(address));
    const found: string[] = [];
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(FRAMES);
        await isReady(page);
        for (const violation of await violations(page)) found.push(`${width} ${colorScheme} ${violation}`);
      }
      const isWide = await page.evaluate<boolean>(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      );
      if (isWide) found.push(`${width} scrolls sideways`);
    }
    expect(found).toEqual([]);
  });
});

describe('every dialog of a list', () => {
  for (const [colorScheme, width] of [
    ['light', 320],
    ['dark', 1280],
  ] as const) {
    it(`has no violation that axe finds, ${colorScheme}, ${width} px wide`, async () => {
      const visit = await visitAs(width, colorScheme);
      const { page } = visit;
      await open(visit, `/w/${studio.workspaceId}/lists/${studio.listIds.website}`);
      const row = page.getByRole('main').getByRole('link', { name: 'Pick a licence for the drawings' });
      const shown = page.locator('dialog[open], :popover-open').first();
      const found: string[] = [];
      for (const key of ['c', 's', 'l', 'm', 'd', 'r', '.', '?', 'Control+k']) {
        await row.focus();
        await page.keyboard.press(key);
        await shown.waitFor();
        if (key === 'c') await page.keyboard.type('Call fri 15:00 every month p1 @');
        for (const violation of await violations(page)) found.push(`${key} ${violation}`);
        while (await shown.isVisible()) await page.keyboard.press('Escape');
      }
      expect(found).toEqual([]);
      await visit.end();
    });
  }
});

describe('the first load', () => {
  it('shows its screen though that is there before the page had time to ask for it', async () => {
    const { page, origin, end } = await startVisit(browser, world.app);
    // Preact runs effects by whichever of these comes first: both come after the files that are being loaded.
    await page.addInitScript(`{
      const { requestAnimationFrame: frame, setTimeout: timer } = window;
      window.requestAnimationFrame = (run) => timer(() => frame(run), 1000);
      window.setTimeout = (run, ms = 0, ...rest) => timer(run, ms + 1000, ...rest);
    }`);
    await page.goto(`${origin}/app/sign-in`);
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor({ timeout: 15_000 });
    await end();
  });

  it('is over before anything is said to be in step', async () => {
    const visit = await visitAs();
    const { page } = visit;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/changes?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${visit.origin}/app/today`);
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    const status = page.getByRole('navigation', { name: 'Main' }).getByRole('status');
    expect(await status.textContent()).toBe('');
    release();
    await status.filter({ hasText: 'Synced' }).waitFor();
    await page.getByRole('link', { name: 'Order oak samples for the reading room' }).waitFor();
    await visit.end();
  });
});

describe('by keys alone', () => {
  it('a task is made, found, completed and opened again', async () => {
    const visit = await visitAs();
    const { page } = visit;
    await open(visit, '/today');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.waitFor();
    await page.keyboard.type('Buy paper tomorrow 9:30 p2');
    await expect
      .poll(() => dialog.getByRole('button', { name: /^Due: Tomorrow 09:30; make it text again$/ }).count())
      .toBe(1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    const box = page.getByRole('checkbox', { name: 'Buy paper: complete' });
    await box.waitFor();
    await expect
      .poll(
        async () => (await studio.call('GET', `/workspaces/${studio.workspaceId}/tasks/search?q=paper`)).body,
      )
      .toMatchObject({
        items: [{ title: 'Buy paper', priority: 'high' }],
      });
    await page.keyboard.press('j');
    while ((await page.evaluate<string>('document.activeElement.textContent')) !== 'Buy paper')
      await page.keyboard.press('j');
    await page.keyboard.press('e');
    await expect.poll(() => box.getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('z');
    await expect.poll(() => box.getAttribute('aria-checked')).toBe('false');
    await visit.end();
  });

  it('a task opens beside its list, leads to its neighbour, and gives the focus back', async () => {
    const visit = await visitAs();
    const { page } = visit;
    await open(visit, '/today');
    await page.getByRole('link', { name: 'Order oak samples for the reading room' }).waitFor();
    await page.keyboard.press('j');
    const focused = page.getByRole('main').locator('a:focus');
    await focused.waitFor();
    const first = (await focused.textContent()) ?? '';
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: first });
    await panel.waitFor();
    expect(await panel.getByRole('heading', { level: 2 }).first().textContent()).toBe(first);
    await page.keyboard.press('j');
    await expect.poll(() => panel.count()).toBe(0);
    await page.keyboard.press('k');
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toBe(first);
    await visit.end();
  });

  it('the palette leads to a list', async () => {
    const visit = await visitAs();
    const { page } = visit;
    await open(visit, '/today');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search commands, lists and tasks' }).waitFor();
    await page.keyboard.type('lesesaal');
    await page.getByRole('option', { name: 'Lesesaal Bibliothek Süd', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lesesaal Bibliothek Süd' }).waitFor();
    await visit.end();
  });

  it('a card goes to the next column of the board', async () => {
    const visit = await visitAs();
    const { page } = visit;
    await open(visit, `/w/${studio.workspaceId}/lists/${studio.listIds.website}?view=board`);
    const title = 'Pick a licence for the drawings';
    const card = (column: string) =>
      page.getByRole('region', { name: column }).getByRole('link', { name: title });
    await card('To Do').focus();
    await page.keyboard.press('Alt+ArrowRight');
    await card('In Progress').waitFor();
    await page.keyboard.press('Alt+ArrowLeft');
    await card('To Do').waitFor();
    await visit.end();
  });
});

describe('a choice', () => {
  it('of status, priority and day is made in the panel', async () => {
    const visit = await visitAs();
    const { page } = visit;
    await open(visit, `/today?task=${studio.taskIds.beds}`);
    const panel = page.getByRole('complementary', { name: 'Mulch the beds before the first hard frost' });
    await panel.getByRole('button', { name: 'Priority: Low' }).click();
    await page.getByRole('listbox', { name: 'Priority' }).getByRole('option', { name: 'High' }).click();
    await panel.getByRole('button', { name: 'Priority: High' }).waitFor();
    await panel.getByRole('button', { name: /^Status: / }).click();
    await page.getByRole('listbox', { name: 'Status' }).getByRole('option', { name: 'In Progress' }).click();
    await panel.getByRole('button', { name: 'Status: In Progress' }).waitFor();
    await panel.getByRole('button', { name: /^Due: / }).click();
    const dialog = page.getByRole('dialog', { name: 'Due' });
    await dialog.getByLabel('Day').fill('2030-01-05');
    await dialog.getByLabel('Time').fill('08:15');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('button', { name: /^Due: Sat 5 Jan 2030 8:15$/ }).waitFor();
    await visit.end();
  });
});

describe('on a phone', () => {
  it('a task is a page with its tools, and leads back', async () => {
    const visit = await startVisit(browser, signedInAs(world.app, studio.mara), {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
      timezoneId: 'UTC',
    });
    const { page } = visit;
    await open(visit, '/today');
    await page.getByRole('link', { name: 'Order oak samples for the reading room' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Order oak samples for the reading room' }).waitFor();
    const tools = page.getByRole('toolbar', { name: 'Task' });
    await tools.getByRole('button', { name: 'Due' }).tap();
    await page.getByRole('dialog', { name: 'Due' }).getByRole('button', { name: 'Cancel' }).tap();
    await page.getByRole('button', { name: 'Back to Today' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await visit.end();
  });
});
