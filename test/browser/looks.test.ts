import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { as, homeOf } from '../people.ts';
import { openWorld, type World } from '../world.ts';
import { faintTexts, smallTargets } from './legibility.ts';
import { browser, painted, startVisit, useBrowser, type Visit } from './visit.ts';

/** Where pictures go, where someone wants them. */
const FOLDER = process.env.SCREENSHOTS;

/** Stands for the token of an invitation that can be accepted. */
const INVITATION = 'INVITATION';

/** Each look: where, and what to press there. */
const LOOKS: Record<string, { path: string; press?: string; words?: string }> = {
  'first-page': { path: '/' },
  'confirm-signup': { path: '/confirm-signup#token=abc' },
  'reset-password': { path: '/reset-password#token=abc' },
  'reset-password-rejected': {
    path: '/reset-password#token=abc',
    press: 'Set password',
    words: 'at least 8 characters',
  },
  'confirm-email': { path: '/confirm-email#token=abc' },
  'keep-email': { path: '/keep-email#token=abc' },
  'accept-invitation': { path: `/accept-invitation#token=${INVITATION}`, words: 'Olga invites you' },
  'accept-invitation-dead': { path: '/accept-invitation#token=abc', words: 'does not work any more' },
  'accept-invitation-rejected': {
    path: `/accept-invitation#token=${INVITATION}`,
    press: 'Accept',
    words: 'Name must be 1 to 200 characters',
  },
  missing: { path: '/confirm-email' },
  dead: { path: '/confirm-email#token=abc', press: 'Confirm', words: 'does not work any more' },
};

let world: World;
let invitation: string;
useBrowser();
beforeAll(async () => {
  if (FOLDER) mkdirSync(FOLDER, { recursive: true });
  world = await openWorld({ settings: { web: { enabled: false } } });
  const olga = await world.signUp('olga@example.com', 'Olga');
  const path = `/workspaces/${await homeOf(world, olga)}/invitations`;
  await as(world, olga)('POST', path, { email: 'ada@example.com', role: 'member' });
  invitation = (await world.mailTo('ada@example.com')).token ?? '';
});
afterAll(() => world.close());

it('every page fits and can be read, in both themes, 320 and 1280 pixels wide', async () => {
  const visit = await startVisit(browser, world.app);
  const { page } = visit;
  for (const [name, look] of Object.entries(LOOKS)) {
    await arrive(visit, look);
    for (const width of [320, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        const where = `${name}-${colorScheme}-${width}`;
        await page.setViewportSize({ width, height: 720 });
        await page.emulateMedia({ colorScheme });
        await painted(page);
        if (FOLDER) await page.screenshot({ path: join(FOLDER, `${where}.png`), fullPage: true });
        expect(await page.evaluate('document.documentElement.scrollWidth'), where).toBeLessThanOrEqual(width);
        expect(await faintTexts(page), where).toEqual([]);
        expect(await smallTargets(page), where).toEqual([]);
      }
  }
  await visit.end();
});

async function arrive({ page, follow }: Visit, { path, press, words }: (typeof LOOKS)[string]) {
  await page.goto('about:blank');
  await follow(path.replace(INVITATION, invitation));
  if (press !== undefined) await page.getByText(press, { exact: true }).click();
  if (words !== undefined) await page.getByText(words).filter({ visible: true }).first().waitFor();
}
