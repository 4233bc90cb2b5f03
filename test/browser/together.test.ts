import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { as, joined, openHome } from '../people.ts';
import type { Person, World } from '../world.ts';
import { browser, DESKTOP, signInOn, synced, useVisit, visit } from './visit.ts';

let world: World;
let ada: Person;
let bob: Person;
let home: string;
let listId: string;
/** Browsers of others, beside the one of the visit. */
const devices: BrowserContext[] = [];

useVisit(DESKTOP);
beforeEach(async () => {
  ({ world, ada, home, listId } = await openHome({ start: Date.now() }));
  bob = await joined(world, ada, home, 'member', 'Bob');
  visit.serve(world.app);
});
afterEach(async () => {
  for (const device of devices.splice(0)) await device.close();
});

const asAda = (method: string, path: string, body?: object) => as(world, ada)(method, path, body);
const make = async (title: string): Promise<string> =>
  (await asAda('POST', `/workspaces/${home}/tasks`, { listId, title })).body.id;

/** Someone at an address of the client, in the browser of the visit or one of their own. */
async function at(person: Person, address: string, heading: string, page = visit.page): Promise<Page> {
  await signInOn(page.context(), visit.origin, person);
  await page.goto(`${visit.origin}/app${address}`);
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  await synced(page);
  return page;
}

