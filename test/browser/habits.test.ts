import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { as, openHome } from '../people.ts';
import { signedInAs } from './studio.ts';
import { DESKTOP, NOON, synced, useVisit, visit } from './visit.ts';

// What people who come from other task clients expect of keys and pointers.

let call: ReturnType<typeof as>;
let inside: string;
let home: string;
let listId: string;
let page: Page;

useVisit({ ...DESKTOP, at: NOON });
beforeEach(async () => {
  const opened = await openHome({ start: NOON });
  ({ home, listId, inside } = opened);
  call = as(opened.world, opened.ada);
  await call('PATCH', '/me', { timezone: 'UTC', preferences: { welcomed: true } });
  visit.serve(signedInAs(opened.world.app, opened.ada));
  ({ page } = visit);
});

const make = async (title: string, fields: object = {}): Promise<string> =>
  (await call('POST', `${inside}/tasks`, { listId, title, ...fields })).body.id;
const rowOf = (title: string) => page.getByRole('main').getByRole('link', { name: title, exact: true });
const said = (words: string) => page.getByRole('status').filter({ hasText: words });
async function enter(address: string): Promise<void> {
  await page.goto(`${visit.origin}/app${address}`);
  await synced(page);
}
const enterList = () => enter(`/w/${home}/lists/${listId}`);

describe('quick add', () => {
  it('is sent by Enter where a name is typed whole, and no other begins like it', async () => {
    await call('POST', `${inside}/labels`, { title: 'docs' });
    await enterList();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await page.keyboard.type('Write it *docs @m');
    await dialog.getByRole('option', { name: 'me' }).waitFor();
    await page.keyboard.type('e');
    await dialog.getByRole('option').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await said('Added “Write it”').waitFor();
    // Z is a letter there.
    expect(await dialog.getByRole('button', { name: 'Undo', exact: true }).textContent()).toBe('Undo ');
  });
});

describe('of lists with one title', () => {
  it('each is told from the others by its space, in quick add and where a task is moved', async () => {
    const space = (await call('POST', `${inside}/spaces`, { title: 'Garden' })).body;
    for (let index = 0; index < 9; index++)
      await call('POST', `${inside}/lists`, { spaceId: space.id, title: `Bed ${index}` });
    const [tasks] = space.lists;
    await enterList();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByLabel('Quick add').pressSequentially('Sow #Tas');
    await expect
      .poll(() => dialog.getByRole('option').evaluateAll((all) => all.map((one) => one.textContent)))
      .toEqual(['TasksTab', 'Garden / Tasks']);
    for (const key of ['ArrowDown', 'Enter', 'Enter']) await page.keyboard.press(key);
    await said('Added “Sow”').waitFor();
    const sown = async () => (await call('GET', `${inside}/tasks`)).body.items[0];
    await expect.poll(async () => (await sown())?.listId).toBe(tasks.id);
    await page.keyboard.press('Escape');
    await enter(`/w/${home}/lists/${tasks.id}`);
    await rowOf('Sow').press('m');
    await page.getByRole('combobox', { name: 'Move to…' }).fill('tasks');
    await page.getByRole('option', { name: 'Tasks General' }).click();
    await expect.poll(async () => (await sown()).listId).toBe(listId);
  });
});

describe('a choice', () => {
  it('for all that is selected stands beside the row that has the focus, and scrolls nothing away', async () => {
    for (let index = 0; index < 40; index++) await make(`Task ${index}`);
    await enterList();
    await rowOf('Task 0').press('x');
    await page.keyboard.press('Shift+End');
    await page.locator(':focus').filter({ hasText: 'Task 39' }).waitFor();
    const before = await rowOf('Selected: Task 39').boundingBox();
    await page.keyboard.press('p');
    await page.getByRole('listbox', { name: 'Priority' }).waitFor();
    expect(await rowOf('Selected: Task 39').boundingBox()).toEqual(before);
    await page.keyboard.press('Escape');
  });

  it('takes the letters that follow its key at once, also the first on a page', async () => {
    const id = await make('Paint');
    const fields = async () => (await call('GET', `${inside}/tasks/${id}`)).body;
    await enterList();
    // Loaded once the page has nothing better to do.
    await page.evaluate(`new Promise((done) => new PerformanceObserver((list) => {
      const part = list.getEntries().find(({ name }) => name.includes('/picker-view.'));
      if (part) import(part.name).then(() => setTimeout(done));
    }).observe({ type: 'resource', buffered: true }))`);
    await rowOf('Paint').focus();
    await page.evaluate(`(async () => {
      for (const key of ['p', 'u', 'Enter']) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        await new Promise((done) => setTimeout(done));
      }
    })()`);
    await said('urgent').waitFor();
    await expect.poll(async () => (await fields()).priority).toBe('urgent');
  });

  it('of labels stays on the one that was found by its letters', async () => {
    for (const title of ['bug', 'docs', 'idea']) await call('POST', `${inside}/labels`, { title });
    const id = await make('Paint');
    const labels = async () => (await call('GET', `${inside}/tasks/${id}`)).body.labelIds.length;
    await enterList();
    await rowOf('Paint').press('l');
    await page.getByRole('listbox', { name: 'Labels' }).waitFor();
    await page.keyboard.type('idea');
    await page.keyboard.press('Enter');
    await expect.poll(labels).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(labels).toBe(0);
    await page.keyboard.press('Escape');
  });
});

