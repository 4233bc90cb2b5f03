import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './accessibility.ts';
import { signedInAs, studio, useStudio, world } from './studio.ts';
import { browser, goTo, isReady, startVisit, type Visit } from './visit.ts';

let visit: Visit;

useStudio();

/** Begins a visit at that address, in whose one document all screens of a group are looked at. */
const beginAt = async (address: string, app: Parameters<typeof startVisit>[1]) => {
  visit = await startVisit(browser, app);
  await visit.page.goto(`${visit.origin}/app${address}`);
  await isReady(visit.page);
};
const beginAsMara = () => beginAt('/lists', signedInAs(world.app, studio.mara));
const resize = (width: number) => visit.page.setViewportSize({ width, height: 800 });

const WIDTHS = [1280, 320];
const within = (address: string): string => `/w/${studio.workspaceId}/${address}`;

describe('every dialog, in both themes', () => {
  beforeAll(beginAsMara);
  afterAll(() => visit.end());

  it.each(WIDTHS)('has no violation that axe finds, of a list, %i px wide', async (width) => {
    const { page } = visit;
    await resize(width);
    await goTo(page, within(`lists/${studio.listIds.website}`));
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
      ['settings/general', 'Hand over'],
      ['settings/general', 'Delete workspace'],
      ['settings/spaces', 'New space'],
      ['settings/spaces', 'More for Office'],
      ['settings/statuses', 'New status'],
      ['settings/labels', 'More for writing'],
    ] as const) {
      await goTo(page, address.startsWith('/') ? address : within(address));
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
