import { Hono } from 'hono';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { clientBuildId } from '../../src/pages/client.ts';
import { BOT_TOKEN, widget } from '../telegram-double.ts';
import { openWorld, type Person, type World, type WorldOptions } from '../world.ts';
import { browser, isServedByWorker, leadingTo, startVisit, synced, useBrowser, type Visit } from './visit.ts';

let world: World;
let visit: Visit;
let page: Page;
let ada: Person;

useBrowser();
beforeEach(async () => {
  world = await openWorld({ start: Date.now() });
});
afterEach(() => visit.end());

const openAnother = async (options: WorldOptions): Promise<void> => {
  await world.close();
  world = await openWorld({ start: Date.now(), ...options });
};

/** Signs Ada in before an application, where she sees Today. */
async function begin(
  app: Pick<App, 'fetch'> = world.app,
  options: Parameters<typeof startVisit>[2] = {},
  script?: string,
): Promise<void> {
  ada = await world.signUp('ada@example.com', 'Ada');
  visit = await startVisit(browser, app, options);
  page = visit.page;
  if (script) await page.addInitScript(script);
  await page.goto(`${visit.origin}${options.under ?? ''}/`);
  await page.getByLabel('Email', { exact: true }).fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await shown('Today');
  await synced(page);
}

const shown = (heading: string) =>
  page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();

async function add(title: string): Promise<void> {
  await page.keyboard.press('c');
  await page.getByLabel('Quick add').fill(`${title} today`);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New task' }).getByText(`Added “${title}”`).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: title }).waitFor();
  await synced(page);
}

/** A device that takes its time to open a database; counts the copies that listen to the other tabs. */
const SLOW_DEVICE = `
  const told = Object.getOwnPropertyDescriptor(IDBRequest.prototype, 'onsuccess');
  Object.defineProperty(IDBOpenDBRequest.prototype, 'onsuccess', {
    set(heard) { told.set.call(this, (event) => setTimeout(() => heard.call(this, event), 400)); },
  });
  globalThis.copies = 0;
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    constructor(name) { super(name); globalThis.copies += 1; }
  };`;

/** A device that reads everything only once `goOn` is called, where the session says so; notes when `shown` is kept. */
const SLOW_READING = `
  const { getAll } = IDBObjectStore.prototype;
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, key) {
    if (key === 'shown') this.transaction.addEventListener('complete', () => { globalThis.noted = value['/today'].length; });
    return key === undefined ? put.call(this, value) : put.call(this, value, key);
  };
  const wait = new Promise((resolve) => { globalThis.goOn = resolve; });
  const told = Object.getOwnPropertyDescriptor(IDBRequest.prototype, 'onsuccess');
  IDBObjectStore.prototype.getAll = function (...range) {
    const request = getAll.apply(this, range);
    if (this.name !== 'rows' || range[0] || sessionStorage.getItem('slow') === null) return request;
    Object.defineProperty(request, 'onsuccess', {
      set(heard) { told.set.call(this, (event) => void wait.then(() => heard.call(this, event))); },
    });
    return request;
  };`;

