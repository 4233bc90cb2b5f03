import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { signedInAs, studio, useStudio, world } from './studio.ts';
import { browser, DESKTOP, isReady, PHONE, startVisit, type Visit } from './visit.ts';

let visit: Visit;
let page: Page;

useStudio();
beforeAll(async () => {
  visit = await startVisit(browser, signedInAs(world.app, studio.mara), DESKTOP);
  page = visit.page;
});
afterEach(() => visit.leave());
afterAll(() => visit.end());

const open = async (address: string) => {
  await page.goto(`${visit.origin}/app${address}`);
  await isReady(page);
};

/** Preact runs effects by whichever of these comes first: both come after the files that are being loaded. */
const SLOW_PAINTING = `{
  const { requestAnimationFrame: frame, setTimeout: timer } = window;
  window.requestAnimationFrame = (run) => timer(() => frame(run), 1000);
  window.setTimeout = (run, ms = 0, ...rest) => timer(run, ms + 1000, ...rest);
}`;

describe('the first load', () => {
  it('shows its screen though that is there before the page had time to ask for it', async () => {
    const { page, origin, end } = await startVisit(browser, world.app);
    await page.addInitScript(SLOW_PAINTING);
    await page.goto(`${origin}/app/sign-in`);
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    await end();
  });

  it('that takes long shows lines where rows will come, and moves nothing that is there', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/changes?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${visit.origin}/app/today`);
    const main = page.getByRole('main');
    await main.waitFor();
    const lines = (what: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('main .scroll'), '::before')['${what}']`);
    await expect.poll(() => lines('opacity')).toBe('1');
    // Not before it takes long.
    expect(await lines('animationDelay')).toBe('0.4s');
    expect(await main.textContent()).not.toMatch(/nothing|clear|no task/i);
    const places = () =>
      Promise.all(
        ['Search', 'Today', 'My tasks'].map((name) =>
          page.getByRole('navigation', { name: 'Main' }).getByText(name, { exact: true }).boundingBox(),
        ),
      );
    const before = await places();
    release();
    await main.getByRole('listitem').first().waitFor();
    expect(await lines('content')).toBe('none');
    expect(await places()).toEqual(before);
  });

  it('is over before anything is said to be in step, or to be gone', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/changes?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${visit.origin}/app/today?task=${studio.taskIds.oak}`);
    await page.evaluate(`{
      const look = () => { globalThis.saidGone ||= document.body.textContent.includes('This task is gone'); };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
      look();
    }`);
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    const status = page.getByRole('navigation', { name: 'Main' }).getByRole('status');
    expect(await status.textContent()).toBe('');
    release();
    await status.filter({ hasText: 'Synced' }).waitFor();
    await page.getByRole('complementary', { name: 'Order oak samples for the reading room' }).waitFor();
    expect(await page.evaluate('saidGone')).toBe(false);
  });
});

describe('the screen', () => {
  it('stays until the next one is loaded, which then has the focus', async () => {
    await open('/today');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/trash.*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.waitForURL('**/trash');
    const headings = page.getByRole('heading', { level: 1 });
    expect(await headings.allTextContents()).toEqual(['Today']);
    release();
    await expect.poll(() => headings.allTextContents()).toEqual(['Trash']);
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Trash');
  });

  it('that is being loaded takes the filters that are set meanwhile', async () => {
    const list = `/w/${studio.workspaceId}/lists/${studio.listIds.website}`;
    await open('/today');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/list.*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Website relaunch' }).first().click();
    await page.waitForURL(`**${list}`);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const filter = page.getByRole('dialog', { name: 'Filter' });
    await filter.getByLabel('Priority').selectOption('high');
    await filter.getByLabel('Status').selectOption('started');
    release();
    await page.getByRole('heading', { level: 1, name: 'Website relaunch' }).waitFor();
    await page.waitForURL(`**${list}?priority=high&status=started`);
    await expect.poll(() => page.getByRole('main').locator('a.title').count()).toBe(1);
  });

  it('says how a part comes that could not be loaded: a browser asks for it once in a page', async () => {
    const part = /\/panel\.[^/]*\.js$/;
    await page.route(part, (route) => route.abort());
    await open('/today');
    await page.getByRole('main').getByRole('link', { name: 'Order oak samples' }).click();
    await page.getByRole('status').filter({ hasText: 'Load the page again.' }).waitFor();
    await page.unroute(part);
    await page.reload();
    await page.getByRole('complementary', { name: 'Order oak samples' }).waitFor();
  });

  it('is in the theme chosen here before its script has come', async () => {
    await page.goto(`${visit.origin}/app/today`);
    await page.evaluate("localStorage.setItem('errand.theme', 'dark')");
    await page.route('**/main.*.js', () => {});
    await page.goto(`${visit.origin}/app/today`, { waitUntil: 'commit' });
    await page.locator('#root').waitFor({ state: 'attached' });
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  });
});

describe('a screen that is there, and was not painted yet', () => {
  it('has its keys, and keeps what is typed', async () => {
    const { page, origin, end } = await startVisit(browser, signedInAs(world.app, studio.mara));
    await page.addInitScript(SLOW_PAINTING);
    await page.goto(`${origin}/app/w/${studio.workspaceId}/tasks/${studio.taskIds.licence}`);
    await page.getByRole('heading', { level: 1, name: 'Pick a licence for the drawings' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Website relaunch' }).waitFor();
    await page.goto(`${origin}/app/w/${studio.workspaceId}/settings/general`);
    await page.getByLabel('Name', { exact: true }).fill('Kanal');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kanal');
    await end();
  });
});

describe('by keys alone', () => {
  it('a task is made, found, completed and opened again', async () => {
    await open('/today');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.waitFor();
    await page.keyboard.type('Buy paper tomorrow 9:30 p2');
    await expect
      .poll(() =>
        dialog
          .getByRole('button', { name: /^Due: \w{3} \d+ \w{3}( \d+)? 9:30; make it text again$/ })
          .count(),
      )
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
    await page.keyboard.press('Control+Shift+z');
    await box.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await expect.poll(() => box.getAttribute('aria-checked')).toBe('false');
  });

  it('a task opens beside its list, leads to its neighbour, and gives the focus back', async () => {
    await open('/today');
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
  });

  it('the palette leads to a list', async () => {
    await open('/today');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search commands, lists and tasks' }).waitFor();
    await page.keyboard.type('lesesaal');
    await page.getByRole('option', { name: 'Lesesaal Bibliothek Süd', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lesesaal Bibliothek Süd' }).waitFor();
  });

  it('the palette takes back what was done last', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.website}`);
    const box = page.getByRole('checkbox', { name: 'Pick a licence for the drawings: complete' });
    await page.getByRole('link', { name: 'Pick a licence for the drawings' }).press('e');
    await expect.poll(() => box.getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('undo');
    await page.getByRole('option', { name: 'Undo', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => box.getAttribute('aria-checked')).toBe('false');
    // Before, the page would ask whether to leave, and the driver says yes.
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('status')
      .filter({ hasText: 'Synced' })
      .waitFor();
  });

  it('a card goes to the next column of the board', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.website}?view=board`);
    const title = 'Pick a licence for the drawings';
    const card = (column: string) =>
      page.getByRole('region', { name: column }).getByRole('link', { name: title });
    await card('To Do').focus();
    await page.keyboard.press('Alt+ArrowRight');
    await card('In Progress').waitFor();
    await page.keyboard.press('Alt+ArrowLeft');
    await card('To Do').waitFor();
  });
});

describe('a screen that was just opened', () => {
  it('is gone through by Tab from its start', async () => {
    for (const address of ['/today', `/w/${studio.workspaceId}/lists/${studio.listIds.website}`]) {
      await open(address);
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Kanal Studio' }).and(page.locator(':focus')).waitFor();
    }
  });
});

describe('a card that is dropped', () => {
  it('on another column says so with a way back, by its toast and by Ctrl and Z', async () => {
    const title = 'Frame the drawings';
    const listId = studio.listIds.website;
    await studio.call('POST', `/workspaces/${studio.workspaceId}/tasks`, { listId, title });
    await open(`/w/${studio.workspaceId}/lists/${listId}?view=board`);
    const card = (column: string) =>
      page.getByRole('region', { name: column }).getByRole('listitem').filter({ hasText: title });
    const drop = () => card('To Do').dragTo(page.getByRole('region', { name: 'In Progress' }));
    await drop();
    await card('In Progress').waitFor();
    const toast = page.getByRole('status').filter({ hasText: `“${title}”: In Progress` });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await card('To Do').waitFor();
    await drop();
    await card('In Progress').waitFor();
    await page.keyboard.press('Control+z');
    await card('To Do').waitFor();
  });

  const dragOver = async (title: string, column: string): Promise<void> => {
    await page.getByRole('main').getByRole('listitem').filter({ hasText: title }).hover();
    await page.mouse.down();
    // The first move begins it, the second is over what it leads to.
    for (let step = 0; step < 2; step++)
      await page.getByRole('region', { name: column }).hover({ force: true });
    await page.locator('.column .over').waitFor({ state: 'attached' });
  };

  it('nowhere, by Escape, leaves no mark of where it would have been', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.lesesaal}?view=board`);
    await dragOver('Order oak samples', 'In Progress');
    await page.keyboard.press('Escape');
    await page.locator('.column .over').waitFor({ state: 'detached' });
    await page.mouse.up();
  });

  it('keeps its mark over all of a column, where a browser does not tell what it comes to, as WebKit', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.lesesaal}?view=board`);
    await page.locator('.column .card').first().waitFor();
    const isMarkedAfter = (events: string) =>
      page.evaluate<boolean>(`(async () => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('application/x-errand-task', 'oak');
        const card = document.querySelector('.column .card');
        const column = card.closest('.column');
        const fire = (type, target) => target.dispatchEvent(new DragEvent(type, { bubbles: true, dataTransfer }));
        ${events}
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return column.querySelector('.over') !== null;
      })()`);
    expect(await isMarkedAfter(`fire('dragenter', column); fire('dragover', column);`)).toBe(true);
    expect(await isMarkedAfter(`fire('dragenter', card); fire('dragleave', column);`)).toBe(true);
    expect(await isMarkedAfter(`fire('dragleave', card);`)).toBe(false);
  });

  it('after someone has moved it to another list stays as it is there', async () => {
    const within = `/workspaces/${studio.workspaceId}/tasks`;
    const { body } = await studio.call('POST', within, {
      listId: studio.listIds.lesesaal,
      title: 'Oil the oak',
    });
    const { id, statusId } = body as { id: string; statusId: string };
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.lesesaal}?view=board`);
    await dragOver('Oil the oak', 'In Progress');
    await studio.call('POST', `${within}/${id}/move`, { listId: studio.listIds.empty });
    await page.getByRole('main').getByRole('link', { name: 'Oil the oak' }).waitFor({ state: 'detached' });
    await page.mouse.up();
    await page.getByRole('status').filter({ hasText: 'What you dragged is not here any more.' }).waitFor();
    expect((await studio.call('GET', `${within}/${id}`)).body).toMatchObject({ statusId });
  });
});

