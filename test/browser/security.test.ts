import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { signedInAs, studio, useStudio, world } from './studio.ts';
import { browser, goTo, painted, startVisit } from './visit.ts';

const MARKUP = '<img src=x onerror="window.taken=1"><script>window.taken=1</script>';
const HOSTILE = `${MARKUP} \u202egnp.exe {{7*7}} ${'w'.repeat(300)}`;
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 360, height: 740 };
const LINKS = `javascript:window.taken=1 [a](javascript:window.taken=1) data:text/html,x java\tscript:x
  &#106;avascript:x errand:user/x ![i](https://evil.example/i.png) https://good.example/x`;

const addresses: string[] = [];

useStudio();
beforeAll(async () => {
  const { call, workspaceId } = studio;
  const inside = `/workspaces/${workspaceId}`;
  const make = async (path: string, body: object) => {
    const made = await call('POST', `${inside}/${path}`, body);
    expect([path, made.status]).toEqual([path, 201]);
    return made.body as { id: string; statuses: { title: string }[] };
  };
  const short = HOSTILE.slice(0, 100);
  await call('PATCH', inside, { title: short });
  await call('PATCH', '/me', { name: short });
  const spaceId = (await make('spaces', { title: HOSTILE })).id;
  const { id: listId } = await make('lists', { spaceId, title: HOSTILE });
  const label = await make('labels', { title: short });
  await make('status-templates', {
    title: HOSTILE,
    statuses: [
      { title: short, type: 'unstarted' },
      { title: 'Done', type: 'completed' },
    ],
  });
  const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'UTC' };
  await make('recurring-tasks', { title: HOSTILE, listId, interval });
  const task = await make('tasks', {
    title: HOSTILE,
    listId,
    description: LINKS,
    labelIds: [label.id],
    dueDay: new Date(world.clock.now()).toISOString().slice(0, 10),
    assigneeId: studio.mara.id,
    checklist: [{ title: HOSTILE }],
  });
  await make(`tasks/${task.id}/comments`, { body: `${HOSTILE} ${LINKS}` });
  const gone = await make('tasks', { title: HOSTILE, listId });
  await call('DELETE', `${inside}/tasks/${gone.id}`);
  await call('POST', '/me/tokens', { title: short, role: 'viewer', workspaceIds: null });
  const { email, password } = studio.mara;
  const headers = { 'User-Agent': MARKUP };
  await world.call('POST', '/auth/login', { body: { email, password }, headers });
  const w = `/w/${workspaceId}`;
  addresses.push('/today', '/lists', '/me', `${w}/lists/${listId}`, `${w}/lists/${listId}?view=board`);
  addresses.push(
    `${w}/tasks/${task.id}`,
    `${w}/recurring`,
    `${w}/trash`,
    `${w}/calendar`,
    `${w}/search?q=img`,
  );
  addresses.push(
    ...['general', 'spaces', 'statuses', 'labels', 'people'].map((one) => `${w}/settings/${one}`),
  );
  addresses.push('/settings/profile', '/settings/security', '/settings/tokens', '/notifications');
});

/** Screens that show none of these texts, or in fields alone. */
const WITHOUT = /(me|general|profile|notifications)$/;

/** What a hostile text made of itself on this screen. */
const madeOf = (page: Page) =>
  page.evaluate<string[]>(`[
    ...(window.taken ? ['a script ran'] : []),
    ...[...document.querySelectorAll('img, [onerror], main script, iframe, object')].map((one) => one.outerHTML),
    ...[...document.querySelectorAll('a[href]')]
      .filter((a) => !/^(https?|mailto):$/.test(a.protocol))
      .map((a) => a.outerHTML),
    ...[...document.querySelectorAll('a[href]')]
      .filter((a) => a.protocol !== 'mailto:' && a.origin !== location.origin && !/noopener/.test(a.rel))
      .map((a) => a.outerHTML),
    ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the screen'] : []),
  ]`);

it('hostile texts are text on every screen: no element, script, remote request or violation', async () => {
  const visit = await startVisit(browser, signedInAs(world.app, studio.mara), {
    viewport: WIDE,
  });
  const { page, origin } = visit;
  await page.goto(`${origin}/app/upcoming`);
  for (const address of addresses) {
    await goTo(page, address);
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('status').filter({ hasText: 'Synced' }).waitFor();
    const text = page.getByRole('main').getByText('<img src=x').first();
    if (!WITHOUT.test(address)) await text.waitFor({ state: 'attached' });
    expect([address, await madeOf(page)]).toEqual([address, []]);
    await page.setViewportSize(NARROW);
    await painted(page);
    expect([address, await madeOf(page)]).toEqual([address, []]);
    await page.setViewportSize(WIDE);
  }
  await visit.end();
});
