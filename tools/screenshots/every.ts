// Every screen as a picture, to be looked at: both themes, 360, 768 and 1280 px, with real content and with cruel.
// `npx node tools/screenshots/every.ts FOLDER [SCREEN…]`

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { buildWeb } from '../../src/web/build.mjs';
import { signedInAs } from '../../test/browser/studio.ts';
import { launchBrowser, startVisit } from '../../test/browser/visit.ts';
import { openWorld } from '../../test/world.ts';
import { type Content, fill, NOW, ZONE } from './content.ts';
import { fillCruelly } from './cruel.ts';

/** Until rows, counts and lazy parts are there. */
const SETTLE_MS = 500;
const HEIGHTS = { 360: 740, 768: 900, 1280: 800 };

interface Screen {
  /** Below `/app`, with `{w}`, `{list}` and `{task}`. */
  address: string;
  /** What is done before it is taken. */
  before?(page: Page): Promise<void>;
}

const shown = (page: Page) => page.locator('dialog[open], :popover-open').first().waitFor();
const press = (key: string, text?: string) => async (page: Page) => {
  await page.keyboard.press(key);
  await shown(page);
  if (text) await page.keyboard.type(text);
};
/** Presses a key on the first row. */
const onRow = (key: string) => async (page: Page) => {
  await page.getByRole('main').locator('a.title').first().focus();
  await press(key)(page);
};
const click = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await shown(page);
};

const LIST = '/w/{w}/lists/{list}';
/** An export with mistakes, of an ordinary workspace and of one with a title of one long word. */
const BROKEN = JSON.stringify({
  formatVersion: 2,
  workspaces: [
    {
      title: 'Household',
      statusTemplates: [],
      tasks: [{ title: 'Paint the fence', comments: [{ body: ' ' }] }, { title: 7 }, { title: 'مراجعة عقد' }],
      recurringTasks: [{ title: 'Water the plants' }],
    },
    { title: 'W'.repeat(100), statusTemplates: [], labels: [{ title: 'W'.repeat(200) }] },
  ],
});
const SETTINGS = ['general', 'spaces', 'statuses', 'labels', 'people'].map(
  (name) => [name, { address: `/w/{w}/settings/${name}` }] as const,
);
const ACCOUNT = ['profile', 'security', 'tokens', 'data'].map(
  (name) => [name, { address: `/settings/${name}` }] as const,
);
const KEYS: Record<string, string> = {
  'row-menu': '.',
  status: 's',
  priority: 'p',
  assignee: 'a',
  'labels-of-a-task': 'l',
  'move-to': 'm',
  due: 'd',
  repeat: 'r',
};

const SCREENS: Record<string, Screen> = {
  today: { address: '/today' },
  upcoming: { address: '/upcoming' },
  mine: { address: '/mine' },
  inbox: { address: '/w/{w}/inbox' },
  list: { address: LIST },
  grouped: { address: `${LIST}?group=assignee&sort=due` },
  'filtered-out': { address: `${LIST}?due=overdue&priority=low&assignee=none` },
  board: { address: `${LIST}?view=board` },
  'calendar-of-a-list': { address: `${LIST}?view=calendar` },
  month: { address: '/w/{w}/calendar' },
  week: { address: '/w/{w}/calendar?week=2026-W48' },
  panel: { address: `${LIST}?task={task}` },
  task: { address: '/w/{w}/tasks/{task}' },
  'quick-add': { address: '/today', before: press('c', 'Call Ada fri 15:00 p1 every month ') },
  completion: { address: LIST, before: press('c', 'Call Ada fri 15:00 *l') },
  commands: { address: '/today', before: press('Control+k') },
  found: { address: '/today', before: press('Control+k', 're') },
  keys: { address: '/today', before: press('?') },
  filter: { address: LIST, before: click('Filter') },
  display: { address: LIST, before: click('Display') },
  selection: {
    address: LIST,
    before: async (page) => {
      await page.getByRole('main').locator('a.title').first().focus();
      for (const key of ['x', 'Shift+ArrowDown']) await page.keyboard.press(key);
    },
  },
  search: { address: '/w/{w}/search?q=le' },
  'search-none': { address: '/w/{w}/search?q=zzqx' },
  recurring: { address: '/w/{w}/recurring' },
  series: { address: '/w/{w}/recurring', before: click('Edit') },
  trash: { address: '/w/{w}/trash' },
  notifications: { address: '/notifications' },
  'comment-told-of': {
    address: '/notifications',
    before: async (page) => {
      await page.getByRole('link', { name: 'comment' }).first().click();
      await page.locator('.comment:focus').waitFor();
    },
  },
  lists: { address: '/lists' },
  me: { address: '/me' },
  settings: { address: '/settings' },
  'not-found': { address: '/nowhere' },
  ...Object.fromEntries(
    Object.entries(KEYS).map(([name, key]) => [name, { address: LIST, before: onRow(key) }]),
  ),
  'broken-import': {
    address: '/settings/data',
    before: async (page) => {
      const file = { name: 'errand.json', mimeType: 'application/json', buffer: Buffer.from(BROKEN) };
      await page.getByLabel('Exported document').setInputFiles(file);
      await page.getByRole('region', { name: 'Import' }).getByRole('listitem').first().waitFor();
    },
  },
  'due-in-words': {
    address: LIST,
    before: async (page) => {
      await onRow('d')(page);
      await page.getByLabel('In words').fill('next week 15:00');
    },
  },
  ...Object.fromEntries([...SETTINGS, ...ACCOUNT]),
};

const addressOf = ({ address }: Screen, { workspaceId, listIds, taskIds }: Content): string =>
  address
    .replace('{w}', workspaceId)
    .replace('{list}', listIds['Website relaunch'] ?? '')
    .replace('{task}', taskIds.notes ?? '');

const [folder, ...names] = process.argv.slice(2);
if (!folder) throw new Error('Which folder?');
mkdirSync(folder, { recursive: true });
await buildWeb();
const browser = await launchBrowser();
for (const [kind, make] of Object.entries({ real: fill, cruel: fillCruelly })) {
  const world = await openWorld({ start: NOW });
  const content = await make(world);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of Object.entries(HEIGHTS)) {
      const isPhone = Number(width) < 768;
      const { page, origin, end } = await startVisit(browser, signedInAs(world.app, content.mara), {
        viewport: { width: Number(width), height },
        colorScheme,
        isMobile: isPhone,
        hasTouch: isPhone,
        timezoneId: ZONE,
      });
      await page.clock.setFixedTime(NOW);
      for (const [name, screen] of Object.entries(SCREENS)) {
        if (names.length > 0 && !names.includes(name)) continue;
        const path = join(folder, `${name}-${kind}-${colorScheme}-${width}.png`);
        await page.goto(`${origin}/app${addressOf(screen, content)}`);
        await page.locator('main:not([aria-busy="true"]):visible').first().waitFor();
        await page.waitForTimeout(SETTLE_MS);
        await screen.before?.(page);
        await page.waitForTimeout(SETTLE_MS);
        await page.screenshot({ path, animations: 'disabled' });
        console.log(path);
      }
      await end();
    }
  }
  await world.close();
}
await browser.close();
