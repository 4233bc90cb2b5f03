import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { addTasks } from '../many-tasks.ts';
import { newFolder } from '../new-folder.ts';
import { as, homeOf, joined, openHome } from '../people.ts';
import type { Person, World } from '../world.ts';
import { signedInAs } from './studio.ts';
import { DESKTOP, NOON, synced, useVisit, visit } from './visit.ts';

let world: World;
let ada: Person;
let vic: Person;
let home: string;
let list: { id: string; statuses: { id: string; type: string }[] };

useVisit({ ...DESKTOP, at: NOON });
beforeEach(async () => {
  ({ world, ada, home, list } = await openHome({ start: NOON }));
  vic = await joined(world, ada, home, 'viewer', 'Vic');
  await asAda('PATCH', '/me', { preferences: { welcomed: true } });
});

const asAda = (method: string, path: string, body?: object) => as(world, ada)(method, path, body);
const day = (days: number) => new Date(world.clock.now() + days * 86_400_000).toISOString().slice(0, 10);
const make = async (title: string, fields: object = {}): Promise<string> =>
  (await asAda('POST', `/workspaces/${home}/tasks`, { listId: list.id, title, ...fields })).body.id;

async function enter(person: Person, address: string): Promise<Page> {
  visit.serve(signedInAs(world.app, person));
  const { page } = visit;
  await page.goto(`${visit.origin}/app${address}`);
  await synced(page);
  return page;
}

const listAddress = () => `/w/${home}/lists/${list.id}`;
const rowIn = (page: Page, title: string) =>
  page.getByRole('main').getByRole('link', { name: title, exact: true });
/** G, and another key before the first is forgotten, however slow the page is. */
const pressGo = (page: Page, key: string) =>
  Promise.all([page.keyboard.press('g'), page.keyboard.press(key)]);
const focused = (page: Page) => page.locator(':focus');
/** What has the focus is named so. */
const expectFocus = (page: Page, name: string) =>
  expect
    .poll(() => focused(page).evaluateAll(([it]) => it?.getAttribute('aria-label') ?? it?.textContent))
    .toBe(name);

const addressIn = (page: Page) => page.url().slice(`${visit.origin}/app`.length);

describe('Back', () => {
  it('leads past a task that was opened and closed', async () => {
    const first = await make('First');
    const second = await make('Second');
    const page = await enter(ada, '/today');
    const panel = page.getByRole('complementary');
    await page.getByRole('link', { name: 'Inbox' }).click();
    const inbox = `/w/${home}/inbox`;
    const length = () => page.evaluate('history.length');
    await rowIn(page, 'First').press('Enter');
    await panel.waitFor();
    const opened = await length();
    await page.keyboard.press('Escape');
    await expect.poll(() => addressIn(page)).toBe(inbox);
    await expectFocus(page, 'First');
    // Others are opened over it, and filters set beside them stay.
    await rowIn(page, 'First').press('Enter');
    await rowIn(page, 'Second').click();
    await page.getByRole('complementary', { name: 'Second' }).waitFor();
    expect(addressIn(page)).toBe(`${inbox}?task=${second}`);
    await page.goBack();
    await page.getByRole('complementary', { name: 'First' }).waitFor();
    expect(addressIn(page)).toBe(`${inbox}?task=${first}`);
    await page.goForward();
    await page.getByRole('button', { name: 'Display' }).click();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption({ label: 'Title' });
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => addressIn(page)).toBe(`${inbox}?sort=title`);
    expect(await length()).toBe(Number(opened) + 1);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  });

  it('leads from a task whose address was opened, and which was closed, to what was before', async () => {
    const id = await make('First');
    const page = await enter(ada, '/upcoming');
    await page.goto(`${visit.origin}/app${listAddress()}?task=${id}`);
    await page.getByRole('complementary', { name: 'First' }).getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => addressIn(page)).toBe(listAddress());
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Upcoming' }).waitFor();
  });
});

describe('Back while something lies above a screen', () => {
  it('closes that alone and leaves the history as it was', async () => {
    await make('First');
    const page = await enter(ada, '/upcoming');
    await page.getByRole('link', { name: 'Inbox' }).click();
    await rowIn(page, 'First').waitFor();
    const before = [page.url(), await page.evaluate('history.length')];
    const isAsBefore = async () =>
      expect([page.url(), await page.evaluate('history.length')]).toEqual(before);
    const dialog = page.getByRole('dialog');
    const menu = page.getByRole('menu');
    await rowIn(page, 'First').focus();
    await page.keyboard.press('d');
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(page, 'First');
    await isAsBefore();
    await page.keyboard.press('.');
    await menu.waitFor();
    await page.goBack();
    await menu.waitFor({ state: 'detached' });
    await expectFocus(page, 'First');
    await isAsBefore();
    // A task beside the screen is a step of its own.
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'First' });
    await panel.getByRole('button', { name: 'Priority: none' }).click();
    await page.getByRole('listbox').waitFor();
    await page.goBack();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await panel.waitFor();
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    expect(page.url()).toBe(before[0]);
    // Closed in another way, nothing of it is in the way of Back, nor of what it led to.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Go to Recurring');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Recurring' }).waitFor();
    await page.goBack();
    await rowIn(page, 'First').waitFor();
    expect(page.url()).toBe(before[0]);
    // Forward is no other way out.
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').waitFor();
    await page.goForward();
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).toBe(before[0]);
    await page.goForward();
    await page.getByRole('heading', { level: 1, name: 'Recurring' }).waitFor();
  });

  it('pressed again at once gets nothing stuck, and the screen is that of the address', async () => {
    const page = await enter(ada, '/upcoming');
    await page.getByRole('link', { name: 'Recurring' }).click();
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    const device = await page.context().newCDPSession(page);
    const { currentIndex, entries } = await device.send('Page.getNavigationHistory');
    const steps = [1, 2].map((by) => ({ entryId: entries[currentIndex - by]?.id ?? 0 }));
    await Promise.all(steps.map((step) => device.send('Page.navigateToHistoryEntry', step)));
    await device.detach();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const heading = page.getByRole('heading', { level: 1 });
    await expect
      .poll(async () => addressIn(page) === `/${(await heading.textContent())?.toLowerCase()}`)
      .toBe(true);
    await page.getByRole('link', { name: 'Notifications' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
    expect(addressIn(page)).toBe('/notifications');
  });
});

describe('a click on a row beside its controls', () => {
  it('does what one on its link does: opens, extends the selection, opens a tab', async () => {
    for (const title of ['Third', 'Second', 'First']) await make(title);
    const page = await enter(ada, listAddress());
    const row = (title: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: title });
    const beside = { position: { x: 500, y: 18 } };
    const tab = page.context().waitForEvent('page');
    await row('Second').click({ ...beside, button: 'middle' });
    await (await tab).close();
    expect(new URL(page.url()).search).toBe('');
    await row('First').click(beside);
    await page.getByRole('complementary', { name: 'First' }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(page, 'First');
    await row('Third').click({ ...beside, modifiers: ['Shift'] });
    await page.getByRole('toolbar', { name: 'Selection' }).getByText('3 selected').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe('');
  });
});

