import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { App } from '../../src/app.ts';
import { openWorld, type World } from '../world.ts';
import { faintTexts, smallTargets } from './legibility.ts';
import { browser, painted, startVisit, useBrowser, type Visit } from './visit.ts';

/** Where pictures go, where someone wants them. */
const FOLDER = process.env.SCREENSHOTS;
const DOCS = '/api/docs';

let world: World;
let visit: Visit;
const told: string[] = [];
useBrowser();
beforeAll(async () => {
  if (FOLDER) mkdirSync(FOLDER, { recursive: true });
  world = await openWorld();
  visit = await startVisit(browser, world.app, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  visit.page.on('console', (message) => told.push(message.text()));
});
afterEach(async () => {
  await visit.leave();
  expect(told.splice(0)).toEqual([]);
});
afterAll(async () => {
  await visit.end();
  await world.close();
});

async function read(viewport = { width: 1280, height: 720 }, path = DOCS): Promise<void> {
  await visit.page.setViewportSize(viewport);
  await visit.follow(path);
}
const takePicture = async (name: string, of: { screenshot: Page['screenshot'] } = visit.page) => {
  if (FOLDER) await of.screenshot({ path: join(FOLDER, `docs-${name}.png`) });
};

const PHONE = { width: 360, height: 720 };
const operations = ({ page } = visit) =>
  page.locator('article[data-find]:not([data-shape])').filter({ visible: true });
const contents = ({ page } = visit) => page.getByRole('navigation', { name: 'Contents' });
const filter = ({ page } = visit) => page.getByRole('searchbox', { name: 'Filter the operations' });

describe('the reference', () => {
  it('fits and can be read, in both themes, 320, 360 and 1280 pixels wide', async () => {
    await read();
    const { page } = visit;
    for (const width of [320, 360, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        const where = `${colorScheme}-${width}`;
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await painted(page);
        for (const id of ['createTask', 'createRecurringTask', 'errors', 'shape-EndCondition']) {
          if (!FOLDER) break;
          await page.goto(`${visit.origin}${DOCS}#${id}`);
          await takePicture(`${id}-${where}`);
        }
        expect(await page.evaluate('document.documentElement.scrollWidth'), where).toBeLessThanOrEqual(width);
        expect(await faintTexts(page), where).toEqual([]);
        expect(await smallTargets(page), where).toEqual([]);
      }
  });

  it('shows what every word of the filter is in, in the text and in the contents, and everything again', async () => {
    await read();
    const all = await operations().count();
    await filter().fill('POST  recurring');
    await visit.page
      .getByRole('status')
      .filter({ hasText: `of ${all} operations` })
      .waitFor();
    expect(await operations().count()).toBeGreaterThan(3);
    for (const operation of await operations().all()) {
      expect(await operation.getAttribute('data-find')).toMatch(/(?=.*\bpost\b)(?=.*recurring)/s);
    }
    expect(await contents().getByRole('listitem').filter({ visible: true }).count()).toBe(
      await operations().count(),
    );
    expect(
      await visit.page.getByRole('heading', { level: 2 }).filter({ visible: true }).first().innerText(),
    ).not.toBe('Accounts');
    await filter().fill('dayOfMonth');
    await visit.page.locator('#shape-IntervalMonth').waitFor();
    await visit.page.locator('#createRecurringTask').waitFor();
    expect(await visit.page.locator('#createTask').isVisible()).toBe(false);
    expect(await visit.page.locator('#errors').isVisible()).toBe(false);
    await filter().fill('no such thing');
    await visit.page.getByText(`0 of ${all} operations`).waitFor();
    await filter().press('Escape');
    await expect.poll(() => operations().count()).toBe(all);
    expect(await visit.page.getByRole('status').innerText()).toBe('');
  });

  it('leads from the contents to an operation, beside the text where there is room', async () => {
    await read({ width: 1280, height: 800 });
    expect(await visit.page.getByRole('button', { name: 'Contents' }).isVisible()).toBe(false);
    await contents().getByRole('link', { name: 'Search the tasks' }).click();
    await visit.page.waitForURL(/#searchTasks$/);
    await expect.poll(() => visit.page.locator('#searchTasks').evaluate(topOf)).toBeLessThan(120);
  });

  it('keeps the contents behind a button on a phone, and works by keyboard alone', async () => {
    await read(PHONE);
    expect(await contents().isVisible()).toBe(false);
    const { keyboard } = visit.page;
    await keyboard.press('Tab');
    expect(await visit.page.locator(':focus').innerText()).toBe('Skip the contents');
    for (let pressed = 0; pressed < 3; pressed += 1) await keyboard.press('Tab');
    expect(await visit.page.locator(':focus').innerText()).toBe('Contents');
    await keyboard.press('Enter');
    await contents().waitFor();
    await takePicture('contents-360');
    await keyboard.press('Escape');
    await contents().waitFor({ state: 'hidden' });
    await keyboard.press('Enter');
    await contents().getByRole('link', { name: 'Create a task' }).press('Enter');
    await contents().waitFor({ state: 'hidden' });
    await visit.page.waitForURL(/#createTask$/);
    await expect.poll(() => visit.page.locator('#createTask').evaluate(topOf)).toBeLessThan(120);
  });

  it.each([1280, 360])('shows whole code blocks at %i pixels, which a button copies', async (width) => {
    await read({ width, height: 800 });
    const article = visit.page.locator('#createRecurringTask');
    await article.scrollIntoViewIfNeeded();
    const block = article.locator('pre').first();
    const [shown, whole] = await block.evaluate(({ clientHeight, scrollHeight }) => [
      clientHeight,
      scrollHeight,
    ]);
    expect(shown).toBe(whole);
    await takePicture(`code-${width}`, article);
    await article.getByRole('button', { name: 'Copy' }).first().click();
    await article.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await visit.page.evaluate('navigator.clipboard.readText()');
    expect(copied).toMatch(/^curl -X POST "http[^ ]*\/recurring-tasks" \\\n/);
  });

  it('is whole without JavaScript, but for the filter', async () => {
    const scriptless = await startVisit(browser, world.app, { javaScriptEnabled: false, viewport: PHONE });
    await scriptless.follow(DOCS);
    expect(await filter(scriptless).isVisible()).toBe(false);
    await scriptless.page.getByRole('button', { name: 'Contents' }).click();
    await contents(scriptless).getByRole('link', { name: 'Create a task' }).waitFor();
    expect(await operations(scriptless).count()).toBeGreaterThan(50);
    await scriptless.end();
  });

  it('works behind a proxy that serves it under a path of its own', async () => {
    const { app } = world;
    const proxied = new Hono().mount('/work', (request, bindings) => app.fetch(request, bindings));
    visit.serve(proxied as unknown as App);
    onTestFinished(() => visit.serve(app));
    await read(undefined, `/work${DOCS}`);
    await filter().fill('search');
    await visit.page.getByRole('status').filter({ hasText: 'operations' }).waitFor();
    await visit.page
      .getByRole('link', { name: 'The same as an OpenAPI document' })
      .waitFor({ state: 'hidden' });
    expect(await visit.page.getByRole('link', { name: 'Search the tasks' }).first().isVisible()).toBe(true);
  });

  it('is reached from the first page of a server without the browser client', async () => {
    await world.close();
    world = await openWorld({ settings: { web: { enabled: false } } });
    visit.serve(world.app);
    await read(undefined, '/');
    await visit.page.getByRole('link', { name: 'How the API works' }).click();
    await visit.page.getByRole('heading', { name: 'Errand API' }).waitFor();
  });
});

const topOf = (element: unknown): number =>
  (element as { getBoundingClientRect(): { top: number } }).getBoundingClientRect().top;
