import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, as } from '../people.ts';
import { signedInAs, studio, useStudio, world } from './studio.ts';
import { browser, goTo, isReady, PHONE, painted, startVisit, type Visit } from './visit.ts';

let visit: Visit;
let page: Page;

useStudio();
beforeAll(async () => {
  await studio.call('PATCH', '/me', { preferences: { welcomed: true } });
  const interval = {
    frequency: 'week',
    every: 1,
    timeOfDay: '09:00',
    timezone: 'UTC',
    daysOfWeek: ['friday'],
  };
  const series = { title: 'Water the plants', listId: studio.listIds.office, interval };
  await studio.call('POST', `/workspaces/${studio.workspaceId}/recurring-tasks`, series);
  visit = await startVisit(browser, signedInAs(world.app, studio.mara), PHONE);
  page = visit.page;
  await page.goto(`${visit.origin}/app/today`);
  await isReady(page);
});
afterAll(() => visit.end());

const open = (address: string) => goTo(page, address);

/** What is pressed and smaller than 44 px; 24 px are enough inside sentences and the days of a calendar. */
const SMALL = `[...document.querySelectorAll(
  'a[href], button, input, select, textarea, summary, [role=option], [role^=menuitem]')]
  .filter((one) => one.checkVisibility() && !one.closest('[aria-hidden=true], .month, .description-words'))
  .flatMap((one) => {
    const shape = one.closest('label') ?? (one.matches('.title') ? one.closest('li') : one);
    const { width, height } = shape.getBoundingClientRect();
    const isSmall = width > 0 && height > 0 && (Math.round(width) < 44 || Math.round(height) < 44);
    const name = one.getAttribute('aria-label') ?? one.textContent.slice(0, 30);
    return isSmall ? [one.tagName + ' ' + name + ' ' + Math.round(width) + ' x ' + Math.round(height)] : [];
  })`;
const isWide = `[document.documentElement, ...document.querySelectorAll('.column > ul')]
  .some((one) => one.scrollWidth > one.clientWidth)`;

const remarks = async (where: string): Promise<string[]> => [
  ...(await page.evaluate<string[]>(SMALL)).map((one) => `${where}: ${one}`),
  ...((await page.evaluate<boolean>(isWide)) ? [`${where} scrolls sideways`] : []),
];