describe('a link to a task', () => {
  it('is copied from the palette, and by the first letters of its entry in a menu', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    const ids = [await make('Ash'), await make('Oak')];
    const links = ids.map((id) => `${visit.origin}/app/w/${home}/tasks/${id}`);
    await enterList();
    await rowOf('Ash').press('Control+k');
    await page.keyboard.type('copy link');
    await page.keyboard.press('Enter');
    await said('Link copied').waitFor();
    expect(await copied()).toBe(links[0]);
    await rowOf('Oak').press('.');
    await page.getByRole('menu').waitFor();
    await page.keyboard.type('cop');
    await page.keyboard.press('Enter');
    await expect.poll(copied).toBe(links[1]);
    for (const key of ['x', 'Shift+ArrowUp', 'Control+k']) await page.keyboard.press(key);
    await page.keyboard.type('copy link');
    await page.keyboard.press('Enter');
    await said('2 links copied').waitFor();
    expect(await copied()).toBe(links.join('\n'));
  });
});

describe('the palette', () => {
  it('begins with what can be done with the row that has the focus', async () => {
    await make('Paint');
    await enterList();
    const first = page.getByRole('dialog', { name: 'Commands' }).getByRole('option').first();
    await page.keyboard.press('Control+k');
    await expect.poll(() => first.textContent()).toMatch(/^New task/);
    await page.keyboard.press('Escape');
    await rowOf('Paint').press('Control+k');
    await expect.poll(() => first.textContent()).toMatch(/^Open task/);
    await page.keyboard.press('Escape');
    await make('Late', { dueDay: '2020-01-01' });
    await enter('/today');
    await rowOf('Late').press('Control+k');
    await expect.poll(() => first.textContent()).toMatch(/^Open task/);
    await page.keyboard.press('Escape');
  });

  it('finds a task by its number, as the search does', async () => {
    await make('Paint');
    const id = await make('Sand it');
    const { number } = (await call('GET', `${inside}/tasks/${id}`)).body;
    const { key } = (await call('GET', inside)).body;
    await enterList();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(`${key.toLowerCase()}-${number}`);
    await page.getByRole('option', { name: `${key}-${number} Sand it` }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sand it' }).waitFor();
    await enter(`/w/${home}/search`);
    await page.getByRole('searchbox').fill(`${key}-${number}`);
    await rowOf('Sand it').waitFor();
  });
});

describe('another screen', () => {
  it('is begun at its first row, and keys act on none that had the focus before', async () => {
    const dueDay = new Date(NOON).toISOString().slice(0, 10);
    for (const title of ['A', 'B', 'C']) await make(title, { dueDay });
    await enter('/today');
    await rowOf('C').focus();
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('u')]);
    const heading = page.getByRole('heading', { level: 1, name: 'Upcoming' });
    await heading.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('e');
    await page.keyboard.press('j');
    await page.locator(':focus').filter({ hasText: 'A' }).waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
  });
});

describe('a date', () => {
  it('is reached by arrows from the words, which say where a repeat is set', async () => {
    const id = await make('Paint');
    await enterList();
    await rowOf('Paint').press('d');
    const dialog = page.getByRole('dialog', { name: 'Due' });
    const words = dialog.getByLabel('In words');
    await words.fill('every weekday');
    await dialog.getByText('A repeat is set in “Repeat…”, not here.').waitFor();
    await words.fill('');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter'])
      await page.keyboard.press(key);
    const tomorrow = new Date(NOON + 86_400_000).toISOString().slice(0, 10);
    await expect.poll(async () => (await call('GET', `${inside}/tasks/${id}`)).body.dueDay).toBe(tomorrow);
  });
});
