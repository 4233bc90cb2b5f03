import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../world.ts';
import { violations } from './accessibility.ts';
import { fillStudio, type Studio, signedInAs } from './studio.ts';
import { goTo, isReady, launchBrowser, startVisit, type Visit } from './visit.ts';

let browser: Browser;
let world: World;
let studio: Studio;
let visit: Visit;

beforeAll(async () => {
  browser = await launchBrowser();
  world = await openWorld({ start: Date.now() });
  studio = await fillStudio(world);
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

/** Begins a visit at that address, in whose one document all screens of a group are looked at. */
const beginAt = async (address: string, app: Parameters<typeof startVisit>[1]) => {
  visit = await startVisit(browser, app, { reducedMotion: 'reduce', timezoneId: 'UTC' });
  await visit.page.goto(`${visit.origin}/app${address}`);
  await isReady(visit.page);
};
const beginAsMara = () => beginAt('/lists', signedInAs(world.app, studio.mara));
const resize = (width: number) => visit.page.setViewportSize({ width, height: 800 });

const WIDTHS = [1280, 320];
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

describe('every screen, in both themes, 320 and 1280 px wide,', () => {
  beforeAll(beginAsMara);
  afterAll(() => visit.end());

  it.each(ADDRESSES)('has no violation that axe finds, and fits: %s', async (address) => {
    const { page } = visit;
    await resize(1280);
    await goTo(page, filled(address));
    const found: string[] = [];
    for (const width of WIDTHS) {
      await resize(width);
      await isReady(page);
      for (const violation of await violations(page)) found.push(`${width} ${violation}`);
      const isWide = await page.evaluate<boolean>(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      );
      if (isWide) found.push(`${width} scrolls sideways`);
    }
    expect(found).toEqual([]);
  });
});

describe('every dialog, in both themes', () => {
  beforeAll(beginAsMara);
  afterAll(() => visit.end());

  it.each(WIDTHS)('has no violation that axe finds, of a list, %i px wide', async (width) => {
    const { page } = visit;
    await resize(width);
    await goTo(page, filled('/w/{w}/lists/{list}'));
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
  });

  it.each(WIDTHS)('has no violation that axe finds, of the settings, %i px wide', async (width) => {
    const { page } = visit;
    await resize(width);
    const shown = page.locator('dialog[open], :popover-open, main input:focus').first();
    const found: string[] = [];
    for (const [address, button] of [
      ['/settings/tokens', 'New token'],
      ['/settings/data', 'Delete account'],
      ['/w/{w}/settings/general', 'Hand over'],
      ['/w/{w}/settings/general', 'Delete workspace'],
      ['/w/{w}/settings/spaces', 'New space'],
      ['/w/{w}/settings/spaces', 'More for Office'],
      ['/w/{w}/settings/statuses', 'New status'],
      ['/w/{w}/settings/labels', 'More for writing'],
    ] as const) {
      await goTo(page, filled(address));
      await page.getByRole('button', { name: button, exact: true }).click();
      await shown.waitFor();
      for (const violation of await violations(page)) found.push(`${address} ${button} ${violation}`);
    }
    expect(found).toEqual([]);
  });
});

describe('every screen without a session, in both themes', () => {
  beforeAll(() => beginAt('/forgot-password', world.app));
  afterAll(() => visit.end());

  it.each(WIDTHS)('has no violation that axe finds, %i px wide', async (width) => {
    const { page } = visit;
    await resize(width);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const found: string[] = [];
    const look = async (name: string) => {
      for (const violation of await violations(page)) found.push(`${name} ${violation}`);
    };
    await goTo(page, '/sign-in');
    await look('sign-in');
    await page.getByLabel('Email', { exact: true }).fill(studio.mara.email);
    await press('Email me a code');
    await page.getByLabel('Code', { exact: true }).waitFor();
    await look('code');
    await goTo(page, '/sign-up');
    await press('Create account');
    await page.getByText('Email must be valid').waitFor();
    await look('sign-up');
    await goTo(page, '/forgot-password');
    await look('forgot-password');
    expect(found).toEqual([]);
  });
});
