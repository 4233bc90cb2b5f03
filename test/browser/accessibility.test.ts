import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './accessibility.ts';
import { signedInAs, studio, useStudio, world } from './studio.ts';
import { browser, goTo, isReady, startVisit, type Visit } from './visit.ts';

let visit: Visit;

useStudio();

/** All screens are looked at in one document. */
const begin = async () => {
  visit = await startVisit(browser, signedInAs(world.app, studio.mara));
  await visit.page.goto(`${visit.origin}/app/lists`);
  await isReady(visit.page);
};
const resize = (width: number) => visit.page.setViewportSize({ width, height: 800 });

const WIDTHS = [1280, 320];
const ADDRESSES = [
  '/today',
  '/today?task={task}',
  '/upcoming',
  '/mine',
  '/w/{w}/inbox?due=any&status=open',
  '/w/{w}/lists/{list}',
  '/w/{w}/lists/{list}?view=board',
  '/w/{w}/lists/{list}?view=calendar',
  '/w/{w}/calendar',
  '/w/{w}/tasks/{task}',
  '/w/{w}/recurring',
  '/w/{w}/search?q=lease',
  '/w/{w}/trash',
  '/notifications',
  ...['general', 'spaces', 'statuses', 'labels', 'people'].map((name) => `/w/{w}/settings/${name}`),
  ...['profile', 'security', 'tokens', 'data'].map((name) => `/settings/${name}`),
  '/settings',
  '/nowhere',
];
const filled = (address: string): string => {
  const ids: Record<string, string | undefined> = {
    w: studio.workspaceId,
    list: studio.listIds.website,
    task: studio.taskIds.copy,
  };
  return address.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
};

describe('every screen, in both themes, 320 and 1280 px wide,', () => {
  beforeAll(begin);
  afterAll(() => visit.end());

  it.each(ADDRESSES)('has no violation that axe finds, and fits: %s', async (address) => {
    const { page } = visit;
    await resize(1280);
    await goTo(page, filled(address));
    const found: string[] = [];
    for (const width of WIDTHS) {
      await resize(width);
      await isReady(page);
      for (const violation of await violations(page)) found.push(`${width} ${violation}`);
      const isWide = await page.evaluate<boolean>(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      );
      if (isWide) found.push(`${width} scrolls sideways`);
    }
    expect(found).toEqual([]);
  });
});
