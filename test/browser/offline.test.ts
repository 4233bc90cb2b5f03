import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { signedInAs, studio, useStudio, world } from './studio.ts';
import { browser, DESKTOP, goTo, isServedByWorker, startVisit, type Visit } from './visit.ts';

useStudio();

/** Someone at Today, whose browser has the worker. */
const visitToday = async (): Promise<Visit & { context: BrowserContext }> => {
  const visit = await startVisit(browser, signedInAs(world.app, studio.mara), {
    ...DESKTOP,
    hasWorker: true,
  });
  await visit.page.goto(`${visit.origin}/app/today`);
  await statusOf(visit.page, 'Synced');
  await isServedByWorker(visit.page);
  return { ...visit, context: visit.page.context() };
};

const side = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const statusOf = (page: Page, text: string) =>
  side(page).getByRole('status').filter({ hasText: text }).waitFor();

async function add(page: Page, title: string): Promise<void> {
  await page.keyboard.press('c');
  await page.getByLabel('Quick add').fill(`${title} today 23:59`);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New task' });
  await dialog.getByText(`Added “${title}”`).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
}

async function signOut(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search commands, lists and tasks' }).fill('Sign out');
  await page.getByRole('option', { name: 'Sign out', selected: true }).waitFor();
  await page.keyboard.press('Enter');
}

const titlesFound = async (q: string) => {
  const { body } = await studio.call('GET', `/workspaces/${studio.workspaceId}/tasks/search?q=${q}`);
  return (body as { items: { title: string }[] }).items.map(({ title }) => title);
};

/** Notes how durable the transactions are that put something into the outbox which was not sent yet. */
const NOTE_DURABILITY = `
  globalThis.durable = [];
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, ...key) {
    if (this.name === 'outbox' && value.sent === 0) durable.push(this.transaction.durability);
    return put.call(this, value, ...key);
  };`;

/** Notes which transactions still wait for what their page would ask for next. */
const NOTE_OPEN = `
  globalThis.open = new Set();
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...given) {
    const opened = transaction.apply(this, given);
    open.add(opened);
    for (const end of ['complete', 'abort']) opened.addEventListener(end, () => open.delete(opened));
    return opened;
  };
  for (const end of ['abort', 'commit']) {
    const own = IDBTransaction.prototype[end];
    IDBTransaction.prototype[end] = function () {
      // One that cannot be aborted any more ends by itself.
      open.delete(this);
      own.call(this);
    };
  }`;

/** Leaves the page while a transaction is under way; becomes how many are left then. */
const LEAVE = `(async () => {
  while (open.size === 0) {
    dispatchEvent(new Event('online'));
    await new Promise((resolve) => setTimeout(resolve));
  }
  dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
  return open.size;
})()`;

