import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { joined } from '../people.ts';
import { signedInAs, studio, useStudio, world } from './studio.ts';
import { browser, DESKTOP, goTo, isReady, painted, startVisit, type Visit } from './visit.ts';

/** A title that needs more room than there is. */
const LONG = 'Decide about the archive of the newsletter '.repeat(10).trim();

let visit: Visit;
let page: Page;
let list: string;

useStudio();
beforeAll(async () => {
  const within = `/workspaces/${studio.workspaceId}`;
  await studio.call('PATCH', '/me', { preferences: { welcomed: true } });
  const labelIds: string[] = [];
  for (let index = 0; index < 12; index += 1) {
    const { body } = await studio.call('POST', `${within}/labels`, { title: `For the whole team ${index}` });
    labelIds.push((body as { id: string }).id);
  }
  const ids: string[] = [];
  for (let index = 0; index < 18; index += 1) {
    const { id } = await joined(world, studio.mara, studio.workspaceId, 'member', `Member ${index + 10}`);
    ids.push(id);
  }
  await studio.call('POST', `${within}/tasks`, {
    listId: studio.listIds.website,
    title: LONG,
    priority: 'high',
    dueDay: '2025-09-30',
    assigneeId: ids[13],
    labelIds,
    checklist: Array.from({ length: 100 }, (_, index) => ({ title: `Letter ${index}` })),
  });
  list = `/w/${studio.workspaceId}/lists/${studio.listIds.website}`;
  visit = await startVisit(browser, signedInAs(world.app, studio.mara), DESKTOP);
  page = visit.page;
  await page.goto(`${visit.origin}/app/lists`);
  await isReady(page);
});
afterAll(() => visit.end());

const boxOf = async (one: Locator) => {
  const box = await one.boundingBox();
  if (!box) throw new Error('Not to be seen');
  return {
    ...box,
    right: box.x + box.width,
    middle: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
  };
};
const tools = () => page.locator('.head .tools');
const row = (title: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: title });

describe('1280 pixels wide', () => {
  beforeEach(() => goTo(page, list));

  it('what is pressed looks unlike what is pointed at', async () => {
    const filter = tools().getByRole('button', { name: 'Filter' });
    const ground = () =>
      filter.evaluate(
        (element) => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor,
      );
    await filter.hover();
    const pointedAt = await ground();
    await page.mouse.down();
    await expect.poll(ground).not.toBe(pointedAt);
    await page.mouse.move(640, 700);
    await page.mouse.up();
  });

  it('a menu without room to its right ends where its button does', async () => {
    const more = tools().getByRole('button', { name: 'More' });
    await more.click();
    const [menu, button] = [await boxOf(page.getByRole('menu')), await boxOf(more)];
    expect(Math.abs(menu.right - button.right)).toBeLessThanOrEqual(1);
    await page.keyboard.press('Escape');
  });

  it('a long choice opens with what stands around the chosen one', async () => {
    await row(LONG).locator('a.title').focus();
    await page.keyboard.press('a');
    const options = page.getByRole('listbox');
    const [all, chosen] = [
      await boxOf(options),
      await boxOf(options.getByRole('option', { name: 'Member 23' })),
    ];
    expect(chosen.y - all.y).toBeGreaterThan(2 * chosen.height);
    expect(all.y + all.height - chosen.y).toBeGreaterThan(3 * chosen.height);
    await page.keyboard.press('Escape');
  });

  it('the last column of a board ends where the tools do', async () => {
    await goTo(page, `${list}?view=board`);
    const plus = page.locator('.column').last().locator('.group-head svg').last();
    const [made, tool] = [await boxOf(plus), await boxOf(tools().locator('button svg').last())];
    expect(Math.abs(made.right - tool.right)).toBeLessThanOrEqual(1);
  });

  it('the arrows of a month stand above its last two days', async () => {
    await page.getByRole('main').locator('a.title').first().focus();
    await page.keyboard.press('d');
    const grid = page.locator('.day-grid');
    await grid.waitFor();
    for (const [name, at] of [
      ['Month before', 5],
      ['Month after', 6],
    ] as const) {
      const [arrow, day] = [
        await boxOf(grid.getByRole('button', { name, includeHidden: true })),
        await boxOf(grid.locator('.days > *').nth(at)),
      ];
      expect(Math.abs(arrow.middle.x - day.middle.x), name).toBeLessThanOrEqual(1);
    }
    await page.keyboard.press('Escape');
  });

  it('a title stands in the middle of its row, also with the lines of another style', async () => {
    await page.evaluate(`(() => {
      const wide = new CSSStyleSheet();
      wide.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important }');
      document.adoptedStyleSheets = [wide];
    })()`);
    const apart = await page.evaluate<number>(`(() => {
      const title = document.querySelector('[data-task="${studio.taskIds.domain}"] a.title');
      const words = document.createRange();
      words.selectNodeContents(title);
      const [one, other] = [words, title.closest('li')].map((part) => part.getBoundingClientRect());
      return (one.top + one.bottom - other.top - other.bottom) / 2;
    })()`);
    expect(Math.abs(apart)).toBeLessThanOrEqual(1.5);
    await page.evaluate('document.adoptedStyleSheets = []');
  });

  it('marks what is understood in quick add also with forced colours', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await page.keyboard.press('c');
    await page.keyboard.type('Call Ada tomorrow p1 ');
    const mark = page.getByRole('dialog').locator('mark').first();
    await mark.waitFor();
    const line = await mark.evaluate(
      (element) => element.ownerDocument.defaultView?.getComputedStyle(element).textDecorationLine,
    );
    expect(line).toBe('underline');
    await page.getByRole('dialog').getByRole('textbox').fill('');
    await page.keyboard.press('Escape');
    await page.emulateMedia({ forcedColors: 'none' });
  });
});

describe('on a tablet', () => {
  afterEach(() => page.setViewportSize(DESKTOP.viewport));

  it('a title keeps room beside whatever else its row shows', async () => {
    await page.setViewportSize({ width: 1024, height: 768 });
    await goTo(page, list);
    await painted(page);
    const { width } = await boxOf(row(LONG).locator('a.title'));
    expect(width).toBeGreaterThanOrEqual(100);
  });
});

it('by touch, 768 pixels wide, the tools of a list beside a task stay within it', async () => {
  const tablet = await startVisit(browser, signedInAs(world.app, studio.mara), {
    viewport: { width: 768, height: 1024 },
    hasTouch: true,
    isMobile: true,
  });
  await tablet.page.goto(`${tablet.origin}/app/lists`);
  await isReady(tablet.page);
  for (const view of ['', '&view=board']) {
    await goTo(tablet.page, `${list}?task=${studio.taskIds.domain}${view}`);
    const main = await boxOf(tablet.page.getByRole('main'));
    const more = tablet.page.locator('.head .tools > *:visible');
    for (const tool of await more.all())
      expect((await boxOf(tool)).right, view).toBeLessThanOrEqual(main.right - 8);
  }
  await tablet.end();
});