describe('the client', () => {
  it('opens one copy of what it holds, however long the device takes', async () => {
    await begin(world.app, {}, SLOW_DEVICE);
    await add('On a slow device');
    expect(await page.evaluate<number>('globalThis.copies')).toBe(1);
  });

  it('paints what a screen showed last before all that it holds is read', async () => {
    await begin(world.app, {}, SLOW_READING);
    await add('Shown last');
    // The examples and this one.
    await expect.poll(() => page.evaluate('globalThis.noted')).toBe(4);
    await page.evaluate('sessionStorage.setItem("slow", "")');
    await page.reload();
    await page.getByRole('link', { name: 'Shown last' }).waitFor();
    const status = page.getByRole('navigation', { name: 'Main' }).getByRole('status');
    expect(await status.textContent()).toBe('');
    expect(await page.getByRole('link', { name: 'Today', exact: true }).count()).toBe(1);
    await page.evaluate('goOn()');
    await synced(page);
    await page.getByRole('link', { name: /^Today \d/ }).waitFor();
  });

  it('works below a path of a proxy, with its worker, without the network too', async () => {
    await openAnother({ settings: { server: { public_url: 'http://localhost:8080/work' } } });
    const proxied = new Hono().mount('/work', (request, bindings) => world.app.fetch(request, bindings));
    await begin(proxied as unknown as App, { under: '/work', hasWorker: true });
    expect(page.url()).toBe(`${visit.origin}/work/app/today`);
    await add('Below a path');
    await isServedByWorker(page);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole('link', { name: 'Below a path' }).waitFor();
    await page.getByRole('link', { name: 'Upcoming' }).click();
    await shown('Upcoming');
    expect(page.url()).toBe(`${visit.origin}/work/app/upcoming`);
  });

  it('works on plain http, where a browser gives it no worker', async () => {
    await begin(world.app, { host: 'errand.test', hasWorker: true });
    expect(await page.evaluate<boolean>('isSecureContext')).toBe(false);
    await add('On plain http');
    await page.getByRole('link', { name: 'On plain http' }).click();
    const panel = page.getByRole('complementary', { name: 'On plain http' });
    await panel.getByRole('textbox', { name: 'Add an item' }).fill('First step');
    await page.keyboard.press('Enter');
    await panel.getByText('First step').waitFor();
    await synced(page);
    await page.reload();
    await panel.getByText('First step').waitFor();
  });

  /** The application as it was before the build that is served once `renew` was called. */
  function olderBuild() {
    const build = clientBuildId() ?? '';
    let isOlder = true;
    const app = {
      fetch: async (request: Request, ...rest: unknown[]) => {
        const { pathname } = new URL(request.url);
        const isAsIs = !isOlder || !pathname.startsWith('/app/') || pathname.includes('/assets/');
        if (isAsIs) return world.app.fetch(request, ...(rest as []));
        const response = await world.app.request(pathname, {
          headers: { cookie: request.headers.get('cookie') ?? '' },
        });
        const headers = new Headers(response.headers);
        if (headers.has('X-Errand-Build')) headers.set('X-Errand-Build', 'older');
        const text = (await response.text()).replaceAll(build, 'older');
        return new Response(text, { status: response.status, headers });
      },
    } as Pick<App, 'fetch'>;
    const renew = () => {
      isOlder = false;
    };
    return { app, renew };
  }
  const update = () => page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Update' });
  const isRenewed = () =>
    expect
      .poll(() => page.evaluate<string>('document.documentElement.dataset.build').catch(() => ''))
      .toBe(clientBuildId());

  it.each([1280, 360])(
    'of an older build offers the one that is served, and starts it, %i px wide',
    async (width) => {
      const { app, renew } = olderBuild();
      await begin(app, { hasWorker: true });
      await page.setViewportSize({ width, height: 740 });
      await isServedByWorker(page);
      await update().waitFor();
      renew();
      await update().click();
      await isRenewed();
      await shown('Today');
      await page.setViewportSize({ width: 1280, height: 740 });
      await synced(page);
      await update().waitFor({ state: 'detached' });
    },
  );

  it('of an older build leaves what is typed and not sent to the served one', async () => {
    const { app, renew } = olderBuild();
    await begin(app);
    await add('Call the notary');
    await page.getByRole('link', { name: 'Call the notary' }).click();
    const panel = page.getByRole('complementary', { name: 'Call the notary' });
    const [quickAdd, comment, description] = [
      page.getByLabel('Quick add'),
      panel.getByRole('textbox', { name: 'Comment', exact: true }),
      panel.getByRole('textbox', { name: 'Description' }),
    ];
    await page.keyboard.press('q');
    await quickAdd.fill('Half a thought');
    await page.keyboard.press('Escape');
    await comment.fill('A comment');
    await page.keyboard.press('Control+Enter');
    const sent = panel.getByRole('listitem').filter({ hasText: 'A comment' });
    await sent.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edited = panel.getByRole('textbox', { name: 'Edit comment' });
    await edited.fill('Half a change');
    await comment.fill('Half a comment');
    await description.fill('Half a description');
    await update().waitFor();
    renew();
    await update().click();
    await isRenewed();
    await expect.poll(() => description.inputValue()).toBe('Half a description');
    expect(await comment.inputValue()).toBe('Half a comment');
    await expect.poll(() => edited.inputValue()).toBe('Half a change');
    await panel.getByRole('heading', { name: 'Call the notary' }).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('q');
    await expect.poll(() => quickAdd.inputValue()).toBe('Half a thought');
    expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([]);
  });

  it('of an older build asks what a typed description is for before it starts the served one', async () => {
    const { app, renew } = olderBuild();
    await begin(app);
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').fill('Water the plants every day');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Water the plants' }).click();
    const description = page.getByRole('textbox', { name: 'Description' });
    await description.fill('Half a description');
    await update().waitFor();
    renew();
    await update().click();
    const question = page.getByRole('dialog', { name: 'Repeat' });
    await question.getByRole('radio', { name: 'This task' }).check();
    await question.getByRole('button', { name: 'Save' }).click();
    await question.waitFor({ state: 'hidden' });
    await update().click();
    await isRenewed();
    await expect.poll(() => description.inputValue()).toBe('Half a description');
  });

  it('of an older build starts the served one by itself, once nothing is typed and not sent', async () => {
    const { app, renew } = olderBuild();
    await begin(app);
    await page.clock.install();
    await page.reload();
    await update().waitFor();
    await page.goto(`${visit.origin}/app/settings/profile`);
    await update().waitFor();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Half a name');
    await page.getByRole('heading', { level: 1 }).click();
    await page.clock.fastForward(90_000);
    expect(await name.inputValue()).toBe('Half a name');
    await page.getByRole('button', { name: 'Drop changes' }).click();
    await page.getByRole('link', { name: 'Today' }).first().click();
    await shown('Today');
    const field = page.getByLabel('Quick add');
    await page.keyboard.press('q');
    await field.fill('Half a thought');
    await page.keyboard.press('Escape');
    renew();
    await page.clock.fastForward(90_000);
    await page.keyboard.press('q');
    await expect.poll(() => field.inputValue()).toBe('Half a thought');
    await field.fill('');
    await page.keyboard.press('Escape');
    await page.clock.fastForward(90_000);
    await isRenewed();
  });
});

describe('Telegram', () => {
  it('signs in who linked it, by what it sends back', async () => {
    await openAnother({
      settings: { auth: { telegram_bot_name: 'errand_bot', telegram_bot_token: BOT_TOKEN } },
    });
    await begin();
    const context = page.context();
    await context.route('https://oauth.telegram.org/**', (route) => {
      const to = new URL(new URL(route.request().url()).searchParams.get('return_to') ?? '');
      world.clock.advance(1_000);
      const facts = Buffer.from(JSON.stringify(widget(world))).toString('base64url');
      return route.fulfill(leadingTo(`${to}#tgAuthResult=${facts}`));
    });
    await page.goto(`${visit.origin}/app/settings/security`);
    await page.getByRole('button', { name: 'Link Telegram' }).click();
    await page.getByRole('button', { name: 'Unlink Telegram' }).waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await shown('Sign in');
    page = await context.newPage();
    await page.goto(`${visit.origin}/app/sign-in`);
    await page.getByRole('button', { name: 'Telegram' }).click();
    await shown('Today');
  });
});