describe('by touch, 360 px wide,', () => {
  it('whatever can be pressed is 44 px large, and nothing scrolls sideways', async () => {
    const { workspaceId: w, listIds, taskIds } = studio;
    const list = `/w/${w}/lists/${listIds.website}`;
    const found: string[] = [];
    for (const address of [
      '/today?assignee=everyone&due=any',
      '/lists',
      '/me',
      '/settings',
      list,
      `${list}?view=board`,
      `${list}?view=calendar`,
      `/w/${w}/tasks/${taskIds.copy}`,
      `/w/${w}/recurring`,
      `/w/${w}/search?q=lease`,
      ...['general', 'spaces', 'statuses', 'labels', 'people'].map((name) => `/w/${w}/settings/${name}`),
      ...['profile', 'security', 'tokens', 'data'].map((name) => `/settings/${name}`),
    ]) {
      await open(address);
      found.push(...(await remarks(address)));
    }
    await open(list);
    const row = page.getByRole('listitem').filter({ hasText: 'Pick a licence' });
    const opened = page.locator('dialog[open], :popover-open').first();
    for (const item of ['Due…', 'Labels…', 'Repeat…', 'Move to…']) {
      await row.getByRole('button', { name: 'More' }).tap();
      await page.getByRole('menuitem', { name: item }).tap();
      await opened.waitFor();
      found.push(...(await remarks(item)));
      while (await opened.isVisible()) await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'New task', exact: true }).tap();
    await page.getByRole('textbox', { name: 'Quick add' }).fill('Call fri 15:00 p1 every week #');
    await page.getByRole('option').first().waitFor();
    found.push(...(await remarks('New task')));
    while (await opened.isVisible()) await page.keyboard.press('Escape');
    expect(found).toEqual([]);
  });

  it('the state of sync is in the navigation unless Synced, beside a task too, with what waits', async () => {
    const device = await page.context().newCDPSession(page);
    const speedOfAnimations = (playbackRate: number) =>
      device.send('Animation.setPlaybackRate', { playbackRate });
    await open(`/w/${studio.workspaceId}/tasks/${studio.taskIds.beds}`);
    const main = page.getByRole('navigation', { name: 'Main' });
    await page.getByRole('button', { name: 'Priority: Low' }).waitFor();
    expect(await main.getByRole('status').count()).toBe(0);
    const topOfTitle = async () => (await page.locator('#task-title').boundingBox())?.y ?? 0;
    const before = await topOfTitle();
    await speedOfAnimations(0);
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Priority: Low' }).tap();
    await page.getByRole('option', { name: 'Medium' }).tap();
    await main.getByRole('status').filter({ hasText: 'Offline, 1 waiting' }).waitFor();
    // What is sent within a moment does not move the screen.
    expect(await topOfTitle()).toBe(before);
    await speedOfAnimations(1);
    await expect.poll(topOfTitle).toBeGreaterThan(before);
    await main.getByRole('status').getByRole('button', { name: 'Waiting changes' }).tap();
    const waiting = page.getByRole('dialog', { name: 'Waiting changes' });
    await waiting.getByRole('listitem').getByRole('button', { name: 'Drop' }).tap();
    await waiting.getByRole('button', { name: 'Close' }).tap();
    await page.getByRole('button', { name: 'Priority: Low' }).waitFor();
    await page.context().setOffline(false);
    await main.getByRole('status').waitFor({ state: 'detached' });
    await device.detach();
  });

  it('what a toast says leaves the tools of a selection and the field of a comment free', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.office}`);
    const row = page.getByRole('listitem').filter({ hasText: 'Mulch the beds' });
    const choose = async (item: string) => {
      await row.getByRole('button', { name: 'More' }).tap();
      await page.getByRole('menuitem', { name: item }).tap();
    };
    const overlaps = async (name: string, element: ReturnType<Page['getByRole']>) => {
      const [toast, other] = await Promise.all([page.locator('.toast').boundingBox(), element.boundingBox()]);
      if (!toast || !other) throw new Error(`No ${name}`);
      expect(toast.y + toast.height, name).toBeLessThanOrEqual(other.y);
    };
    await choose('Select');
    await choose('Complete');
    const tools = page.getByRole('toolbar', { name: 'Selection' });
    await overlaps('toolbar', tools);
    await tools.getByRole('button', { name: 'Clear' }).tap();
    await page.getByRole('link', { name: 'Mulch the beds' }).tap();
    await page.getByRole('toolbar', { name: 'Task' }).getByRole('button', { name: 'Complete' }).tap();
    await page.getByRole('status').filter({ hasText: 'Opened' }).waitFor();
    const field = page.getByRole('textbox', { name: 'Comment' });
    await overlaps('field', field);
    await field.fill('@');
    await overlaps('people', page.getByRole('listbox', { name: 'People' }));
    await field.fill('A line\n'.repeat(20));
    await field.scrollIntoViewIfNeeded();
    await overlaps('lines', field);
    await field.blur();
    await overlaps('send', page.getByRole('button', { name: 'Send', exact: true }));
  });

  it('a calendar begins with its head in a low window too, and with today', async () => {
    const { workspaceId: w, listIds } = studio;
    for (const width of [740, 900]) {
      await page.setViewportSize({ width, height: 360 });
      for (const address of [`/w/${w}/calendar`, `/w/${w}/lists/${listIds.website}?view=calendar`]) {
        await page.goto(`${visit.origin}/app${address}`);
        await isReady(page);
        await painted(page);
        const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
        expect(heading?.y, `${address} ${width}`).toBeGreaterThanOrEqual(0);
      }
    }
    await page.setViewportSize(PHONE.viewport);
  });

  it('what a toast covers of a list or a board can be scrolled to, on a wide screen too', async () => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 500 });
      for (const view of ['', '?view=board']) {
        await open(`/w/${studio.workspaceId}/lists/${studio.listIds.website}${view}`);
        await page.getByRole('main').getByRole('link', { name: 'Pick a licence' }).press('e');
        const toast = page.getByRole('status').filter({ hasText: 'Pick a licence' });
        await toast.waitFor();
        const { y = 0 } = (await toast.boundingBox()) ?? {};
        const ends = await page.evaluate<number[]>(`[...document.querySelectorAll('.scroll, .column > ul')]
          .filter((one) => one.querySelector('li'))
          .map((one) => {
            one.scrollTop = one.scrollHeight;
            return [...one.querySelectorAll('li')].at(-1).getBoundingClientRect().bottom;
          })`);
        expect(Math.max(...ends), `${width} ${view}`).toBeLessThanOrEqual(y);
        await toast.getByRole('button', { name: 'Undo' }).tap();
        await page.getByRole('status').filter({ hasText: 'Taken back' }).waitFor();
      }
    }
    await page.setViewportSize(PHONE.viewport);
  });

  it('letters twice as large leave whole what a group and the bar say', async () => {
    const device = await page.context().newCDPSession(page);
    await device.send('Page.enable');
    await device.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
    await open('/today');
    await page.getByText('Overdue', { exact: true }).waitFor();
    await painted(page);
    expect(
      await page.evaluate(`[...document.querySelectorAll('main .group-head > h2')]
        .flatMap((one) => (one.scrollWidth <= one.clientWidth ? [] : [one.textContent]))`),
    ).toEqual([]);
    const words = await page.evaluate<
      [number, number][]
    >(`[...document.querySelectorAll('.bar > a')].map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const { left, right } = range.getBoundingClientRect();
      return [left, right];
    })`);
    for (const [at, [left]] of words.entries())
      expect(left - (words[at - 1]?.[1] ?? 0)).toBeGreaterThanOrEqual(8);
    await device.send('Page.setFontSizes', { fontSizes: { standard: 16 } });
    await device.detach();
  });

  it('what a toast says of a new task leaves the next one free, above a keyboard too', async () => {
    await open('/today');
    await page.getByRole('button', { name: 'New task', exact: true }).tap();
    const dialog = page.getByRole('dialog', { name: 'New task' });
    const field = dialog.getByRole('textbox', { name: 'Quick add' });
    await field.fill('Sweep the yard');
    await dialog.getByRole('button', { name: 'Add' }).tap();
    await dialog.getByRole('button', { name: 'Undo' }).waitFor();
    const topOfToast = async () => (await dialog.locator('.toast').boundingBox())?.y;
    for (const height of [740, 380]) {
      await page.setViewportSize({ width: 360, height });
      for (const text of ['', 'Rake the leaves fri 15:00 p1 every month *l']) {
        await field.fill(text);
        const add = await dialog.getByRole('button', { name: 'Add' }).boundingBox();
        if (!add) throw new Error('No button');
        expect(await topOfToast(), `${text} ${height}`).toBeGreaterThanOrEqual(add.y + add.height);
      }
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  });

  it('the field of a comment is whole above the bar, however much is typed', async () => {
    await open(`/w/${studio.workspaceId}/tasks/${studio.taskIds.copy}`);
    const field = page.getByRole('textbox', { name: 'Comment' });
    await page.getByRole('button', { name: 'Comment', exact: true }).tap();
    const bottomOf = async (selector: string) => {
      const { y = 0, height = 0 } = (await page.locator(selector).boundingBox()) ?? {};
      return { top: y, bottom: y + height };
    };
    for (const line of ['One', 'Two', 'Three']) {
      await field.pressSequentially(line);
      await painted(page);
      const bar = await bottomOf('[role="toolbar"][aria-label="Task"]');
      // Its outline too.
      expect((await bottomOf('.compose')).bottom + 2).toBeLessThan(bar.top);
      await page.keyboard.press('Shift+Enter');
    }
    await field.fill('');
  });

  it('what replaces a text can be taken back, where no key does', async () => {
    const list = `/w/${studio.workspaceId}/lists/${studio.listIds.website}`;
    const undo = async (words: string) => {
      const toast = page.getByRole('status').filter({ hasText: words });
      await toast.getByRole('button', { name: 'Undo' }).tap();
    };
    await open(list);
    const row = page.getByRole('listitem').filter({ hasText: 'Photograph the Weißensee boathouse' });
    const title = await row.getByRole('link').boundingBox();
    await row.getByRole('button', { name: 'More' }).tap();
    await page.getByRole('menuitem', { name: 'Rename' }).tap();
    const field = page.getByRole('textbox', { name: 'Title' });
    // In the place of the title.
    expect((await field.boundingBox())?.x).toBeLessThanOrEqual(title?.x ?? 0);
    await field.fill('Paint it');
    await page.keyboard.press('Enter');
    await undo('Renamed “Photograph');
    await row.waitFor();
    await open(`/w/${studio.workspaceId}/tasks/${studio.taskIds.copy}`);
    const description = page.getByRole('textbox', { name: 'Description' });
    const before = await description.inputValue();
    await description.fill('Nothing');
    await description.blur();
    await undo('Changed the description');
    await expect.poll(() => description.inputValue()).toBe(before);
    await page.getByRole('button', { name: 'Edit “Choose photos”' }).tap();
    await page.getByRole('textbox', { name: 'Item', exact: true }).fill('Choose none');
    await page.keyboard.press('Enter');
    await undo('Renamed “Choose photos”');
    await page.getByRole('checkbox', { name: 'Choose photos' }).tap();
    await page.getByRole('checkbox', { name: 'Choose photos', checked: true }).waitFor();
    // What the next tap takes back needs no words.
    await page.getByRole('status').filter({ hasText: 'Choose photos' }).waitFor({ state: 'detached' });
  });

  it('what was done can be taken back from Me, when its toast is gone', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.website}`);
    const row = page.getByRole('listitem').filter({ hasText: 'Photograph the Weißensee boathouse' });
    await row.getByRole('button', { name: 'More' }).tap();
    await page.getByRole('menuitem', { name: 'Rename' }).tap();
    await page.getByRole('textbox', { name: 'Title' }).fill('Sink it');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Me', exact: true }).tap();
    await page.getByRole('button', { name: 'Undo the last change' }).tap();
    await page.getByRole('status').filter({ hasText: 'Taken back: Renamed “Photograph' }).waitFor();
    await page.goBack();
    await row.waitFor();
  });

  it('once a row is selected, others are by a tap', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.website}`);
    const row = (title: string) => page.getByRole('listitem').filter({ hasText: title });
    await row('Pick a licence').getByRole('button', { name: 'More' }).tap();
    await page.getByRole('menuitem', { name: 'Select' }).tap();
    await page.getByRole('link', { name: 'Replace the disk' }).tap();
    await page.getByRole('status').filter({ hasText: '2 selected' }).waitFor();
    await page.getByRole('link', { name: 'Selected: Pick a licence' }).tap();
    await page.getByRole('status').filter({ hasText: '1 selected' }).waitFor();
    await page.getByRole('link', { name: 'Selected: Replace the disk' }).tap();
    await page.getByRole('link', { name: 'Replace the disk' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Replace the disk' }).waitFor();
    // What is open is not offered to be opened, nor to be selected behind its page.
    await page.getByRole('toolbar', { name: 'Task' }).getByRole('button', { name: 'More' }).tap();
    await page.getByRole('menuitem', { name: 'Copy link' }).waitFor();
    expect(await page.getByRole('menuitem', { name: /^(Open|Select)$/ }).count()).toBe(0);
  });

  it('a date is given in words', async () => {
    await open(`/w/${studio.workspaceId}/tasks/${studio.taskIds.beds}`);
    await page.getByRole('toolbar', { name: 'Task' }).getByRole('button', { name: 'Due' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Due' });
    await dialog.getByLabel('In words').tap();
    await page.keyboard.type('5 jan 2031 9am');
    await dialog.getByText('Due: Sun 5 Jan 2031 9:00').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).tap();
    await page.getByRole('button', { name: 'Due: Sun 5 Jan 2031 9:00' }).waitFor();
  });

  it('a choice opens beside its field, though that was scrolled out of sight', async () => {
    await open(`/w/${studio.workspaceId}/tasks/${studio.taskIds.copy}`);
    await page.setViewportSize({ width: 360, height: 600 });
    const field = page.getByRole('button', { name: 'Assignee:' });
    const scroll = `document.querySelector('.panel .scroll')`;
    await page.evaluate(`${scroll}.scrollTo(0, ${scroll}.scrollHeight)`);
    expect((await field.boundingBox())?.y).toBeLessThan(0);
    await page.getByRole('toolbar', { name: 'Task' }).getByText('Assign').tap();
    const choice = page.getByRole('listbox', { name: 'Assignee' });
    await choice.waitFor();
    const [from, box] = [await field.boundingBox(), await choice.boundingBox()];
    expect(box?.y).toBeGreaterThanOrEqual((from?.y ?? 0) + (from?.height ?? 0));
    await page.keyboard.press('Escape');
    await page.setViewportSize(PHONE.viewport);
  });

  it('every screen has the same left edge, and marks of priority and sentences the width within it', async () => {
    const { workspaceId: w, listIds } = studio;
    // Of a box, what is drawn in the middle of what is pressed.
    const leftOf = (selector: string) =>
      page.evaluate<number[]>(`[...document.querySelectorAll('main ' + ${JSON.stringify(selector)})]
        .filter((one) => one.checkVisibility())
        .map((one) => [one.getBoundingClientRect(), one.matches('.box')])
        .map(([{ left, width }, isBox]) => (isBox ? left + width / 2 - 11 : left))`);
    const list = `/w/${w}/lists/${listIds.office}`;
    for (const address of [
      '/today',
      list,
      `/w/${w}/search?q=le`,
      '/lists',
      '/notifications',
      `/w/${w}/trash`,
    ]) {
      await open(address);
      const first = (await page.locator('.back').count()) > 0 ? '.back .icon' : 'h1';
      expect([address, await leftOf(first)]).toEqual([address, [16]]);
      const rows = [...(await leftOf('.row > .box')), ...(await leftOf('.notifications .icon'))];
      expect([address, rows.filter((left) => left !== 16)]).toEqual([address, []]);
    }
    await open(list);
    const row = page.getByRole('listitem').filter({ hasText: 'Send the signed lease' });
    const mark = await row.getByRole('img', { name: 'Urgent priority' }).boundingBox();
    const title = await row.getByRole('link').boundingBox();
    const due = await row.getByRole('time').boundingBox();
    expect(Math.abs((mark?.x ?? 0) - (title?.x ?? 0))).toBeLessThan(3);
    expect(mark?.y).toBeGreaterThan((title?.y ?? 0) + (title?.height ?? 0) / 2);
    expect(due?.x).toBeGreaterThan((mark?.x ?? 0) + (mark?.width ?? 0));
  });

  it('parts of the settings are as far from each other, also where words come later', async () => {
    await open('/settings/data');
    const gapBetween = async (button: string, heading: string) => {
      const above = await page.getByRole('button', { name: button, exact: true }).boundingBox();
      const below = await page.getByRole('heading', { name: heading, exact: true }).boundingBox();
      return (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0);
    };
    expect(await gapBetween('Choose a file', 'Deletion')).toBe(await gapBetween('Export', 'Import'));
  });

  it('the bar says where one is, and a screen below another one leads back to it', async () => {
    const { workspaceId: w, listIds } = studio;
    const bar = page.getByRole('navigation', { name: 'Main' });
    const current = () => bar.locator('[aria-current]').allTextContents();
    for (const [address, name] of [
      ['/today', 'Today'],
      ['/lists', 'Lists'],
      [`/w/${w}/lists/${listIds.office}`, 'Lists'],
      ['/upcoming', 'Lists'],
      [`/w/${w}/calendar`, 'Lists'],
      [`/w/${w}/recurring`, 'Lists'],
      [`/w/${w}/trash`, 'Lists'],
      [`/w/${w}/search`, 'Search'],
      ['/notifications', 'Me'],
      ['/settings/profile', 'Me'],
    ] as const) {
      await open(address);
      await expect.poll(current, { message: address }).toEqual([name]);
      const upper = address === '/settings/profile' ? 'Settings' : name;
      const back = page.getByRole('button', { name: `Back to ${upper}`, exact: true });
      if (['/today', '/lists', `/w/${w}/search`].includes(address)) expect(await back.count()).toBe(0);
      else {
        await back.tap();
        await page.getByRole('heading', { level: 1, name: upper, exact: true }).waitFor();
      }
    }
  });

  it('the bar counts under Me what was not read', async () => {
    const ada = await world.signUp('ada@kanal.example', 'Ada');
    await addMember(world, studio.mara, studio.workspaceId, ada, 'member');
    const me = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Me/ });
    await open('/today');
    await as(world, ada)('PATCH', `/workspaces/${studio.workspaceId}/tasks/${studio.taskIds.licence}`, {
      assigneeId: studio.mara.id,
    });
    await expect.poll(() => me.textContent()).toMatch(/^Me [1-9]/);
    const icons = await page
      .locator('.bar a > svg')
      .evaluateAll((all) => all.map((icon) => Math.round(icon.getBoundingClientRect().y)));
    expect(new Set(icons).size, `icons in one line: ${icons}`).toBe(1);
    await studio.call('POST', '/me/notifications/read-all');
    await expect.poll(() => me.textContent()).toBe('Me');
  });

  it('what leads back from a screen takes the step that led there', async () => {
    await open('/today');
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await page.getByRole('link', { name: 'Lists', exact: true }).tap();
    await page.getByRole('link', { name: 'Office' }).tap();
    await heading('Office');
    await page.getByRole('button', { name: 'Back to Lists' }).tap();
    await heading('Lists');
    await page.goBack();
    await heading('Today');
  });

  it('the bar is at the bottom also before there is a screen', async () => {
    const fresh = await startVisit(browser, signedInAs(world.app, studio.mara), PHONE);
    await fresh.page.route('**/changes?*', () => {});
    await fresh.page.goto(`${fresh.origin}/app/w/${studio.workspaceId}/tasks/${studio.taskIds.copy}`);
    const link = await fresh.page.getByRole('link', { name: 'Lists' }).boundingBox();
    expect(link?.y).toBeGreaterThan(PHONE.viewport.height - 80);
    await fresh.end();
  });

  it('a task that is gone is a screen of its own, which leads back', async () => {
    const list = `/w/${studio.workspaceId}/lists/${studio.listIds.office}`;
    await open(`${list}?task=019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f`);
    await page.getByRole('heading', { level: 1, name: 'Not found', exact: true }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Close' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Office', exact: true }).waitFor();
  });
});