const said = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();
const openRow = async (page: Page, title: string) => {
  await page.getByRole('main').getByRole('link', { name: title }).click();
  const panel = page.getByRole('complementary', { name: title });
  await panel.waitFor();
  return panel;
};
const choose = async (page: Page, field: RegExp, option: string) => {
  await page.getByRole('complementary').getByRole('button', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

describe('the palette', () => {
  it('finds what comes while it is open, and keeps what is chosen', async () => {
    const page = await at(ada, '/today', 'Today');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search commands, lists and tasks' });
    await field.fill('fence');
    await page.getByText('Nothing has these letters.').waitFor();
    await make('Oil the fence of the garden');
    const oil = page.getByRole('option', { name: 'Oil the fence of the garden' });
    await oil.waitFor();
    await page.keyboard.press('ArrowDown');
    await make('Fence');
    await page.getByRole('option', { name: /^Fence/ }).waitFor();
    expect(await oil.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Oil the fence of the garden' }).waitFor();
  });
});

describe('two people', () => {
  it('see what the other does, and end with the same when one was away', async () => {
    await make('Paint the fence');
    const list = `/w/${home}/lists/${listId}`;
    const device = await browser.newContext({ ...DESKTOP, serviceWorkers: 'block' });
    devices.push(device);
    const [one, other] = await Promise.all([
      at(ada, list, 'Tasks'),
      at(bob, list, 'Tasks', await device.newPage()),
    ]);
    await openRow(one, 'Paint the fence');
    const panel = await openRow(other, 'Paint the fence');
    await choose(one, /^Status/, 'In Progress');
    await panel.getByRole('button', { name: 'Status: In Progress' }).waitFor();
    // Choices are loaded when they are first asked for.
    await choose(other, /^Priority/, 'Medium');
    await synced(other);

    await other.context().setOffline(true);
    await choose(other, /^Priority/, 'High');
    await choose(other, /^Status/, 'Done');
    await choose(one, /^Priority/, 'Low');
    await one.getByRole('complementary').getByRole('button', { name: /^Due/ }).click();
    await one
      .getByRole('dialog', { name: 'Due' })
      .getByRole('button', { name: /^Tomorrow/ })
      .click();
    await synced(one);
    await other.context().setOffline(false);
    for (const page of [one, other]) {
      await synced(page);
      for (const field of ['Status: Done', 'Priority: High', /^Due: Tomorrow/])
        await page.getByRole('complementary').getByRole('button', { name: field }).waitFor();
    }
  });
});

describe('the comments of a task that is open', () => {
  const asBob = (body: string, id: string) =>
    as(world, bob)('POST', `/workspaces/${home}/tasks/${id}/comments`, { body });
  const comment = (page: Page, words: string) => page.getByRole('listitem').filter({ hasText: words });

  it('stay, and are followed by others, where something is read again as a whole', async () => {
    const id = await make('Paint the fence');
    await asBob('Which colour?', id);
    const { spaceId } = (await asAda('GET', `/workspaces/${home}/lists/${listId}`)).body;
    const other = await asAda('POST', `/workspaces/${home}/lists`, { title: 'Garden', spaceId });
    await asAda('DELETE', `/workspaces/${home}/lists/${other.body.id}`);
    const page = await at(ada, `/w/${home}/tasks/${id}`, 'Paint the fence');
    await comment(page, 'Which colour?').waitFor();
    await asAda('POST', `/workspaces/${home}/trash/${other.body.id}/restore`, {});
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Garden' }).waitFor();
    await asBob('Or brown?', id);
    await comment(page, 'Or brown?').waitFor();
    await comment(page, 'Which colour?').waitFor();
  });

  it('come once the server can be reached again', async () => {
    const id = await make('Paint the fence');
    await asBob('Which colour?', id);
    const page = await at(ada, `/w/${home}/lists/${listId}`, 'Tasks');
    await page.getByRole('main').getByRole('link', { name: 'Paint the fence' }).waitFor();
    await page.context().setOffline(true);
    const panel = await openRow(page, 'Paint the fence');
    await panel.getByText('Earlier comments are shown once the server can be reached.').waitFor();
    await page.context().setOffline(false);
    await comment(page, 'Which colour?').waitFor();
  });
});

describe('a comment that is typed', () => {
  const unsent = (page: Page) => page.getByRole('complementary').getByRole('group');
  const typed = async (name: string, words: string, begin = async (_page: Page) => {}) => {
    const id = await make('Paint the fence');
    const path = `/workspaces/${home}/tasks/${id}`;
    const { body } = await as(world, bob)('POST', `${path}/comments`, { body: 'Which colour?' });
    const page = await at(bob, `/w/${home}/lists/${listId}?task=${id}`, 'Tasks');
    await page.getByText('Which colour?').waitFor();
    await begin(page);
    await page.getByLabel(name, { exact: true }).fill(words);
    return { page, path, comment: `${path}/comments/${body.id}` };
  };

  it('is given back where its task is deleted elsewhere, until it is dropped', async () => {
    const { page, path } = await typed('Comment', 'Green, I think');
    await asAda('DELETE', path);
    await unsent(page).filter({ hasText: 'Green, I think' }).waitFor();
    await unsent(page).getByRole('button', { name: 'Drop' }).click();
    await unsent(page).waitFor({ state: 'detached' });
  });

  it('is given back to someone who becomes a viewer', async () => {
    const { page } = await typed('Comment', 'Green, I think');
    await asAda('PATCH', `/workspaces/${home}/members/${bob.id}`, { role: 'viewer' });
    await unsent(page).filter({ hasText: 'Green, I think' }).waitFor();
    await asAda('PATCH', `/workspaces/${home}/members/${bob.id}`, { role: 'member' });
    await unsent(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Comment', { exact: true }).inputValue()).toBe('Green, I think');
  });

  it('is given back to someone who is removed, and is told so', async () => {
    await asAda('PATCH', `/workspaces/${home}`, { title: 'Garden club' });
    const { page } = await typed('Comment', 'Green, I think');
    await asAda('DELETE', `/workspaces/${home}/members/${bob.id}`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await page.getByText('You are no longer a member of “Garden club”').waitFor();
    await page.getByRole('main').getByRole('group').filter({ hasText: 'Green, I think' }).waitFor();
  });

  it('is given back where the one that it changes is deleted elsewhere', async () => {
    const { page, comment } = await typed('Edit comment', 'Which shade of green?', async (page) => {
      await page.getByRole('region', { name: 'Comments' }).getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
    });
    expect((await asAda('DELETE', comment)).status).toBe(204);
    await unsent(page).filter({ hasText: 'Which shade of green?' }).waitFor();
  });
});

describe('what is typed by someone who becomes a viewer', () => {
  const becomesViewer = async (page: Page) => {
    await asAda('PATCH', `/workspaces/${home}/members/${bob.id}`, { role: 'viewer' });
    await page.getByRole('button', { name: 'New task' }).waitFor({ state: 'detached' });
  };

  it.each([
    ['Chromium', ''],
    ['Firefox and WebKit', "addEventListener('blur', (event) => event.stopImmediatePropagation(), true)"],
  ])('as a title is given back, from a row and from the panel, as %s tell of its end', async (_, script) => {
    await make('Paint the fence');
    const page = await at(bob, `/w/${home}/lists/${listId}`, 'Tasks');
    await page.evaluate(script);
    const rename = async (words: string) => {
      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'Title' }).fill(words);
      await becomesViewer(page);
      await said(page, 'Not saved: Renamed “Paint the fence”');
      await page.getByRole('button', { name: 'Waiting changes' }).click();
      const waiting = page.getByRole('dialog', { name: 'Waiting changes' });
      await waiting.getByText(words).waitFor();
      await waiting.getByRole('button', { name: 'Drop' }).click();
      await page.keyboard.press('Escape');
      await asAda('PATCH', `/workspaces/${home}/members/${bob.id}`, { role: 'member' });
      await page.getByRole('button', { name: 'New task' }).waitFor();
    };
    await page.getByRole('main').getByRole('link', { name: 'Paint the fence' }).focus();
    await rename('Paint the gate');
    await openRow(page, 'Paint the fence');
    await rename('Paint the shed');
  });

  it('stays in quick add, which says why', async () => {
    const page = await at(bob, `/w/${home}/lists/${listId}`, 'Tasks');
    await page.keyboard.press('c');
    const field = page.getByRole('textbox', { name: 'Quick add' });
    await field.fill('Paint the fence');
    await becomesViewer(page);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'You may only read this workspace.' }).waitFor();
    expect(await field.inputValue()).toBe('Paint the fence');
    await asAda('PATCH', `/workspaces/${home}/members/${bob.id}`, { role: 'member' });
    await page.getByRole('button', { name: 'New task' }).waitFor();
    await field.press('Enter');
    await said(page, 'Added “Paint the fence”');
  });
});

describe('notifications', () => {
  it('stay where they are read on, while others come', async () => {
    for (const part of [0, 1]) {
      const operations = Array.from({ length: 60 }, (_, i) => ({
        op: 'create',
        id: newId(world.clock.now() + 60 * part + i),
        listId,
        title: `Number ${60 * part + i}`,
        assigneeId: bob.id,
      }));
      await asAda('POST', `/workspaces/${home}/tasks/batch`, { operations });
    }
    const page = await at(bob, '/notifications', 'Notifications');
    const entries = page.getByRole('main').getByRole('listitem');
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(() => entries.count()).toBeGreaterThan(120);
    const count = await entries.count();
    const last = entries.last().getByRole('link');
    const words = await last.textContent();
    await last.focus();
    await asAda('POST', `/workspaces/${home}/tasks`, { listId, title: 'One more', assigneeId: bob.id });
    await expect.poll(() => entries.count()).toBe(count + 1);
    expect(await page.locator(':focus').textContent()).toBe(words);
  });
});

describe('a notification of a comment', () => {
  it('is the newest one of its task, also where it takes the place of an unread one', async () => {
    const comments = `/workspaces/${home}/tasks/${await make('Paint the fence')}/comments`;
    await as(world, bob)('POST', comments, { body: 'Which colour?' });
    const page = await at(ada, '/notifications', 'Notifications');
    const entry = page.getByRole('main').getByRole('link', { name: 'A task has a new comment' });
    await entry.waitFor();
    for (const body of ['Or brown?', 'Brown it is', 'Thanks']) {
      const { id } = (await as(world, bob)('POST', comments, { body })).body;
      await expect.poll(() => entry.getAttribute('href')).toContain(id);
    }
    expect(await entry.count()).toBe(1);
  });

  it('leads to the comment, which is in sight and has the focus', async () => {
    const comments = `/workspaces/${home}/tasks/${await make('Paint the fence')}/comments`;
    await as(world, bob)('POST', comments, { body: `See [@Ada](errand:user/${ada.id})` });
    for (let count = 1; count <= 30; count++) await asAda('POST', comments, { body: `Coat ${count}` });
    const page = await at(ada, '/notifications', 'Notifications');
    await page.getByRole('link', { name: 'You were mentioned in a comment' }).click();
    await page.getByRole('heading', { level: 1, name: 'Paint the fence' }).waitFor();
    const comment = page.getByRole('listitem').filter({ hasText: 'See @Ada' });
    await expect.poll(() => page.locator(':focus').innerText()).toContain('See @Ada');
    const { y = 0, height = 0 } = (await comment.boundingBox()) ?? {};
    const composer = await page.getByRole('textbox', { name: 'Comment' }).boundingBox();
    const bar = await page.getByRole('button', { name: 'More' }).first().boundingBox();
    expect(y).toBeGreaterThan((bar?.y ?? 0) + (bar?.height ?? 0));
    expect(y + height).toBeLessThan(composer?.y ?? 0);
  });
});

describe('a workspace', () => {
  it('is handed over by its owner, who stays as an admin', async () => {
    const page = await at(ada, `/w/${home}/settings/people`, 'People');
    await page.getByRole('button', { name: 'More for Bob' }).click();
    await page.getByRole('menuitem', { name: 'Hand over to them' }).click();
    const dialog = page.getByRole('dialog', { name: 'Hand over' });
    await dialog.getByLabel('Password').fill(ada.password);
    await dialog.getByRole('button', { name: 'Hand over' }).click();
    await said(page, 'Bob is the owner now');
    await page.getByRole('row', { name: /Bob/ }).getByText('Owner').waitFor();
    const { items } = (await asAda('GET', `/workspaces/${home}/members`)).body;
    expect(items.map(({ name, role }: Record<string, string>) => `${name}: ${role}`).sort()).toEqual([
      'Ada: admin',
      'Bob: owner',
    ]);
  });

  it('that is handed over elsewhere says so where that is being done as well', async () => {
    const page = await at(ada, `/w/${home}/settings/general`, 'General');
    await page.getByRole('button', { name: 'Hand over' }).click();
    const dialog = page.getByRole('dialog', { name: 'Hand over' });
    await dialog.getByLabel('Password').fill(ada.password);
    const handedOver = { role: 'owner', password: ada.password };
    expect((await asAda('PATCH', `/workspaces/${home}/members/${bob.id}`, handedOver)).status).toBe(200);
    await dialog.getByText('It was handed over meanwhile: you are not the owner any more.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('has a list that is deleted while someone looks at it in its trash, and says so', async () => {
    const { spaceId } = (await asAda('GET', `/workspaces/${home}/lists/${listId}`)).body;
    const { id } = (await asAda('POST', `/workspaces/${home}/lists`, { title: 'Garden', spaceId })).body;
    const page = await at(bob, `/w/${home}/lists/${id}`, 'Garden');
    await asAda('DELETE', `/workspaces/${home}/lists/${id}`);
    await page.getByText('This list is gone. Where it was deleted, the trash has it for a while.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('main').getByRole('listitem').filter({ hasText: 'Garden' }).waitFor();
  });

  it('has what was deleted in the trash, to be restored or deleted for good', async () => {
    const page = await at(ada, `/w/${home}/trash`, 'Trash');
    for (const title of ['Kept after all', 'Never again'])
      await asAda('DELETE', `/workspaces/${home}/tasks/${await make(title)}`);
    const entry = (title: string) => page.getByRole('listitem').filter({ hasText: title });
    const purge = new Date(world.clock.now() + 30 * 86_400_000);
    const month = purge.toLocaleDateString('en-US', { month: 'short', timeZone: 'UTC' });
    await entry('Never again')
      .filter({ hasText: `by Ada, kept until ${purge.getUTCDate()} ${month}` })
      .waitFor();
    const restore = async () => {
      await entry('Kept after all').getByRole('button', { name: 'Restore' }).click();
      await entry('Kept after all').waitFor({ state: 'detached' });
    };
    await restore();
    await page.getByRole('button', { name: 'Undo' }).click();
    await restore();
    await entry('Never again').getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await entry('Never again').waitFor({ state: 'detached' });
    await page.goto(`${visit.origin}/app/w/${home}/lists/${listId}`);
    await page.getByRole('link', { name: 'Kept after all' }).waitFor();
    expect((await asAda('GET', `/workspaces/${home}/trash`)).body.items).toEqual([]);
  });

  it('lets no one who became a viewer delete for good what they deleted', async () => {
    const id = await make('Never again');
    await as(world, bob)('DELETE', `/workspaces/${home}/tasks/${id}`);
    const page = await at(bob, `/w/${home}/trash`, 'Trash');
    const button = page.getByRole('button', { name: 'Delete for good' });
    await button.waitFor();
    await asAda('PATCH', `/workspaces/${home}/members/${bob.id}`, { role: 'viewer' });
    await button.waitFor({ state: 'detached' });
    await page.getByText('Never again').waitFor();
  });

  it('gets a deleted list back with its tasks by Undo', async () => {
    const { spaceId } = (await asAda('GET', `/workspaces/${home}/lists/${listId}`)).body;
    const garden = (await asAda('POST', `/workspaces/${home}/lists`, { spaceId, title: 'Garden' })).body.id;
    await asAda('POST', `/workspaces/${home}/tasks`, { listId: garden, title: 'Mulch the beds' });
    const page = await at(ada, `/w/${home}/settings/spaces`, 'Spaces and lists');
    await page.getByRole('button', { name: 'More for Garden' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await said(page, 'Deleted “Garden”');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Garden' }).waitFor({
      state: 'detached',
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Garden' }).click();
    await page.getByRole('link', { name: 'Mulch the beds' }).waitFor();
    await synced(page);
    const { items } = (await asAda('GET', `/workspaces/${home}/tasks/search?q=mulch`)).body;
    expect(items.map(({ title }: { title: string }) => title)).toEqual(['Mulch the beds']);
  });

  it('comes back to a list that is chosen where its own is gone', async () => {
    const { spaceId } = (await asAda('GET', `/workspaces/${home}/lists/${listId}`)).body;
    const gone = (await asAda('POST', `/workspaces/${home}/lists`, { spaceId, title: 'Gone' })).body.id;
    const fields = { listId: gone, title: 'Left alone' };
    const { id } = (await asAda('POST', `/workspaces/${home}/tasks`, fields)).body;
    await asAda('DELETE', `/workspaces/${home}/tasks/${id}`);
    await asAda('DELETE', `/workspaces/${home}/lists/${gone}?permanent=true`);
    const page = await at(ada, `/w/${home}/trash`, 'Trash');
    const entry = page.getByRole('listitem').filter({ hasText: 'Left alone' });
    await entry.getByRole('button', { name: 'Restore' }).click();
    await entry.getByLabel('Restore “Left alone” to').selectOption(listId);
    await entry.waitFor({ state: 'detached' });
    await synced(page);
    expect((await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body.listId).toBe(listId);
  });

  const chooseDocument = (page: Page, body: object) =>
    page.getByLabel('Exported document').setInputFiles({
      name: 'errand.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(body)),
    });

  it('comes from an exported document, after that was looked at', async () => {
    await make('Paint the fence');
    const { body } = await asAda('GET', '/account/export');
    const page = await at(bob, '/settings/data', 'Your data');
    await chooseDocument(page, body);
    await said(page, '1 list, 1 task');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await said(page, 'Imported');
    await expect.poll(async () => (await as(world, bob)('GET', '/me/workspaces')).body.total).toBe(3);
  });

  it('says that a document was not taken, wherever one is by then', async () => {
    const { body } = await asAda('GET', '/account/export');
    const page = await at(bob, '/settings/data', 'Your data');
    const { promise: isAway, resolve: fail } = Promise.withResolvers<void>();
    await page.route('**/account/import?dryRun=false', async (route) => {
      await isAway;
      await route.abort();
    });
    await chooseDocument(page, body);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await said(page, 'Importing errand.json');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Today' }).click();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    fail();
    await said(page, 'Not imported: errand.json. The server cannot be reached.');
  });

  it('tells by their titles what of a document is wrong, or comes otherwise', async () => {
    await make('Paint the fence');
    const { body } = await asAda('GET', '/account/export');
    const [workspace] = body.workspaces;
    const page = await at(bob, '/settings/data', 'Your data');
    await chooseDocument(page, body);
    const entries = page.getByRole('region', { name: 'Import' }).getByRole('listitem');
    const ada = workspace.members.findIndex(({ name }: { name: string }) => name === 'Ada');
    await expect
      .poll(() => entries.allInnerTexts())
      .toContainEqual(
        expect.stringMatching(
          new RegExp(`^Workspace “${workspace.title}”, member “Ada”: Ada .*\\s+workspaces.0.members.${ada}$`),
        ),
      );
    workspace.tasks[0].listId = 'elsewhere';
    await chooseDocument(page, body);
    const place = `Workspace “${workspace.title}”, task “Paint the fence”, list`;
    await entries.filter({ hasText: `${place}: There is no such list in the document` }).waitFor();
    await entries.filter({ hasText: 'workspaces.0.tasks.0.listId' }).waitFor();
  });
});

describe('an instance of a series', () => {
  it('comes at the time that is shown, also where clocks skip the time of its rule', async () => {
    const rule = { frequency: 'year', every: 1, month: 3, daysOfWeek: ['sunday'], weekIndex: 'last' };
    const interval = { ...rule, timeOfDay: '02:30', timezone: 'Europe/Paris' };
    const title = 'Change the clocks';
    await asAda('POST', `/workspaces/${home}/recurring-tasks`, { listId, title, interval });
    const page = await at(ada, `/w/${home}/lists/${listId}`, 'Tasks');
    const panel = await openRow(page, title);
    const [asked] = await Promise.all([
      page.waitForRequest(/\/recurring-tasks\/preview$/),
      panel.getByRole('button', { name: /^Repeats/ }).click(),
    ]);
    expect(await asked.headerValue('X-User-Id')).toBe(ada.id);
    const times = page.getByRole('region', { name: 'Next five' }).locator('time');
    const shifted = expect.stringMatching(/Mar.*3:30$/);
    await expect.poll(() => times.allTextContents()).toEqual([shifted, shifted, shifted, shifted, shifted]);
  });

  it('keeps a rule of several weekdays, and takes none that is not whole', async () => {
    const root = `/workspaces/${home}/recurring-tasks`;
    const daysOfWeek = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
    const rule = { frequency: 'month', every: 1, weekIndex: 'last', daysOfWeek };
    const interval = { ...rule, timeOfDay: null, timezone: 'UTC' };
    await asAda('POST', root, { listId, title: 'Close the books', interval });
    const page = await at(ada, `/w/${home}/recurring`, 'Recurring');
    const row = page.getByRole('listitem', { name: 'Close the books' });
    const dialog = page.getByRole('dialog', { name: 'Repeat' });
    const save = dialog.getByRole('button', { name: 'Save' });
    await row.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('textbox', { name: 'Every' }).fill('2');
    await dialog.getByRole('combobox', { name: 'Ends' }).selectOption({ label: 'On a day' });
    await save.click();
    await dialog.getByRole('alert').filter({ hasText: 'Choose the last day.' }).waitFor();
    await dialog.getByRole('combobox', { name: 'Ends' }).selectOption({ label: 'After a number of times' });
    await dialog.getByRole('textbox', { name: 'Times' }).fill('none');
    await save.click();
    await dialog.getByRole('alert').filter({ hasText: 'How many times?' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Times' }).fill('3');
    await save.click();
    await said(page, 'Every 2 months');
    await synced(page);
    const { items } = (await asAda('GET', root)).body;
    expect(items[0]).toMatchObject({
      interval: { ...interval, every: 2 },
      endCondition: { type: 'count', count: 3 },
    });
    const { promise: heard, resolve: respond } = Promise.withResolvers<void>();
    await page.route('**/resume', async (route) => {
      await heard;
      await route.continue();
    });
    await row.getByRole('button', { name: 'Pause' }).click();
    await expect.poll(async () => (await asAda('GET', root)).body.items[0].state).toBe('paused');
    await synced(page);
    await row.getByRole('button', { name: 'Resume' }).click();
    const skip = row.getByRole('button', { name: 'Skip next' });
    await row.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await skip.count()).toBe(0);
    respond();
    await skip.click();
    await said(page, 'Skipped “Close the books”');
    await synced(page);
    const [series] = (await asAda('GET', root)).body.items;
    expect(series).toMatchObject({ state: 'active', nextOccurrenceNumber: 2 });
  });

  it('that is deleted elsewhere while its question is open leaves the change to the task alone', async () => {
    const root = `/workspaces/${home}/recurring-tasks`;
    const interval = { frequency: 'day', every: 1, timeOfDay: null, timezone: 'UTC' };
    const dialog = (page: Page) => page.getByRole('dialog', { name: 'Repeat' });
    const asking = async (page: Page, title: string) => {
      await openRow(page, title);
      await page.getByRole('complementary').getByRole('heading', { name: title }).click();
      await page.getByRole('textbox', { name: 'Title' }).fill(`${title} well`);
      await page.keyboard.press('Enter');
      await dialog(page).getByRole('radio', { name: 'All', exact: true }).check();
    };
    const kept = (await asAda('POST', root, { listId, title: 'Water the plants', interval })).body;
    const page = await at(ada, `/w/${home}/lists/${listId}`, 'Tasks');
    await asking(page, 'Water the plants');
    await asAda('DELETE', `${root}/${kept.id}?keepUpcoming=true`);
    await dialog(page).getByText('The series was deleted meanwhile').waitFor();
    expect(await dialog(page).getByRole('radio').count()).toBe(0);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('complementary', { name: 'Water the plants well' }).waitFor();
    await synced(page);
    expect((await asAda('GET', `/workspaces/${home}/tasks/${kept.nextTaskId}`)).body.title).toBe(
      'Water the plants well',
    );

    const gone = (await asAda('POST', root, { listId, title: 'Feed the cat', interval })).body;
    await asking(page, 'Feed the cat');
    await asAda('DELETE', `${root}/${gone.id}`);
    await dialog(page).getByText('The task was deleted meanwhile').waitFor();
    await dialog(page).getByText('Feed the cat well').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Save' }).count()).toBe(0);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('that is deleted elsewhere while its rule is edited keeps the rule, and becomes a new one by Save', async () => {
    const root = `/workspaces/${home}/recurring-tasks`;
    const interval = { frequency: 'day', every: 1, timeOfDay: null, timezone: 'UTC' };
    const series = (await asAda('POST', root, { listId, title: 'Water the plants', interval })).body;
    const page = await at(ada, `/w/${home}/lists/${listId}`, 'Tasks');
    const panel = await openRow(page, 'Water the plants');
    const dialog = page.getByRole('dialog', { name: 'Repeat' });
    await panel.getByRole('button', { name: /^Repeats/ }).click();
    await dialog.getByRole('combobox', { name: 'Unit' }).selectOption({ label: 'Week' });
    await asAda('DELETE', `${root}/${series.id}?keepUpcoming=true`);
    await dialog.getByRole('alert').filter({ hasText: 'Save makes a new one' }).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await synced(page);
    const [made, ...others] = (await asAda('GET', root)).body.items;
    expect([made.interval.frequency, made.nextTaskId, others]).toEqual(['week', series.nextTaskId, []]);

    await page.goto(`${visit.origin}/app/w/${home}/recurring`);
    await page.getByRole('main').getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('combobox', { name: 'Unit' }).waitFor();
    await asAda('DELETE', `${root}/${made.id}`);
    await dialog.getByRole('alert').filter({ hasText: 'This series was deleted meanwhile.' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('asks whether a change is of this task, of those that follow, or of all', async () => {
    const root = `/workspaces/${home}/recurring-tasks`;
    const interval = { frequency: 'day', every: 1, timeOfDay: null, timezone: 'UTC' };
    const series = (await asAda('POST', root, { listId, title: 'Water the plants', interval })).body;
    await asAda('POST', `${root}/${series.id}/skip`, {});
    const page = await at(ada, `/w/${home}/lists/${listId}`, 'Tasks');
    const panel = await openRow(page, 'Water the plants');
    const dialog = page.getByRole('dialog', { name: 'Repeat' });
    const apply = async (scope: string) => {
      await dialog.getByRole('radio', { name: 'This task' }).and(page.locator(':checked')).waitFor();
      await dialog.getByRole('radio', { name: scope, exact: true }).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await synced(page);
    };
    const all = async () => (await asAda('GET', root)).body.items as Record<string, unknown>[];

    await choose(page, /^Priority/, 'Low');
    await apply('This task');
    await panel.getByRole('button', { name: 'Priority: Low' }).waitFor();
    expect((await all()).map(({ priority }) => priority)).toEqual(['none']);

    await choose(page, /^Assignee/, 'Bob');
    await apply('All');
    expect((await all()).map(({ assigneeId }) => assigneeId)).toEqual([bob.id]);

    await panel.getByRole('button', { name: /^Labels/ }).click();
    await page.getByRole('combobox', { name: 'Labels' }).fill('garden');
    await page.getByRole('option', { name: 'New label “garden”' }).click();
    await apply('All');
    expect((await all()).map(({ labelIds }) => (labelIds as string[]).length)).toEqual([1]);

    await panel.getByLabel('Add an item').fill('Not the cactus');
    await page.keyboard.press('Enter');
    await apply('All');
    expect((await all())[0]?.checklist).toMatchObject([{ title: 'Not the cactus' }]);
    await panel.getByRole('checkbox', { name: 'Not the cactus: complete' }).waitFor();

    await panel.getByRole('button', { name: /^Repeats/ }).click();
    await dialog.getByRole('combobox', { name: 'Unit' }).selectOption({ label: 'Week' });
    await dialog.getByRole('radio', { name: 'This and following' }).check();
    expect(await dialog.getByRole('radio').count()).toBe(2);
    await page.context().setOffline(true);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'The server cannot be reached.' }).waitFor();
    await page.context().setOffline(false);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await all()).map((one) => (one.interval as { frequency: string }).frequency).sort())
      .toEqual(['day', 'week']);
  });
});
