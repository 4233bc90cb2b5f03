import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { addMember, as, homeOf, joined, openHome } from '../people.ts';
import type { Person, World } from '../world.ts';
import { signedInAs } from './studio.ts';
import { DESKTOP, isNoted, painted, useVisit, visit } from './visit.ts';

let world: World;
let ada: Person;
let bob: Person;
let adas: string;
let list: { id: string };
let bobs: string;
let page: Page;

useVisit(DESKTOP);
beforeEach(async () => {
  page = visit.page;
  ({ world, ada, home: adas, list } = await openHome({ start: Date.now() - 60_000 }));
  world.clock.advance(60_000);
  bob = await joined(world, ada, adas, 'member', 'Bob');
  bobs = await homeOf(world, bob);
  visit.serve(signedInAs(world.app, bob));
});

const main = () => page.getByRole('navigation', { name: 'Main' });
const open = async (address: string) => {
  await page.goto(`${visit.origin}/app${address}`);
  await main().getByRole('status').filter({ hasText: 'Synced' }).waitFor();
};
const isChosen = (title: string) => main().getByRole('button', { name: title, exact: true }).waitFor();

describe('of several workspaces', () => {
  it('one’s own comes first, with the examples, also where another is older', async () => {
    await open('/today');
    await isChosen("Bob's workspace");
    await main().getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('region', { name: 'Examples' }).waitFor();
    expect(page.url()).toBe(`${visit.origin}/app/w/${bobs}/inbox`);
  });

  it('the one shown last stays on screens of all of them, and is remembered', async () => {
    await open(`/w/${adas}/today`);
    await isChosen("Ada's workspace");
    await main().getByRole('link', { name: 'Today' }).click();
    await page.waitForURL(`${visit.origin}/app/today`);
    await isChosen("Ada's workspace");
    await isNoted(page, bob.id, 'workspace', adas);
    await open('/upcoming');
    await isChosen("Ada's workspace");
    await main().getByRole('button', { name: "Ada's workspace" }).click();
    await page.getByRole('menuitemradio', { name: "Bob's workspace" }).click();
    await isChosen("Bob's workspace");
    await isNoted(page, bob.id, 'workspace', bobs);
    await open('/mine');
    await isChosen("Bob's workspace");
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search commands, lists and tasks' }).fill('switch to ada');
    await page.getByRole('option', { name: /^Switch to Ada/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await isChosen("Ada's workspace");
  });

  it('the search says in which one it looked, and leads to the others with its words', async () => {
    await as(world, ada)('POST', `/workspaces/${adas}/tasks`, { listId: list.id, title: 'Feed the quokka' });
    await open(`/w/${bobs}/search`);
    await page.getByRole('searchbox').fill('quokka');
    await page.getByText("No task in “Bob's workspace” has these words.").waitFor();
    await page.getByRole('link', { name: "Search “Ada's workspace”" }).click();
    await page.getByRole('main').getByRole('link', { name: 'Feed the quokka' }).waitFor();
    expect(page.url()).toBe(`${visit.origin}/app/w/${adas}/search?q=quokka`);
    await page.getByRole('link', { name: "Search “Bob's workspace”" }).waitFor();
  });

  it('a new task says into which one it goes, on a screen of all of them', async () => {
    await open('/today');
    await page.keyboard.press('c');
    const understood = page.getByRole('group', { name: 'Understood' });
    await understood.getByText("Tasks · Bob's workspace", { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await open(`/w/${bobs}/today`);
    await page.keyboard.press('c');
    await understood.getByText('Tasks', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('each row says which is meant, where a screen of days shows tasks of more than one', async () => {
    for (const [w, title] of [
      [adas, 'For Ada'],
      [bobs, 'For Bob'],
    ] as const) {
      const { items } = (await as(world, bob)('GET', `/workspaces/${w}/lists`)).body;
      const fields = { listId: items[0].id, title, assigneeId: bob.id };
      await as(world, bob)('POST', `/workspaces/${w}/tasks`, {
        ...fields,
        dueDate: new Date(world.clock.now() + 86_400_000).toISOString(),
      });
    }
    const textOf = (title: string) =>
      page
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: title, exact: true }) })
        .textContent();
    for (const screen of ['today', 'upcoming', 'mine']) {
      await open(`/${screen}`);
      expect(await textOf('For Ada'), screen).toContain("Tasks · Ada's workspace");
      expect(await textOf('For Bob'), screen).toContain("Tasks · Bob's workspace");
      await open(`/w/${adas}/${screen}`);
      expect(await textOf('For Ada'), screen).not.toContain('workspace');
    }
  });

  it('each row names its list where there is little room too, and the workspace only beside another', async () => {
    const add = async (w: string) => {
      const { items } = (await as(world, bob)('GET', `/workspaces/${w}/lists`)).body;
      const fields = { listId: items[0].id, title: 'Call the lawyer about the lease', assigneeId: bob.id };
      await as(world, bob)('POST', `/workspaces/${w}/tasks`, fields);
    };
    const rows = page.getByRole('main').getByRole('listitem');
    const widthOf = async (text: string) => (await rows.getByText(text).boundingBox())?.width ?? 0;
    await add(adas);
    await open('/mine');
    for (const width of [360, 640, 768, 1024]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await widthOf('Tasks'), `${width}`).toBeGreaterThan(20);
      expect(await rows.getByText("Ada's workspace").count()).toBe(0);
    }
    await add(bobs);
    await rows.nth(1).waitFor();
    for (const width of [360, 640, 768, 1024]) {
      await page.setViewportSize({ width, height: 800 });
      for (const text of ["Ada's workspace", "Bob's workspace"])
        expect(await widthOf(text), `${width}`).toBeGreaterThan(40);
    }
    await page.setViewportSize(DESKTOP.viewport);
  });

  it('one that was joined elsewhere is not called missing by a link into it', async () => {
    await open('/today');
    await page.goto('about:blank');
    const eve = await world.signUp('eve@example.com', 'Eve');
    const eves = await homeOf(world, eve);
    await addMember(world, eve, eves, bob, 'member');
    await page.addInitScript(`
      globalThis.headings = new Set();
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll('h1')) headings.add(textContent);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    `);
    await open(`/w/${eves}/today`);
    await isChosen("Eve's workspace");
    expect(await page.evaluate('[...headings]')).toEqual(['Today']);
    await page.goto(`${visit.origin}/app/w/019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f/today`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  });

  it('one that is made is shown once it is there, and has the focus', async () => {
    await open('/today');
    const { promise: held, resolve: letThrough } = Promise.withResolvers<void>();
    await page.route('**/changes?**', async (route) => {
      await held;
      await route.continue();
    });
    await main().getByRole('button', { name: "Bob's workspace" }).click();
    await page.getByRole('menuitem', { name: 'New workspace' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Choir');
    const asked = page.waitForRequest('**/changes?**');
    await page.keyboard.press('Enter');
    await asked;
    await painted(page);
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Today']);
    letThrough();
    await page.getByRole('heading', { level: 1, name: 'Spaces and lists' }).waitFor();
    await expect.poll(() => page.locator('h1:focus').count()).toBe(1);
  });

  it('none is left of them to who leaves and deletes theirs, and a new one can be made', async () => {
    await as(world, bob)('DELETE', `/workspaces/${adas}/members/${bob.id}`);
    await open(`/w/${bobs}/settings/general`);
    await page.getByRole('button', { name: 'Delete workspace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete workspace' }).click();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await main().getByRole('status').filter({ hasText: 'Synced' }).waitFor();
    await page.getByText('Nothing is due').waitFor();
    await page.reload();
    await page.getByText('Nothing is due').waitFor();
    await main().getByRole('button', { name: 'Errand', exact: true }).click();
    await page.getByRole('menuitem', { name: 'New workspace' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Choir');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Spaces and lists' }).waitFor();
    await isChosen('Choir');
  });

  it('one that is lost is not found in a tab either that another one leads, and gives typed text back once', async () => {
    const fields = { listId: list.id, title: 'First' };
    const { body } = await as(world, ada)('POST', `/workspaces/${adas}/tasks`, fields);
    await open('/today');
    const later = await page.context().newPage();
    await later.goto(`${visit.origin}/app/w/${adas}/inbox?task=${body.id}`);
    await later.getByLabel('Description').fill('With care');
    await as(world, ada)('DELETE', `/workspaces/${adas}/members/${bob.id}`);
    await later.getByRole('heading', { level: 1, name: 'Not found' }).waitFor({ timeout: 15_000 });
    await later
      .getByText('Not saved: Changed the description of “First”. You are no longer a member')
      .waitFor();
  });

  it('one that is lost takes its changes and the open task along, and says so once', async () => {
    const fields = { listId: list.id, title: 'First' };
    const { body } = await as(world, ada)('POST', `/workspaces/${adas}/tasks`, fields);
    await open(`/w/${adas}/inbox?task=${body.id}`);
    await page.getByRole('complementary', { name: 'First' }).waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Quick add').fill('Too late');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await as(world, ada)('DELETE', `/workspaces/${adas}/members/${bob.id}`);
    await page.context().setOffline(false);
    await page.getByText('Not saved: Added “Too late”. You are no longer a member').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await isChosen("Bob's workspace");
    await painted(page);
    expect(await page.getByRole('complementary').count()).toBe(0);
  });
});