describe('the focus', () => {
  it('is in the first field of a form that is all of a screen, and on the heading of others', async () => {
    const { page, origin } = visit;
    visit.serve(world.app);
    await page.goto(`${origin}/`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await expect.poll(() => focused(page).getAttribute('name')).toBe('email');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await expect.poll(() => focused(page).getAttribute('name')).toBe('name');
    await visit.leave();
    await enter(ada, '/today');
    await page.getByRole('link', { name: 'Upcoming' }).click();
    await expectFocus(page, 'Upcoming');
  });

  it('goes on from a task that is deleted where it is open: to the next row, or to its list', async () => {
    await make('First');
    const second = await make('Second');
    const page = await enter(ada, listAddress());
    await rowIn(page, 'First').click();
    await page.getByRole('complementary', { name: 'First' }).waitFor();
    await page.keyboard.press('Delete');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await expectFocus(page, 'Second');
    await page.goto(`${visit.origin}/app/w/${home}/tasks/${second}`);
    await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
    await page.keyboard.press('Delete');
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  });

  it('leads from a task by itself to its list by Escape and by Close', async () => {
    await make('First');
    const second = await make('Second');
    const page = await enter(ada, `/w/${home}/tasks/${second}`);
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Close', exact: true }).click(),
    ]) {
      await page.goto(`${visit.origin}/app/w/${home}/tasks/${second}`);
      await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
      await close();
      await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
      await expectFocus(page, 'Second');
    }
  });

  it('moves by J and K through what is no task', async () => {
    for (const title of ['First', 'Second'])
      await asAda('DELETE', `/workspaces/${home}/tasks/${await make(title)}`);
    const page = await enter(ada, `/w/${home}/trash`);
    const items = page.getByRole('main').getByRole('listitem');
    await items.nth(1).waitFor();
    for (const [key, at] of [
      ['j', 0],
      ['j', 1],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => items.nth(at).locator(':focus').count()).toBe(1);
    }
  });

  it('stays with a row that goes to another group, and goes on from one that is completed', async () => {
    await make('First');
    await make('Second');
    const page = await enter(ada, listAddress());
    await rowIn(page, 'First').focus();
    await page.keyboard.press('s');
    await page.getByRole('option', { name: 'In Progress' }).click();
    await page.getByRole('region', { name: 'In Progress' }).getByRole('link', { name: 'First' }).waitFor();
    await expectFocus(page, 'First');
    await page.keyboard.press('e');
    await page.getByRole('region', { name: 'Done' }).getByRole('link', { name: 'First' }).waitFor();
    await expectFocus(page, 'Second');
  });

  it('is on the heading where no row is left', async () => {
    await make('Only');
    const page = await enter(ada, listAddress());
    await rowIn(page, 'Only').focus();
    await page.keyboard.press('Delete');
    await rowIn(page, 'Only').waitFor({ state: 'detached' });
    await expectFocus(page, 'Tasks');
    await make('Another');
    await rowIn(page, 'Another').focus();
    await asAda('DELETE', `/workspaces/${home}/lists/${list.id}`);
    await expectFocus(page, 'Not found');
  });

  it('opens by . what can be done with all that is selected', async () => {
    for (const title of ['First', 'Second', 'Third']) await make(title);
    const page = await enter(ada, listAddress());
    await rowIn(page, 'First').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('.');
    await page.getByRole('menuitem', { name: 'Complete' }).click();
    const isDone = (title: string) => page.getByRole('checkbox', { name: `${title}: complete` }).isChecked();
    await expect
      .poll(() => Promise.all(['First', 'Second', 'Third'].map(isDone)))
      .toEqual([true, true, false]);
  });

  it('returns by Back to the row that opened a task', async () => {
    await make('First');
    await make('Second');
    const page = await enter(ada, listAddress());
    await rowIn(page, 'Second').press('Enter');
    await page.getByRole('complementary', { name: 'Second' }).waitFor();
    await page.goBack();
    await expectFocus(page, 'Second');
  });

  it('goes by Tab from any row past the whole list', async () => {
    await make('First');
    await make('Second');
    const page = await enter(ada, listAddress());
    await rowIn(page, 'First').focus();
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Add a task…');
  });

  it('is on the heading of the next screen, whatever row had it before', async () => {
    await make('First', { dueDay: day(0), assigneeId: ada.id });
    const page = await enter(ada, '/today');
    await rowIn(page, 'First').focus();
    for (const [key, name] of [
      ['u', 'Upcoming'],
      ['m', 'My tasks'],
      ['n', 'Notifications'],
      ['t', 'Today'],
    ] as const) {
      await pressGo(page, key);
      await expectFocus(page, name);
      if (key !== 'n') await rowIn(page, 'First').waitFor();
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await expectFocus(page, name);
    }
  });

  it('goes to the next entry where its own leaves', async () => {
    const id = await make('Steps', { checklist: ['one', 'two', 'three'].map((title) => ({ title })) });
    const page = await enter(ada, `${listAddress()}?task=${id}`);
    await page.getByRole('button', { name: 'Remove “two”' }).press('Enter');
    await expectFocus(page, 'Remove “three”');
    await page.getByRole('button', { name: 'Edit “three”' }).press('Enter');
    await page.getByRole('textbox', { name: 'Item', exact: true }).press('Enter');
    await expectFocus(page, 'Edit “three”');
  });

  it('returns from Undo to what had it', async () => {
    const page = await enter(ada, '/upcoming');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByLabel('Quick add').fill('Not this');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: /^Undo/ }).click();
    await expectFocus(page, 'Quick add');
  });

  it('follows Undo to what came back, and Redo', async () => {
    for (const title of ['Third', 'Second', 'First']) await make(title);
    const page = await enter(ada, listAddress());
    await rowIn(page, 'First').press('Delete');
    await expectFocus(page, 'Second');
    await page.keyboard.press('j');
    await page.keyboard.press('z');
    await expectFocus(page, 'First');
    await page.keyboard.press('z');
    await page.getByText('Nothing was done on this page that can be taken back.').waitFor();
  });

  it('is not taken from the next screen by the row of a task that was closed on another', async () => {
    const id = await make('Some day', { dueDay: day(30) });
    const page = await enter(ada, `/today?task=${id}`);
    await page.getByRole('complementary', { name: 'Some day' }).waitFor();
    await page.keyboard.press('Escape');
    await pressGo(page, 'u');
    await rowIn(page, 'Some day').waitFor();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await expectFocus(page, 'Upcoming');
  });

  it('is in the field of the search whenever that is asked for', async () => {
    await make('Lease');
    const page = await enter(ada, `/w/${home}/search?q=lease`);
    await rowIn(page, 'Lease').focus();
    await page.keyboard.press('/');
    await expect.poll(() => focused(page).getAttribute('type')).toBe('search');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('');
  });

  it('leaves the field of the search by Escape once that is empty', async () => {
    await make('Water');
    const page = await enter(ada, '/today');
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('nothing like it');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await expectFocus(page, 'Search');
    await pressGo(page, 't');
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  });

  it('is in the field of the search with what was typed while that was on its way', async () => {
    const id = await make('Lease');
    const held = Promise.withResolvers<void>();
    const part = /\/search\.[^/]*\.js$/;
    await visit.page.route(part, async (route) => {
      await held.promise;
      await route.continue();
    });
    const page = await enter(ada, listAddress());
    await rowIn(page, 'Lease').focus();
    await page.keyboard.type('/lease');
    held.resolve();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('lease');
    await page.keyboard.type('s');
    expect(await page.getByRole('searchbox').inputValue()).toBe('leases');
    expect((await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body.completedAt).toBeNull();
    await page.unroute(part);
  });

  it('is not waited for where the search cannot be loaded: keys act again', async () => {
    const part = /\/search\.[^/]*\.js$/;
    await visit.page.route(part, (route) => route.abort());
    const page = await enter(ada, listAddress());
    await page.keyboard.press('/');
    await page.getByRole('heading', { name: 'Server unreachable' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.unroute(part);
  });

  it('stays in the field of labels, for the next one', async () => {
    await asAda('POST', `/workspaces/${home}/labels`, { title: 'home' });
    await make('First');
    const page = await enter(ada, listAddress());
    await rowIn(page, 'First').press('l');
    await page.getByRole('option', { name: 'home' }).click();
    await page.keyboard.type('office');
    await page.getByRole('option', { name: 'New label “office”' }).waitFor();
  });

  it('moves through a calendar, with tasks by Alt and arrows, and gives its day to a new task', async () => {
    await make('First', { dueDay: day(0) });
    const page = await enter(ada, `/w/${home}/calendar?week=${isoWeekOf(day(0))}`);
    await page.getByRole('cell').getByRole('link', { name: 'First' }).waitFor();
    await page.keyboard.press('j');
    await expectFocus(page, 'First');
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').fill('Second');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    const cell = page.getByRole('cell').filter({ has: page.locator(`time[datetime="${day(0)}"]`) });
    await cell.getByRole('link', { name: 'Second' }).waitFor();
    const isFirstDay = new Date(`${day(0)}T00:00Z`).getUTCDay() === 1;
    await page.getByRole('link', { name: 'First' }).focus();
    await page.keyboard.press(isFirstDay ? 'Alt+ArrowRight' : 'Alt+ArrowLeft');
    await cell.getByRole('link', { name: 'First' }).waitFor({ state: 'detached' });
    await expectFocus(page, isFirstDay ? 'First' : 'First (overdue)');
  });
});

/** `2026-W48`. */
function isoWeekOf(date: string): string {
  const thursday = new Date(`${date}T00:00Z`);
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const week = Math.ceil(((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 + 1) / 7);
  return `${year}-W${String(week).padStart(2, '0')}`;
}

describe('a text field', () => {
  it('has its keys to itself beside a board: all of it is selected, and no card moves', async () => {
    const [todo] = list.statuses;
    const id = await make('Rename me');
    await make('Other');
    const page = await enter(ada, `${listAddress()}?view=board`);
    await rowIn(page, 'Rename me').press('F2');
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.press('End');
    await page.keyboard.press('Control+a');
    expect(
      await page.evaluate('document.activeElement.selectionEnd - document.activeElement.selectionStart'),
    ).toBe(9);
    await page.keyboard.press('Alt+ArrowRight');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.type('Renamed');
    await page.keyboard.press('Enter');
    await rowIn(page, 'Renamed').waitFor();
    expect(await page.getByRole('toolbar', { name: 'Selection' }).count()).toBe(0);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('status').getByText('Synced').waitFor();
    const { body } = await asAda('GET', `/workspaces/${home}/tasks/${id}`);
    expect(body).toMatchObject({ title: 'Renamed', statusId: todo?.id, position: 1024 });
    await rowIn(page, 'Renamed').press('F2');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  });
});

const paste = (page: Page, text: string) =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);

describe('a key that is held down', () => {
  const hold = async (page: Page, key: string) => {
    for (let time = 0; time < 3; time++) await page.keyboard.down(key);
    await page.keyboard.up(key);
  };

  it('acts once, writes nothing into what it opened, and goes on where it moves', async () => {
    for (const title of ['First', 'Second', 'Third']) await make(title);
    const page = await enter(ada, listAddress());
    await rowIn(page, 'First').focus();
    await hold(page, 'ArrowDown');
    await expectFocus(page, 'Third');
    await hold(page, 'k');
    await expectFocus(page, 'First');
    await hold(page, 'Delete');
    await expectFocus(page, 'Second');
    expect(await rowIn(page, 'Third').count()).toBe(1);
    await hold(page, 'c');
    await expectFocus(page, 'Quick add');
    await hold(page, 'a');
    await expect.poll(() => page.getByLabel('Quick add').inputValue()).toBe('aaa');
  });
});

describe('a long list', () => {
  const COUNT = 120;

  it('is gone through to its ends and by pages, selected whole, and printed whole', async () => {
    await addTasks(world, home, COUNT, { listId: list.id, title: 'Row', isOpen: true });
    const page = await enter(ada, `${listAddress()}?group=none`);
    const rows = page.getByRole('main').locator('[data-task]');
    const at = async () =>
      Number(await focused(page).locator('xpath=ancestor::li').getAttribute('aria-posinset'));
    await page.keyboard.press('j');
    await expect.poll(at).toBe(1);
    await page.keyboard.press('End');
    await expect.poll(at).toBe(COUNT);
    await page.keyboard.press('PageUp');
    await expect.poll(at).toBeLessThan(COUNT - 5);
    await page.keyboard.press('Home');
    await expect.poll(at).toBe(1);
    await page.keyboard.press('Control+a');
    await page.getByRole('toolbar', { name: 'Selection' }).getByText(`${COUNT} selected`).waitFor();
    expect(await rows.count()).toBeLessThan(COUNT);
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await rows.count()).toBe(COUNT);
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await expect.poll(() => rows.count()).toBeLessThan(COUNT);
  });

  it('is gone through to its end on a board, where not all of its cards are drawn at first', async () => {
    for (let i = 0; i < COUNT; i++) await make(`Card ${i}`);
    const page = await enter(ada, `${listAddress()}?view=board`);
    await page.getByRole('button', { name: `Show ${COUNT - 100} more` }).waitFor();
    await page.keyboard.press('j');
    await expectFocus(page, 'Card 0');
    await page.keyboard.press('End');
    await expectFocus(page, `Card ${COUNT - 1}`);
  });

  it('is opaque, so that scrolling paints nothing again', async () => {
    const page = await enter(ada, listAddress());
    await page.locator('main > .scroll').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const color = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('main > .scroll')).backgroundColor`,
      );
      expect(color).toMatch(/^rgb\(/);
    }
  });

  it('is ordered by dragging and by the menu of a row, unless it is sorted', async () => {
    for (const title of ['Third', 'Second', 'First']) await make(title, { position: title.length });
    const page = await enter(ada, `${listAddress()}?group=none`);
    const titles = () => page.getByRole('main').locator('.row .title').allTextContents();
    const drag = async (title: string, onto: string) => {
      const target = page.getByRole('main').getByRole('listitem').filter({ hasText: onto });
      await rowIn(page, title).dragTo(target, { targetPosition: { x: 60, y: 30 } });
    };
    await expect.poll(titles).toHaveLength(3);
    const [one = '', two = '', three = ''] = await titles();
    await drag(one, two);
    await expect.poll(titles).toEqual([two, one, three]);
    // Without dragging and without keys, as by touch.
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: two });
    await row.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Move down' }).click();
    await expect.poll(titles).toEqual([one, two, three]);
    await page.goto(`${visit.origin}/app${listAddress()}?group=none&sort=title`);
    await rowIn(page, 'First').waitFor();
    await drag('First', 'Second');
    await page.getByText('This list is sorted: its own order cannot be changed.').waitFor();
  });

  it('stands in the order of the address on a board too, where cards are only dragged to other columns then', async () => {
    for (const title of ['Bread', 'Apples', 'Cheese']) await make(title, { position: title.length });
    const page = await enter(ada, `${listAddress()}?view=board`);
    const cards = page.getByRole('region', { name: 'To Do' }).getByRole('listitem');
    const titles = () => cards.locator('.title').allTextContents();
    await expect.poll(titles).toEqual(['Bread', 'Apples', 'Cheese']);
    await page.getByRole('button', { name: 'Display' }).click();
    const display = page.getByRole('dialog', { name: 'Display' });
    await display.getByRole('combobox', { name: 'Sort by' }).selectOption('Title');
    await display.getByRole('button', { name: 'Done' }).click();
    await expect.poll(titles).toEqual(['Apples', 'Bread', 'Cheese']);
    await cards.first().dragTo(cards.last());
    await page.getByText('This list is sorted: its own order cannot be changed.').waitFor();
    await expect.poll(titles).toEqual(['Apples', 'Bread', 'Cheese']);
    await cards.nth(1).dragTo(page.getByRole('region', { name: 'In Progress' }));
    await expect.poll(titles).toEqual(['Apples', 'Cheese']);
    await page.getByText('Alt←Alt→ column').waitFor();
    const current = page.getByRole('navigation', { name: 'View' }).locator('[aria-current="page"]');
    expect(await current.allTextContents()).toEqual(['Board']);
    await page.setViewportSize({ width: 768, height: 900 });
    const bottomOf = async (element: Locator) => {
      const { y = 0, height = 0 } = (await element.boundingBox()) ?? {};
      return y + height;
    };
    const line = page.locator('.keys');
    expect(await bottomOf(line.getByText('all keys'))).toBeLessThanOrEqual(await bottomOf(line));
    await page.setViewportSize(DESKTOP.viewport);
  });

  it('is ordered by Alt and arrows, all that is selected together', async () => {
    for (const [position, title] of ['A', 'B', 'C', 'D'].entries()) await make(title, { position });
    const page = await enter(ada, `${listAddress()}?group=none`);
    const titles = () => page.getByRole('main').locator('.row .title').allInnerTexts();
    const plain = async () => (await titles()).map((title) => title.at(-1)).join('');
    await expect.poll(plain).toBe('ABCD');
    await rowIn(page, 'A').press('x');
    await page.keyboard.press('Shift+ArrowDown');
    for (const order of ['CABD', 'CDAB', 'CDAB']) {
      await page.keyboard.press('Alt+ArrowDown');
      await expect.poll(plain).toBe(order);
    }
    await expectFocus(page, 'Selected: B');
    await page.keyboard.press('z');
    await expect.poll(plain).toBe('CABD');
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(plain).toBe('ABCD');
  });
});

describe('a dialog', () => {
  it('stays where text is selected past its edge', async () => {
    const page = await enter(ada, '/today');
    await page.getByRole('link', { name: 'Upcoming' }).click();
    await expectFocus(page, 'Upcoming');
    await page.keyboard.press('c');
    const field = page.getByLabel('Quick add');
    await field.fill('Some words');
    await field.hover();
    await page.mouse.down();
    await page.mouse.move(20, 600);
    await page.mouse.up();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
  });

  it('of a new task keeps what was typed around pasted lines, and takes Enter for all of them', async () => {
    const page = await enter(ada, listAddress());
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').fill('Order ');
    await paste(page, 'oak\nash\n');
    await expectFocus(page, '2 tasks');
    await page.keyboard.press('Enter');
    await page.getByLabel('Quick add').fill('x'.repeat(501));
    await page.keyboard.press('Enter');
    await page.getByText('A title has at most 500 characters.').waitFor();
    await page.getByLabel('Quick add').fill('');
    await page.keyboard.press('Escape');
    await rowIn(page, 'Order oak').waitFor();
    await rowIn(page, 'ash').waitFor();
  });
});

describe('a new task', () => {
  it('starts fresh after one was added: a list of choices that was closed opens again', async () => {
    const page = await enter(ada, listAddress());
    await page.keyboard.press('q');
    const choice = page.getByRole('option', { name: 'New label “x”' });
    for (const number of [1, 2]) {
      await page.keyboard.type('Buy *x');
      await choice.waitFor();
      await page.keyboard.press('Escape');
      await choice.waitFor({ state: 'detached' });
      await page.keyboard.press('Enter');
      await expect.poll(() => rowIn(page, 'Buy *x').count()).toBe(number);
    }
  });

  it('keeps as text what was made text, over closing it and opening it again', async () => {
    const page = await enter(ada, listAddress());
    const chip = page.getByRole('button', { name: /make it text again/ });
    await page.keyboard.press('q');
    await page.keyboard.type('Watch Tomorrow');
    await chip.waitFor();
    await page.keyboard.press('Backspace');
    await chip.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('q');
    await expectFocus(page, 'Quick add');
    await page.keyboard.press('Enter');
    await rowIn(page, 'Watch Tomorrow').waitFor();
  });

  it('is named by its toast as it is: without what became a chip, from pasted lines too', async () => {
    const page = await enter(ada, listAddress());
    await page.keyboard.press('q');
    await expectFocus(page, 'Quick add');
    await paste(page, 'Head tomorrow\nThe rest');
    await page.getByRole('button', { name: 'One task' }).click();
    await page.getByText('Added “Head”').waitFor();
  });

  it('from a pasted line that is nothing but chips has it as its title', async () => {
    const page = await enter(ada, listAddress());
    await page.keyboard.press('q');
    await expectFocus(page, 'Quick add');
    await paste(page, 'Today\nBuy milk');
    await page.getByRole('button', { name: '2 tasks' }).click();
    await page.getByText('Added 2 tasks').waitFor();
    await paste(page, 'p1\nThe rest');
    await page.getByRole('button', { name: 'One task' }).click();
    await page.getByText('Added “p1”').waitFor();
    const titles = async (): Promise<string[]> => {
      const { body } = await asAda('GET', `/workspaces/${home}/tasks/query`);
      return body.items.map(({ title }: { title: string }) => title).sort();
    };
    await expect.poll(titles).toEqual(['Buy milk', 'Today', 'p1']);
  });

  it('goes to the Inbox where the list that was shown is gone', async () => {
    const space = (await asAda('GET', `/workspaces/${home}/lists/${list.id}`)).body.spaceId;
    const shown = await asAda('POST', `/workspaces/${home}/lists`, { spaceId: space, title: 'Garden' });
    const page = await enter(ada, `/w/${home}/lists/${shown.body.id}`);
    await asAda('DELETE', `/workspaces/${home}/lists/${shown.body.id}`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').fill('Water the garden');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await asAda('GET', `/workspaces/${home}/tasks?listId=${list.id}`)).body.items)
      .toMatchObject([{ title: 'Water the garden' }]);
  });

  it('is kept with the pasted lines where there is no list for it', async () => {
    await asAda('DELETE', `/workspaces/${home}/lists/${list.id}`);
    const page = await enter(ada, '/today');
    await page.keyboard.press('q');
    await expectFocus(page, 'Quick add');
    await page.keyboard.type('Order ');
    await paste(page, 'oak\nash');
    for (const name of ['2 tasks', 'One task']) {
      await page.getByRole('button', { name }).click();
      await page.getByText('There is no list for it yet').waitFor();
    }
    expect(await page.getByLabel('Quick add').inputValue()).toBe('Order ');
    await page.getByRole('button', { name: '2 tasks' }).waitFor();
  });

  it('leads to where a list or a workspace is made, and keeps what was typed', async () => {
    await asAda('DELETE', `/workspaces/${home}/lists/${list.id}`);
    const page = await enter(ada, '/today');
    const tryToAdd = async (words: string) => {
      await page.keyboard.press('q');
      await expectFocus(page, 'Quick add');
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
    };
    await tryToAdd('oak');
    await page.getByRole('button', { name: 'Spaces and lists' }).click();
    await page.getByRole('heading', { level: 1, name: 'Spaces and lists' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await asAda('DELETE', `/workspaces/${home}`);
    await page.goto(page.url().replace(/\/w\/.*/, '/today'));
    await page.getByRole('link', { name: 'Search' }).waitFor({ state: 'detached' });
    await tryToAdd(' tree');
    await page.getByRole('button', { name: 'New workspace' }).click();
    await page.getByRole('dialog', { name: 'New workspace' }).getByLabel('Name').fill('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Spaces and lists' }).waitFor();
    await page.keyboard.press('q');
    await expectFocus(page, 'Quick add');
    expect(await page.getByLabel('Quick add').inputValue()).toBe('oak tree');
  });
});

describe('the search', () => {
  it('keeps every letter, however fast one types, and follows the address', async () => {
    await make('A lease for the garden house');
    const page = await enter(ada, `/w/${home}/search`);
    const field = page.getByRole('searchbox');
    await field.and(focused(page)).waitFor();
    const words = 'a lease for the garden house';
    await page.keyboard.type(words);
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(words);
    expect(await field.inputValue()).toBe(words);
    await rowIn(page, 'A lease for the garden house').press('Enter');
    await page.getByRole('complementary').waitFor();
    await page.goBack();
    expect(await field.inputValue()).toBe(words);
  });
});

describe('the line of keys', () => {
  it.each(['board', 'calendar'])('stays at the end of the screen while a %s is loaded', async (view) => {
    const page = await enter(ada, `${listAddress()}?view=${view}`);
    await page.locator('.columns, .calendar').waitFor();
    const top = () => page.locator('.keys').evaluate((keys) => keys.getBoundingClientRect().top);
    const there = await top();
    await page.locator('main > :not(.head, .keys)').evaluateAll((parts) => {
      for (const part of parts) part.remove();
    });
    expect(await top()).toBe(there);
  });
});

describe('a comment that was not sent', () => {
  it('is there again when its task is', async () => {
    const id = await make('Steps');
    await make('Others');
    const page = await enter(ada, `${listAddress()}?task=${id}`);
    const comment = page.getByRole('textbox', { name: 'Comment' });
    await comment.fill('Half a thought');
    await comment.press('Escape');
    await expectFocus(page, 'Steps');
    await page.keyboard.press('Escape');
    await rowIn(page, 'Others').click();
    await page.getByRole('complementary', { name: 'Others' }).waitFor();
    expect(await comment.inputValue()).toBe('');
    await rowIn(page, 'Steps').click();
    await page.getByRole('complementary', { name: 'Steps' }).waitFor();
    expect(await comment.inputValue()).toBe('Half a thought');
    await page.reload();
    await page.getByRole('complementary', { name: 'Steps' }).waitFor();
    expect(await comment.inputValue()).toBe('Half a thought');
  });
});

describe('a description that is being written', () => {
  it.each([
    ['is to go, which is asked about until that is done', GO],
    ['is hidden', HIDE],
  ])('is saved where its page %s', async (_, event) => {
    const id = await make('Steps');
    const page = await enter(ada, `${listAddress()}?task=${id}`);
    const description = page.getByRole('textbox', { name: 'Description' });
    await description.fill('Half a thought');
    await page.evaluate(event);
    const stored = async () => (await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body.description;
    await expect.poll(stored).toBe('Half a thought');
    expect(await description.inputValue()).toBe('Half a thought');
  });
});

const GO = `{
  const event = new Event('beforeunload', { cancelable: true });
  if (dispatchEvent(event)) throw new Error('It goes without asking');
}`;
/** As a browser does on a phone, before it may end the page. */
const HIDE = `{
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });
  document.dispatchEvent(new Event('visibilitychange'));
}`;

describe('the menu of a row', () => {
  it('stays open when the button that asked for it is released beside its corner, after a while', async () => {
    await make('Water');
    const page = await enter(ada, listAddress());
    const menu = page.getByRole('menu');
    await rowIn(page, 'Water').hover();
    await page.mouse.down({ button: 'right' });
    for (let frame = 0; frame < 12; frame += 1) await page.evaluate('new Promise(requestAnimationFrame)');
    await page.mouse.up({ button: 'right' });
    await menu.waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    await page.keyboard.press('Shift+F10');
    await menu.waitFor();
  });
});

describe('a task that is made to repeat', () => {
  const repeat = async (page: Page, title: string, weekday: string) => {
    await rowIn(page, title).press('r');
    const dialog = page.getByRole('dialog', { name: 'Repeat' });
    await dialog.getByRole('checkbox', { name: weekday, exact: true }).waitFor();
    for (const box of await dialog.getByRole('checkbox', { checked: true }).all()) await box.uncheck();
    await dialog.getByRole('checkbox', { name: weekday, exact: true }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').filter({ hasText: 'Synced' }).waitFor();
  };
  const weekdayOf = (days: number): string =>
    new Date(`${day(days)}T00:00Z`).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
  const dueDays = async () =>
    (await asAda('GET', `/workspaces/${home}/tasks`)).body.items
      .map(({ dueDay }: { dueDay: string }) => dueDay)
      .sort();

  it('stays on its day where the rule allows, and Undo leaves it as it was', async () => {
    await asAda('PATCH', '/me', { timezone: 'UTC' });
    await make('Water', { dueDay: day(0) });
    const page = await enter(ada, listAddress());
    await repeat(page, 'Water', weekdayOf(0));
    await expect.poll(dueDays).toEqual([day(0), day(7)]);
    await rowIn(page, 'Water').nth(1).waitFor();
    await page.keyboard.press('z');
    await expect.poll(dueDays).toEqual([day(0)]);
    await expect.poll(() => rowIn(page, 'Water').count()).toBe(1);
    await repeat(page, 'Water', weekdayOf(3));
    await expect.poll(dueDays).toEqual([day(3)]);
    await page.getByRole('main').getByText('Repeats').waitFor();
    await rowIn(page, 'Water').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete: skip this one' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('z');
    await expect.poll(dueDays).toEqual([day(0)]);
    const { body } = await asAda('GET', `/workspaces/${home}/recurring-tasks`);
    expect(body.total).toBe(0);
  });

  it('without a day is the first of its series', async () => {
    await make('Water');
    const page = await enter(ada, listAddress());
    await repeat(page, 'Water', weekdayOf(0));
    await expect.poll(dueDays).toEqual([day(7)]);
    const { items } = (await asAda('GET', `/workspaces/${home}/tasks`)).body;
    expect(items[0].recurrence.occurrenceNumber).toBe(1);
  });

  it('is an open one: of a closed one the dialog says so', async () => {
    const done = list.statuses.find(({ type }) => type === 'completed');
    const id = await make('Water', { statusId: done?.id });
    const page = await enter(ada, `/w/${home}/tasks/${id}`);
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Repeat' });
    await dialog.getByRole('alert').getByText('Open it again first').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('Open it again first').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.getByRole('checkbox', { name: 'Water: complete', checked: false }).waitFor();
    await page.keyboard.press('r');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /^Repeats: / }).waitFor();
  });

  it('that was skipped and then paused says that the skip cannot be taken back, and nothing waits', async () => {
    const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'UTC' };
    const series = { title: 'Water', listId: list.id, interval };
    await asAda('POST', `/workspaces/${home}/recurring-tasks`, series);
    const page = await enter(ada, `/w/${home}/recurring`);
    const say = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
    await page.getByRole('button', { name: 'Skip next' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await say('Synced');
    await page.keyboard.press('z');
    await say('Taken back: Paused “Water”');
    await page.getByRole('button', { name: 'Skip next' }).waitFor();
    await say('Synced');
    await page.keyboard.press('z');
    await say('Cannot be taken back: Skipped “Water”. There is nothing to take back');
    await say('Synced');
    expect(await page.getByRole('button', { name: 'Waiting changes' }).count()).toBe(0);
  });
});

describe('the examples', () => {
  it('go at once, come back by Undo, and are never in the trash', async () => {
    const bob = await world.signUp('bob@example.com', 'Bob');
    const page = await enter(bob, '/today');
    const examples = page.getByRole('region', { name: 'Examples' });
    const boxes = page.getByRole('main').getByRole('checkbox');
    await examples.waitFor();
    await expect.poll(() => boxes.count()).toBe(3);
    await examples.getByRole('button', { name: 'Remove examples' }).click();
    await expect.poll(() => boxes.count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => boxes.count()).toBe(3);
    const batches = () => visit.calls.filter((call) => call.includes('tasks/batch')).length;
    const before = batches();
    await examples.getByRole('button', { name: 'Remove examples' }).click();
    await page.getByRole('status').filter({ hasText: 'Removed the examples' }).waitFor();
    await examples.waitFor({ state: 'detached' });
    await expect.poll(batches).toBe(before + 1);
    const path = `/workspaces/${await homeOf(world, bob)}`;
    const totalOf = async (what: string) => (await as(world, bob)('GET', `${path}/${what}`)).body.total;
    await expect.poll(() => totalOf('tasks')).toBe(0);
    expect(await totalOf('trash')).toBe(0);
  });

  it('are told of as long as one of them is open', async () => {
    const page = await enter(await world.signUp('bob@example.com', 'Bob'), '/today');
    const examples = page.getByRole('region', { name: 'Examples' });
    const boxes = page.getByRole('main').getByRole('checkbox');
    await expect.poll(() => boxes.count()).toBe(3);
    for (const index of [0, 1, 2]) {
      await examples.waitFor();
      await boxes.nth(index).click();
    }
    await examples.waitFor({ state: 'detached' });
  });
});

describe('what is overdue', () => {
  it.each(['today', 'upcoming', 'mine'])('moves to today by one key or button at /%s', async (screen) => {
    const isLateOf = async (id: string) =>
      (await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body.dueDay < day(0);
    const ids: string[] = [];
    for (const title of ['First', 'Second', 'Third'])
      ids.push(await make(title, { dueDay: day(-2), assigneeId: ada.id }));
    await make('Fourth', { dueDay: day(1), assigneeId: ada.id });
    const page = await enter(ada, `/${screen}`);
    const overdue = page.getByRole('region', { name: 'Overdue' });
    await page.getByRole('checkbox', { name: 'First: complete' }).check();
    const toast = page.getByRole('status').filter({ hasText: '2 tasks: due today' });
    const areLate = () => Promise.all(ids.map(isLateOf));
    const moves = [
      () => page.keyboard.press('t'),
      () => overdue.getByRole('button', { name: 'Move to today' }).click(),
    ];
    for (const move of moves) {
      await move();
      await toast.waitFor();
      await expect.poll(areLate).toEqual([true, false, false]);
      await toast.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(areLate).toEqual([true, true, true]);
    }
  });
});

describe('a viewer', () => {
  it('finds every box and field disabled, and nothing that changes tasks', async () => {
    const id = await make('Read me', { dueDay: day(-1), checklist: [{ title: 'one' }] });
    const page = await enter(vic, `/w/${home}/today?task=${id}`);
    const panel = page.getByRole('complementary', { name: 'Read me' });
    await panel.waitFor();
    for (const name of 'Status Due Starts Assignee Priority Labels List Repeats'.split(' '))
      expect(await panel.getByRole('button', { name: `${name}: ` }).isDisabled(), name).toBe(true);
    expect(await panel.getByRole('textbox', { name: 'Description' }).isDisabled()).toBe(true);
    expect(await panel.getByRole('textbox').count()).toBe(1);
    expect(await page.getByRole('checkbox', { disabled: false }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^(New task|Move to today)/ }).count()).toBe(0);
    await panel.getByRole('button', { name: 'Close' }).press('r');
    await page.getByText('You may only read this workspace.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await rowIn(page, 'Read me').press('x');
    const tools = page.getByRole('toolbar', { name: 'Selection' }).getByRole('button');
    await expect.poll(() => tools.allTextContents()).toEqual(['Clear Esc']);
  });
});

describe('beside a task', () => {
  it('a comment is in sight once it is sent, and a toast leaves the field for the next one free', async () => {
    const id = await make('Long', { description: 'A line\n'.repeat(200) });
    const page = await enter(ada, `${listAddress()}?task=${id}`);
    const panel = page.getByRole('complementary', { name: 'Long' });
    const field = panel.getByRole('textbox', { name: 'Comment' });
    await field.fill('Said at last');
    await field.press('Control+Enter');
    const comment = panel.getByText('Said at last');
    await comment.waitFor();
    const topOf = async (element: typeof field) => (await element.boundingBox())?.y ?? 0;
    await expect.poll(() => topOf(comment)).toBeLessThan(await topOf(field));
    await panel.getByRole('button', { name: 'Status: ' }).click();
    await page.getByRole('option', { name: 'Done' }).click();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).waitFor();
    const [toast, beside] = await Promise.all([page.locator('.toast').boundingBox(), panel.boundingBox()]);
    expect((toast?.x ?? 0) + (toast?.width ?? 0)).toBeLessThanOrEqual(beside?.x ?? 0);
  });
});

describe('a choice', () => {
  it('is found by the letters of its name, typed one after the other', async () => {
    await joined(world, ada, home, 'member', 'Jon');
    const id = await make('Paint');
    const page = await enter(ada, listAddress());
    const fieldsOf = async () => (await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body;
    await rowIn(page, 'Paint').focus();
    const choose = async (key: string, name: string, word: string) => {
      await page.keyboard.press(key);
      await page.getByRole('listbox', { name }).waitFor();
      await page.keyboard.type(word);
      await page.keyboard.press('Enter');
    };
    await choose('p', 'Priority', 'urgent');
    await expect.poll(async () => (await fieldsOf()).priority).toBe('urgent');
    await choose('a', 'Assignee', 'jon');
    await page.getByText('given to Jon').waitFor();
    await choose('s', 'Status', 'in progress');
    const started = list.statuses.find(({ type }) => type === 'started');
    await expect.poll(async () => (await fieldsOf()).statusId).toBe(started?.id);
  });
});

describe('the dates of several tasks', () => {
  const dates = async () =>
    (await asAda('GET', `/workspaces/${home}/tasks?sortBy=title`)).body.items.map(
      ({ title, dueDate, dueDay }: Record<string, string | null>) => `${title} ${dueDate ?? dueDay}`,
    );

  it('keep what of them is not changed', async () => {
    await asAda('PATCH', '/me', { timezone: 'UTC' });
    await make('A', { dueDate: `${day(2)}T09:00:00.000Z` });
    await make('B', { dueDate: `${day(3)}T17:00:00.000Z` });
    await make('C', { dueDay: day(4) });
    const page = await enter(ada, `${listAddress()}?sort=title`);
    await rowIn(page, 'A').press('x');
    for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown', 'd']) await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: 'Due' });
    expect(await dialog.getByLabel('Day', { exact: true }).inputValue()).toBe('');
    expect(await dialog.getByLabel('Time', { exact: true }).inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.keyboard.press('d');
    await dialog.getByRole('button', { name: 'Tomorrow' }).click();
    await page.getByText('3 tasks: due tomorrow', { exact: true }).waitFor();
    const kept = [`A ${day(1)}T09:00:00.000Z`, `B ${day(1)}T17:00:00.000Z`, `C ${day(1)}`];
    await expect.poll(dates).toEqual(kept);
    await page.keyboard.press('z');
    const before = [`A ${day(2)}T09:00:00.000Z`, `B ${day(3)}T17:00:00.000Z`, `C ${day(4)}`];
    await expect.poll(dates).toEqual(before);
    await page.keyboard.press('d');
    await dialog.getByLabel('Time', { exact: true }).fill('10:30');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const timed = [2, 3, 4].map((days, index) => `${'ABC'[index]} ${day(days)}T10:30:00.000Z`);
    await expect.poll(dates).toEqual(timed);
  });

  it('stay as they are where nothing is given, of a task without one too', async () => {
    await make('A', { dueDay: day(2) });
    await make('B');
    const page = await enter(ada, `${listAddress()}?sort=title`);
    await rowIn(page, 'A').press('x');
    for (const key of ['Shift+ArrowDown', 'd']) await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: 'Due' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('2 tasks:').count()).toBe(0);
    await page.keyboard.press('d');
    await dialog.getByLabel('Day', { exact: true }).fill(day(3));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(dates).toEqual([`A ${day(3)}`, `B ${day(3)}`]);
    await page.keyboard.press('z');
    await expect.poll(dates).toEqual([`A ${day(2)}`, 'B null']);
  });
});

describe('the words of a date', () => {
  const dueOf = async (title: string) => {
    const { items } = (await asAda('GET', `/workspaces/${home}/tasks`)).body;
    const { dueDate, dueDay } = items.find((task: { title: string }) => task.title === title);
    return dueDate ?? dueDay;
  };

  it('say when a task is due, as in quick add, and what they mean before they are taken', async () => {
    await asAda('PATCH', '/me', { timezone: 'UTC' });
    await make('A', { dueDay: day(1) });
    const page = await enter(ada, listAddress());
    await rowIn(page, 'A').press('d');
    const dialog = page.getByRole('dialog', { name: 'Due' });
    await dialog.waitFor();
    await page.keyboard.type('5 jan 2031 15:00');
    await dialog.getByText('Due: Sun 5 Jan 2031 15:00', { exact: true }).waitFor();
    expect(await dialog.getByLabel('Day', { exact: true }).inputValue()).toBe('2031-01-05');
    expect(await dialog.getByLabel('Time', { exact: true }).inputValue()).toBe('15:00');
    await page.keyboard.press('Enter');
    await expect.poll(() => dueOf('A')).toBe('2031-01-05T15:00:00.000Z');
    await rowIn(page, 'A').press('d');
    await page.keyboard.type('in 3 days');
    await page.keyboard.press('Enter');
    await expect.poll(() => dueOf('A')).toBe(`${day(3)}T15:00:00.000Z`);
  });

  it('may be of the last day there is', async () => {
    const id = await make('Never');
    const page = await enter(ada, listAddress());
    await rowIn(page, 'Never').focus();
    await page.keyboard.press('d');
    await page.getByLabel('Day', { exact: true }).fill('9999-12-31');
    await page.getByRole('button', { name: 'Month after' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body.dueDay)
      .toBe('9999-12-31');
    await page.goto(`${visit.origin}/app/w/${home}/calendar?month=9999-12`);
    await page.getByRole('heading', { level: 1, name: 'December 9999' }).waitFor();
  });

  it('change nothing where they are not understood, and give way to the fields', async () => {
    await asAda('PATCH', '/me', { timezone: 'UTC' });
    await make('A', { dueDay: day(1) });
    const page = await enter(ada, listAddress());
    await rowIn(page, 'A').press('d');
    const dialog = page.getByRole('dialog', { name: 'Due' });
    const words = dialog.getByLabel('In words');
    await words.fill('soonish');
    await words.press('Enter');
    await dialog.getByText('These words are no day and no time.').waitFor();
    await expect.poll(() => words.getAttribute('aria-invalid')).toBe('true');
    await words.fill('in 3 days 9am');
    await dialog.getByLabel('Day', { exact: true }).fill(day(5));
    expect(await words.inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => dueOf('A')).toBe(`${day(5)}T09:00:00.000Z`);
  });
});

describe('Alt and an arrow', () => {
  it.each([
    ['a board', () => `${listAddress()}?view=board`],
    ['a calendar', () => `/w/${home}/calendar`],
  ])('go back and forward, as the browser has it, where they move nothing on %s', async (_, address) => {
    await make('Oak', { dueDay: day(0) });
    const page = await enter(ada, address());
    await rowIn(page, 'Oak').waitFor();
    await page.evaluate(`addEventListener('keydown', (event) => {
      globalThis.isTaken = event.defaultPrevented;
    })`);
    const isTaken = async () => {
      await page.keyboard.press('Alt+ArrowLeft');
      return page.evaluate('isTaken');
    };
    expect(await isTaken()).toBe(false);
    await rowIn(page, 'Oak').focus();
    expect(await isTaken()).toBe(true);
  });
});

describe('the keys that are listed', () => {
  const changing = ['Complete', 'Set status…', 'Move up', 'Rename', 'Delete', 'New task'];
  const common = ['Next task', 'Open task', 'Go to Today', 'Commands'];
  const listed = async (person: Person) => {
    await make('Read me');
    const page = await enter(person, listAddress());
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.waitFor();
    return dialog.getByRole('term').allTextContents();
  };

  it('change something for those who may', async () => {
    expect(await listed(ada)).toEqual(expect.arrayContaining([...changing, ...common]));
  });

  it('change nothing for a viewer', async () => {
    const titles = await listed(vic);
    expect(titles).toEqual(expect.arrayContaining(common));
    for (const title of changing) expect(titles).not.toContain(title);
  });
});

describe('what is found', () => {
  it('follows what is made, here and elsewhere, and stays in its place once it is completed', async () => {
    await make('Lease of the house');
    await make('The lease of the car');
    const page = await enter(ada, `/w/${home}/search?q=lease`);
    const found = () =>
      page.getByRole('region', { name: 'On this device' }).getByRole('link').allTextContents();
    await expect.poll(found).toEqual(['Lease of the house', 'The lease of the car']);
    await page.getByRole('checkbox', { name: 'Lease of the house: complete' }).check();
    await make('About a lease, elsewhere');
    await rowIn(page, 'About a lease, elsewhere').waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').fill('Here another lease is asked for');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expect
      .poll(found)
      .toEqual([
        'Lease of the house',
        'The lease of the car',
        'About a lease, elsewhere',
        'Here another lease is asked for',
      ]);
  });
});

describe('the filters of a screen', () => {
  it('are named above it, and removed one by one and together, by keys', async () => {
    for (const [title, priority] of [
      ['First', 'urgent'],
      ['Second', 'low'],
    ])
      await make(String(title), { priority, assigneeId: ada.id, dueDay: day(0) });
    const page = await enter(ada, `${listAddress()}?priority=urgent,high&assignee=me&due=today`);
    const filters = page.getByRole('group', { name: 'Filters' });
    await filters.getByRole('button', { name: 'Priority: Urgent, High; remove filter' }).press('Enter');
    await expectFocus(page, 'Assignee: Me; remove filter');
    await rowIn(page, 'Second').waitFor();
    await page.keyboard.press('Delete');
    await expectFocus(page, 'Due: Today; remove filter');
    await page.waitForURL(`${visit.origin}/app${listAddress()}?due=today`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expectFocus(page, 'Filter');
    await page.waitForURL(`${visit.origin}/app${listAddress()}`);
    expect(await filters.count()).toBe(0);
  });

  it('say that a label is gone, and go at one press', async () => {
    await make('First');
    const { body: label } = await asAda('POST', `/workspaces/${home}/labels`, { title: 'garden' });
    const page = await enter(ada, `${listAddress()}?label=${label.id}`);
    const filters = page.getByRole('group', { name: 'Filters' });
    await filters.getByRole('button', { name: 'Label: garden; remove filter' }).waitFor();
    await asAda('DELETE', `/workspaces/${home}/labels/${label.id}`);
    await filters.getByRole('button', { name: 'Label: one that is gone; remove filter' }).click();
    await rowIn(page, 'First').waitFor();
    expect(await filters.count()).toBe(0);
  });
});

describe('a selection', () => {
  it('is none of rows that are gone, once they were completed', async () => {
    for (const title of ['First', 'Second', 'Third']) await make(title, { dueDay: day(0) });
    for (const address of ['/today', `${listAddress()}?status=open`]) {
      const page = await enter(ada, address);
      const tools = page.getByRole('toolbar', { name: 'Selection' });
      await rowIn(page, 'First').focus();
      await page.keyboard.press('x');
      await tools.getByText('1 selected').waitFor();
      await page.keyboard.press('e');
      await page.getByRole('status').filter({ hasText: 'Completed “First”' }).waitFor();
      await page
        .getByRole('main')
        .getByRole('link', { name: 'Selected: First' })
        .waitFor({ state: 'detached' });
      expect(await tools.count()).toBe(0);
      await page.keyboard.press('z');
      await rowIn(page, 'First').waitFor();
    }
  });
});

describe('a file', () => {
  it('that is dropped opens nothing, and what was typed stays', async () => {
    const page = await enter(ada, listAddress());
    await page.keyboard.press('c');
    const field = page.getByLabel('Quick add');
    await field.fill('Some words');
    const file = join(newFolder('dropped'), 'words.txt');
    writeFileSync(file, 'Words');
    const device = await page.context().newCDPSession(page);
    const data = { items: [], files: [file], dragOperationsMask: 1 };
    const isHeard = page.evaluate(`new Promise((done) =>
      addEventListener('dragover', ({ dataTransfer }) => done(dataTransfer.dropEffect)))`);
    const box = await field.boundingBox();
    for (const [x, y] of [
      [600, 700],
      [(box?.x ?? 0) + 20, (box?.y ?? 0) + 10],
    ] as const)
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await device.send('Input.dispatchDragEvent', { type, x, y, data });
    await device.detach();
    expect(await isHeard).toBe('none');
    expect(page.context().pages()).toEqual([page]);
    expect(await field.inputValue()).toBe('Some words');
  });
});

describe('an address', () => {
  it('of another view keeps the filters', async () => {
    await make('First', { priority: 'high' });
    const page = await enter(ada, `${listAddress()}?priority=high`);
    for (const [view, query] of [
      ['Board', '?priority=high&view=board'],
      ['Calendar', '?priority=high&view=calendar'],
      ['List', '?priority=high'],
    ] as const) {
      await page.getByRole('navigation', { name: 'View' }).getByRole('link', { name: view }).click();
      await page.waitForURL(`${visit.origin}/app${listAddress()}${query}`);
    }
  });

  it('of a workspace that is not there, or not yours, is not found', async () => {
    const page = await enter(ada, '/today');
    for (const screen of ['today', 'recurring', 'calendar', 'settings/labels']) {
      await page.goto(`${visit.origin}/app/w/${list.id}/${screen}`);
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    }
  });

  it('of the settings of a workspace leads to their first page, and Back past it', async () => {
    const page = await enter(ada, '/today');
    await page.goto(`${visit.origin}/app/w/${home}/settings`);
    await page.getByRole('heading', { level: 1, name: 'General' }).waitFor();
    expect(addressIn(page)).toBe(`/w/${home}/settings/general`);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  });
});