describe('a page that the browser keeps for going back to', () => {
  it('holds no transaction, which another page would wait for, and starts again when it is shown', async () => {
    const { page, end } = await visitToday();
    await page.addInitScript({ content: NOTE_OPEN });
    await page.reload();
    await statusOf(page, 'Synced');
    expect(await page.evaluate(LEAVE)).toBe(0);
    const shown = page.waitForEvent('load');
    await page.evaluate("void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await shown;
    await statusOf(page, 'Synced');
    await end();
  });
});

/** As a device says it: while its loss is emulated, the browser may say of a document it opens that there is a network. */
const SAY_OFFLINE = `Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false, configurable: true })`;

describe('without the network', () => {
  it('the client starts with what it holds, and sends what was done once it is back', async () => {
    const { page, origin, context, end } = await visitToday();
    await context.setOffline(true);
    await page.evaluate(SAY_OFFLINE);
    await page.addInitScript({ content: SAY_OFFLINE });
    await page.goto(`${origin}/app/upcoming`);
    await page.getByRole('heading', { level: 1, name: 'Upcoming' }).waitFor();
    await page.goto(`${origin}/app/today`);
    await page.getByRole('link', { name: 'Order oak samples for the reading room' }).waitFor();
    await statusOf(page, 'Offline');
    await add(page, 'Onthetrain');
    await statusOf(page, 'Offline, 1 waiting');
    await page.reload();
    await page.getByRole('link', { name: 'Onthetrain' }).waitFor();
    await context.setOffline(false);
    await statusOf(page, 'Synced');
    expect(await titlesFound('Onthetrain')).toEqual(['Onthetrain']);
    await end();
  });

  it('a task that is not on the device is not called gone, and opens once the network is back', async () => {
    const { page, context, origin, end } = await visitToday();
    await page.goto('about:blank');
    const fields = { title: 'Made elsewhere', listId: studio.listIds.office };
    const made = await studio.call('POST', `/workspaces/${studio.workspaceId}/tasks`, fields);
    const { number } = made.body as { number: number };
    await context.setOffline(true);
    await page.goto(`${origin}/app/w/${studio.workspaceId}/tasks/STU-${number}`);
    await page.getByText('This task is not on this device.').waitFor();
    await context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Made elsewhere' }).waitFor();
    await end();
  });

  it('the trash says that it waits for the server, also while a change does', async () => {
    const { page, context, end } = await visitToday();
    await context.setOffline(true);
    await add(page, 'Meanwhile');
    await statusOf(page, 'Offline, 1 waiting');
    await side(page).getByRole('link', { name: 'Trash' }).click();
    await page.getByText('The trash is shown once the server can be reached.').waitFor();
    await end();
  });

  it.each([
    ['the trash', '/w/:w/trash', 'The trash is shown once'],
    ['the list of notifications', '/notifications', 'Notifications are shown once'],
    ['the list of sessions', '/settings/security', 'Sessions are shown once'],
    ['the search', '/w/:w/search?q=oak', 'only what is on this device was sought'],
  ])('%s waits for the server, and comes once that is back', async (_, address, words) => {
    const { page, context, end } = await visitToday();
    await context.setOffline(true);
    await statusOf(page, 'Offline');
    await goTo(page, address.replace(':w', studio.workspaceId));
    await page.getByText(words).waitFor();
    await context.setOffline(false);
    await statusOf(page, 'Synced');
    await page.getByText(words).waitFor({ state: 'hidden' });
    await end();
  });

  it('the next dates of a rule come once the server is back', async () => {
    const { page, context, end } = await visitToday();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Order oak samples' }).focus();
    await page.keyboard.press('r');
    const next = page.getByRole('region', { name: 'Next five' });
    await next.getByText('once the server can be reached').waitFor();
    await context.setOffline(false);
    await expect.poll(() => next.getByRole('listitem').count()).toBe(5);
    await next.getByText('once the server can be reached').waitFor({ state: 'hidden' });
    await end();
  });

  it('what was done is on the disk, also where the device stops at once', async () => {
    const { page, context, end } = await visitToday();
    await page.evaluate(NOTE_DURABILITY);
    await context.setOffline(true);
    await add(page, 'Notlost');
    await statusOf(page, 'Offline, 1 waiting');
    await expect.poll(() => page.evaluate('durable')).toEqual(['strict']);
    await end();
  });

  it('signing out asks no more once all is sent, and goes on', async () => {
    const { page, context, end } = await visitToday();
    await context.setOffline(true);
    await add(page, 'In the tunnel');
    await statusOf(page, 'Offline, 1 waiting');
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Sign out' });
    await dialog.getByText('One change has not reached the server.').waitFor();
    const leaving = page.waitForRequest('**/auth/logout');
    await context.setOffline(false);
    await leaving;
    expect(await titlesFound('In the tunnel')).toEqual(['In the tunnel']);
    await end();
  });

  it('what waits can be looked at and dropped, and signing out asks', async () => {
    const { page, context, end } = await visitToday();
    await context.setOffline(true);
    await add(page, 'Nevermind');
    await signOut(page);
    const question = page.getByRole('dialog', { name: 'Sign out' });
    await question.getByRole('button', { name: 'Sign out anyway' }).waitFor();
    await question.getByRole('button', { name: 'Stay' }).click();
    await side(page).getByRole('button', { name: 'Waiting changes' }).click();
    const waiting = page.getByRole('dialog', { name: 'Waiting changes' });
    const act = waiting.getByRole('listitem', { name: 'Added “Nevermind”' });
    await act.getByRole('button', { name: 'Drop' }).click();
    await expect.poll(() => waiting.getByRole('listitem').count()).toBe(0);
    await page.keyboard.press('Escape');
    await context.setOffline(false);
    await statusOf(page, 'Synced');
    expect(await titlesFound('Nevermind')).toEqual([]);
    await end();
  });
});

describe('a change that the server rejects', () => {
  it('is said not to be saved, and why, and gives back what was typed', async () => {
    const { page, context, origin, end } = await visitToday();
    const root = `/workspaces/${studio.workspaceId}/tasks`;
    const fields = { title: 'Gone soon', listId: studio.listIds.office };
    const { id } = (await studio.call('POST', root, fields)).body as { id: string };
    await page.goto(`${origin}/app/w/${studio.workspaceId}/tasks/${id}`);
    const comment = page.getByRole('textbox', { name: 'Comment' });
    await comment.waitFor();
    await context.setOffline(true);
    await comment.fill('As long as a letter');
    await page.getByRole('button', { name: 'Send' }).click();
    await statusOf(page, 'Offline, 1 waiting');
    await studio.call('DELETE', `${root}/${id}?permanent=true`);
    await context.setOffline(false);
    await page
      .getByRole('status')
      .filter({ hasText: 'Not saved: Commented on “Gone soon”. No such task' })
      .waitFor();
    await statusOf(page, 'Not saved: 1');
    await side(page).getByRole('button', { name: 'Waiting changes' }).click();
    const waiting = page.getByRole('dialog', { name: 'Waiting changes' });
    await waiting.getByText('As long as a letter').waitFor();
    await page.keyboard.press('Escape');
    await signOut(page);
    await page.getByRole('dialog', { name: 'Sign out' }).getByText('One change has not reached').waitFor();
    await end();
  });
});

describe('of two tabs', () => {
  it('the other one sends and hears after the leading one was closed', async () => {
    const { page, origin, context, end } = await visitToday();
    const other = await context.newPage();
    await other.goto(`${origin}/app/today`);
    await other.getByRole('link', { name: 'Order oak samples for the reading room' }).waitFor();
    await page.close();
    await add(other, 'Aftertheleader');
    await expect.poll(() => titlesFound('Aftertheleader')).toEqual(['Aftertheleader']);
    await studio.call('POST', `/workspaces/${studio.workspaceId}/tasks`, {
      title: 'Heard elsewhere',
      listId: studio.listIds.office,
      dueDate: new Date(world.clock.now() + 60_000).toISOString(),
    });
    await other.getByRole('link', { name: 'Heard elsewhere' }).waitFor();
    await end();
  });
});