describe('a new task', () => {
  it('says what its view gives it, where its words do not', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.website}?view=board`);
    await page.getByRole('button', { name: 'New task in In Progress' }).click();
    const understood = page
      .getByRole('dialog', { name: 'New task' })
      .getByRole('group', { name: 'Understood' });
    await understood.getByText('Website relaunch · In Progress').waitFor();
    await page.keyboard.type('Paint it #office');
    await expect.poll(() => understood.textContent()).toBe('OfficeIn Progress');
    await page.getByLabel('Quick add').fill('');
    await page.keyboard.press('Escape');
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.website}?assignee=me`);
    await page.keyboard.press('c');
    await understood.getByText('Website relaunch · Mara Lindqvist').waitFor();
    await page.keyboard.press('Escape');
  });

  it('that repeats is opened by Shift and Enter as another one is', async () => {
    await open('/today');
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').fill('Feed the sourdough every day');
    await page.keyboard.press('Shift+Enter');
    const panel = page.getByRole('complementary', { name: 'Feed the sourdough' });
    await panel.getByRole('button', { name: 'Repeats: Every day' }).waitFor();
    await panel.getByRole('button', { name: /^Due: (Tomorrow|Today)/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('z');
    const row = page.getByRole('main').getByRole('link', { name: 'Feed the sourdough' });
    await row.waitFor({ state: 'detached' });
  });

  it('that is opened before it is sent shows at once what others then say about it', async () => {
    await open('/today');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/tasks(\/batch)?$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').fill('Talk it over');
    await page.keyboard.press('Shift+Enter');
    const panel = page.getByRole('complementary', { name: 'Talk it over' });
    await panel.getByRole('textbox', { name: 'Comment' }).fill('Mine');
    await page.keyboard.press('Control+Enter');
    await panel.getByText('Mine').waitFor();
    release();
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('status')
      .filter({ hasText: 'Synced' })
      .waitFor();
    const id = new URL(page.url()).searchParams.get('task');
    await studio.call('POST', `/workspaces/${studio.workspaceId}/tasks/${id}/comments`, {
      body: 'From elsewhere',
    });
    await panel.getByText('From elsewhere').waitFor({ timeout: 10_000 });
    await panel.getByText('Mine').waitFor();
    await page.unrouteAll();
  });

  it.each([
    ['of a column', 'In Progress', 'Water the plants every day'],
    ['with a status', 'To Do', 'Water the plants every day /in '],
  ])('%s that repeats begins with that status, and Undo takes all of it back', async (_, column, text) => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.website}?view=board`);
    await page.getByRole('button', { name: `New task in ${column}` }).click();
    await page.getByLabel('Quick add').fill(text);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    const card = page
      .getByRole('region', { name: 'In Progress' })
      .getByRole('listitem')
      .filter({ hasText: 'Water the plants' });
    await card.getByText('Repeats').waitFor();
    await page.keyboard.press('z');
    await card.waitFor({ state: 'detached' });
    const titles = async (path: string) => {
      const { body } = await studio.call('GET', `/workspaces/${studio.workspaceId}/${path}`);
      return (body as { items: { title: string }[] }).items.map(({ title }) => title);
    };
    await expect.poll(() => titles('recurring-tasks')).not.toContain('Water the plants');
    await expect.poll(() => titles('tasks/search?q=plants')).not.toContain('Water the plants');
  });
});

describe('a choice', () => {
  it('is offered where one looks: by its key in the panel beside its field, in a list beside the row', async () => {
    await open(`/w/${studio.workspaceId}/lists/${studio.listIds.office}?task=${studio.taskIds.beds}`);
    const title = 'Mulch the beds before the first hard frost';
    const panel = page.getByRole('complementary', { name: title });
    const edge = (await panel.boundingBox())?.x ?? 0;
    const leftOf = async (key: string, name: string) => {
      await page.keyboard.press(key);
      const box = page.getByRole('listbox', { name });
      const left = (await box.boundingBox())?.x ?? 0;
      await page.keyboard.press('Escape');
      await box.waitFor({ state: 'detached' });
      return left;
    };
    for (const [key, name] of [
      ['m', 'Move to…'],
      ['l', 'Labels'],
    ] as const) {
      await panel.getByRole('heading', { level: 2 }).first().focus();
      expect(await leftOf(key, name)).toBeGreaterThan(edge);
      await page.getByRole('main').getByRole('link', { name: title }).focus();
      expect(await leftOf(key, name)).toBeLessThan(edge);
    }
  });

  it('of status, priority and day is made in the panel', async () => {
    await open(`/today?task=${studio.taskIds.beds}`);
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
    await panel.getByRole('button', { name: /^Due: Sat 5 Jan 2030 8:15$/ }).click();
    await dialog.getByRole('button', { name: '12 January 2030' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('button', { name: /^Due: Sat 12 Jan 2030 8:15$/ }).waitFor();
  });
});

describe('on a phone', () => {
  it('a task is a page with its tools, and leads back', async () => {
    const phone = await startVisit(browser, signedInAs(world.app, studio.mara), PHONE);
    const { page } = phone;
    await page.goto(`${phone.origin}/app/today`);
    await page.getByRole('link', { name: 'Order oak samples for the reading room' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Order oak samples for the reading room' }).waitFor();
    expect(await page.title()).toBe('Order oak samples for the reading room · Errand');
    const tools = page.getByRole('toolbar', { name: 'Task' });
    await tools.getByRole('button', { name: 'Due' }).tap();
    await page.getByRole('dialog', { name: 'Due' }).getByRole('button', { name: 'Cancel' }).tap();
    await page.getByRole('button', { name: 'Back to Today' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    expect(await page.title()).toBe('Today · Errand');
    await phone.end();
  });
});
