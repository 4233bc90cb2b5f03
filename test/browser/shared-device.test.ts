import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { as, joined, openHome } from '../people.ts';
import type { Person, World } from '../world.ts';
import {
  browser,
  DENY_STORAGE,
  DESKTOP,
  isServedByWorker,
  painted,
  signInOn,
  useVisit,
  visit,
} from './visit.ts';

let world: World;
let ada: Person;
let bob: Person;
let home: string;
let listId: string;
/** Devices beside the one of the visit. */
const devices: BrowserContext[] = [];

useVisit({ ...DESKTOP, hasWorker: true });
beforeEach(async () => {
  ({ world, ada, home, listId } = await openHome({ start: Date.now() }));
  // Else the first visit makes examples, which wait like what is done here.
  await asAda('PATCH', '/me', { preferences: { welcomed: true } });
  bob = await joined(world, ada, home, 'member', 'Bob');
  visit.serve(world.app);
});
afterEach(async () => {
  for (const one of devices.splice(0)) await one.close();
});

const asAda = (method: string, path: string, body?: object) => as(world, ada)(method, path, body);
const make = async (title: string, fields: object = {}): Promise<string> =>
  (await asAda('POST', `/workspaces/${home}/tasks`, { listId, title, ...fields })).body.id;
const listAddress = () => `/w/${home}/lists/${listId}`;

const device = () => visit.page.context();

async function openAt(context: BrowserContext, address: string, heading: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${visit.origin}/app${address}`);
  await shown(page, heading);
  return page;
}

/** Signs Ada in on a device, at the list. */
async function enter(context = device()): Promise<Page> {
  await signInOn(context, visit.origin, ada);
  const page = await openAt(context, listAddress(), 'Tasks');
  await status(page, 'Synced');
  return page;
}

const shown = (page: Page, heading: string) =>
  page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
const status = (page: Page, text: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('status').filter({ hasText: text }).waitFor();
const row = (page: Page, title: string) => page.getByRole('main').getByRole('link', { name: title });
const complete = (page: Page, title: string) =>
  page.getByRole('checkbox', { name: `${title}: complete` }).check();

/** Waits until the server has a task as completed. */
const isCompleted = (id: string) =>
  expect
    .poll(async () => (await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body.completedAt)
    .not.toBeNull();

/** Every word that the device keeps for this origin, but the theme. */
const kept = (page: Page) =>
  page.evaluate<string>(`(async () => {
    const found = [document.cookie, location.href];
    for (const storage of [localStorage, sessionStorage])
      for (const [key, value] of Object.entries(storage)) if (!/theme/.test(key)) found.push(key, value);
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) if (!url.includes('/app/')) found.push(url);
    for (const { name } of await indexedDB.databases()) {
      const db = await new Promise((resolve, reject) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      for (const store of db.objectStoreNames) {
        const values = await new Promise((resolve) => {
          const request = db.transaction(store).objectStore(store).getAll();
          request.onsuccess = () => resolve(request.result);
        });
        found.push(JSON.stringify(values));
      }
      db.close();
    }
    return found.join('\\n');
  })()`);

describe('signing out', () => {
  it('leaves nothing of the person on the device, in another tab or behind Back', async () => {
    await make('Call the notary');
    const context = device();
    await signInOn(context, visit.origin, ada);
    const page = await openAt(context, listAddress(), 'Tasks');
    const other = await openAt(context, listAddress(), 'Tasks');
    await row(page, 'Call the notary').waitFor();
    await row(other, 'Call the notary').waitFor();
    await page.goto(`${visit.origin}/app/settings/security`);
    await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).click();
    await shown(page, 'Sign in');
    await shown(other, 'Sign in');
    await page.goBack();
    await shown(page, 'Sign in');
    for (const each of [page, other]) expect(await each.getByText('notary').count()).toBe(0);
    const words = await kept(page);
    for (const word of ['notary', ada.email, ada.id]) expect(words).not.toContain(word);
  });

  it('without the network leaves nothing on the device either, and ends the session once that is back', async () => {
    await make('Call the notary');
    const context = device();
    const page = await enter(context);
    const sessions = async () => (await asAda('GET', '/me/sessions')).body.items.length;
    expect(await sessions()).toBe(2);
    await context.setOffline(true);
    await complete(page, 'Call the notary');
    await status(page, 'Offline, 1 waiting');
    await page.getByRole('button', { name: /^Ada/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out anyway' }).click();
    await shown(page, 'Sign in');
    expect(await kept(page)).not.toContain('notary');
    await context.setOffline(false);
    await expect.poll(sessions).toBe(1);
    await page.goto(`${visit.origin}/app${listAddress()}`);
    await shown(page, 'Sign in');
    expect(await kept(page)).not.toContain(ada.id);
  });

  it('elsewhere hides what is open here, and the next person sees none of it', async () => {
    await make('Call the notary');
    const context = device();
    await signInOn(context, visit.origin, ada);
    const page = await openAt(context, listAddress(), 'Tasks');
    await row(page, 'Call the notary').waitFor();
    await asAda('DELETE', '/me/sessions');
    await shown(page, 'Sign in');
    await expect.poll(() => kept(page)).not.toContain('notary');
    const carol = await world.signUp('carol@example.com', 'Carol');
    await page.getByLabel('Email', { exact: true }).fill(carol.email);
    await page.getByLabel('Password', { exact: true }).fill(carol.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    // The address that was open here is not theirs.
    await shown(page, 'Not found');
    expect(await page.getByText('notary').count()).toBe(0);
  });
});

const signIn = async (page: Page, { email, password }: Person) => {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await status(page, 'Synced');
};

describe('the next person on a page', () => {
  it('finds neither the toast nor the recent searches of the one before', async () => {
    await make('Call the notary');
    await make('Found by the server', { description: 'The notary' });
    const page = await enter();
    const search = async () => {
      await page.keyboard.press('/');
      await shown(page, 'Search');
    };
    const recent = page.getByRole('region', { name: 'Recent' }).getByText('notary');
    await search();
    await page.getByRole('searchbox').fill('notary');
    await row(page, 'Found by the server').waitFor();
    await page.getByRole('searchbox').fill('');
    await recent.waitFor();
    await page.getByRole('region', { name: 'Lists' }).getByRole('link', { name: 'Tasks' }).click();
    await complete(page, 'Call the notary');
    const said = page.getByText('Completed “Call the notary”');
    await said.waitFor();
    await page.getByRole('button', { name: `Ada's workspace` }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await shown(page, 'Sign in');
    const carol = await world.signUp('carol@example.com', 'Carol');
    await signIn(page, carol);
    expect(await said.count()).toBe(0);
    await search();
    expect(await recent.count()).toBe(0);
  });
});

describe('the first visits of two people on a page', () => {
  it('make examples for each, and ask each for their time zone', async () => {
    await asAda('PATCH', '/me', { preferences: {}, timezone: 'Asia/Tokyo' });
    await as(world, bob)('PATCH', '/me', { timezone: 'Asia/Tokyo' });
    await signInOn(device(), visit.origin, ada);
    const page = await openAt(device(), '/today', 'Today');
    for (const person of [ada, bob]) {
      if (person === bob) await signIn(page, bob);
      await page.getByRole('region', { name: 'Examples' }).waitFor();
      await page.getByRole('button', { name: 'Keep Asia/Tokyo' }).click();
      await status(page, 'Synced');
      await page.getByRole('button', { name: `'s workspace` }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await shown(page, 'Sign in');
    }
  });
});

describe('what was typed and not sent', () => {
  const closed = async (page: Page) => {
    await page.keyboard.press('q');
    await page.getByLabel('Quick add').waitFor();
    const text = await page.getByLabel('Quick add').inputValue();
    await page.keyboard.press('Escape');
    return text;
  };
  const written = async () => {
    await signInOn(device(), visit.origin, ada);
    const page = await openAt(device(), '/today', 'Today');
    await status(page, 'Synced');
    await page.keyboard.press('q');
    await page.getByLabel('Quick add').fill('Call the notary');
    await page.keyboard.press('Escape');
    expect(await closed(page)).toBe('Call the notary');
    return page;
  };

  it('is gone after signing out, for the next person and for the same one', async () => {
    const page = await written();
    for (const next of [bob, ada]) {
      await page.getByRole('button', { name: `${next === bob ? 'Ada' : 'Bob'}'s workspace` }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await shown(page, 'Sign in');
      await signIn(page, next);
      expect(await closed(page)).toBe('');
    }
  });

  it('is theirs alone where a session ended by itself', async () => {
    const page = await written();
    await asAda('DELETE', '/me/sessions');
    await shown(page, 'Sign in');
    await signIn(page, bob);
    expect(await closed(page)).toBe('');
    await as(world, bob)('DELETE', '/me/sessions');
    await shown(page, 'Sign in');
    await signIn(page, ada);
    expect(await closed(page)).toBe('Call the notary');
  });

  it('is there again where a page that was hidden ended without a word', async () => {
    const page = await written();
    const kept = await page.evaluate(`{
      Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
      JSON.stringify(sessionStorage);
    }`);
    const later = await device().newPage();
    await later.addInitScript(`Object.assign(sessionStorage, ${kept})`);
    await later.goto(`${visit.origin}/app/today`);
    await status(later, 'Synced');
    expect(await closed(later)).toBe('Call the notary');
  });

  it.each([
    ['description', 'Description', async () => {}],
    ['title', 'Title', (page: Page) => page.keyboard.press('F2')],
  ])('into a %s waits for its author where the session ends meanwhile', async (field, name, begin) => {
    const id = await make('Call the notary');
    await signInOn(device(), visit.origin, ada);
    const page = await openAt(device(), `/w/${home}/tasks/${id}`, 'Call the notary');
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await status(page, 'Synced');
    await begin(page);
    await page.getByLabel(name, { exact: true }).fill('Ask about the lease');
    await asAda('DELETE', '/me/sessions');
    await shown(page, 'Sign in');
    expect(errors).toEqual([]);
    await signIn(page, ada);
    await expect
      .poll(async () => (await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body[field])
      .toBe('Ask about the lease');
  });
});

describe('what lies open above a screen', () => {
  it.each([
    ['the palette', 'Control+k'],
    ['a new task', 'c'],
    ['a date', 'd'],
    ['a status', 's'],
    ['a repeat', 'r'],
  ])('is closed where the session ends, and %s keeps no key from signing in', async (_, key) => {
    await make('Call the notary');
    const page = await enter();
    await page.keyboard.press('j');
    await page.keyboard.press(key);
    const above = page.locator('dialog[open], :popover-open');
    await above.waitFor();
    await asAda('DELETE', '/me/sessions');
    await shown(page, 'Sign in');
    for (const [field, text] of [
      ['Email', bob.email],
      ['Password', bob.password],
    ] as const) {
      await page.getByLabel(field, { exact: true }).focus();
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
    await status(page, 'Synced');
    await painted(page);
    expect(await above.count()).toBe(0);
  });
});

describe('a first visit', () => {
  it('asks for nothing that is refused, and its kept document does not hide a later sign-in', async () => {
    const { page } = visit;
    const wrong: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) wrong.push(response.url());
    });
    await page.goto(`${visit.origin}/app${listAddress()}`);
    await shown(page, 'Sign in');
    await isServedByWorker(page);
    expect(wrong).toEqual([]);
    await enter();
  });
});

describe('rows of someone whose session went with their cookies', () => {
  it('are gone once signing in is shown', async () => {
    await make('Call the notary');
    const context = await browser.newContext({ ...DESKTOP, serviceWorkers: 'block' });
    devices.push(context);
    const page = await enter(context);
    await row(page, 'Call the notary').waitFor();
    await context.clearCookies();
    await page.reload();
    await shown(page, 'Sign in');
    await expect.poll(() => kept(page)).not.toContain('notary');
  });
});

describe('signing in', () => {
  it('is followed by another tab that asked for it, once that is seen', async () => {
    const context = device();
    const page = await context.newPage();
    await page.goto(`${visit.origin}/app${listAddress()}`);
    await shown(page, 'Sign in');
    await signInOn(context, visit.origin, ada);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await shown(page, 'Tasks');
  });
});

describe('a tab of one person on a device where another has signed in', () => {
  it('does nothing as the other one, and says that its own session is over', async () => {
    const id = await make('Pay the rent');
    const context = device();
    await signInOn(context, visit.origin, ada);
    const page = await openAt(context, listAddress(), 'Tasks');
    await row(page, 'Pay the rent').waitFor();
    await signInOn(context, visit.origin, bob);
    // Leaves the screen with the first response.
    await page.getByRole('checkbox', { name: 'Pay the rent: complete' }).click();
    await shown(page, 'Sign in');
    expect((await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body.completedAt).toBeNull();
    // What was done waits for its own person.
    await signInOn(context, visit.origin, ada);
    await page.goto(`${visit.origin}/app${listAddress()}`);
    await status(page, 'Synced');
    await isCompleted(id);
  });
});

const WITHOUT_STORAGE = {
  'has no room left': `for (const { prototype } of [IDBObjectStore, Storage])
    prototype.put = prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };`,
  'may not store': DENY_STORAGE,
};

describe('a device', () => {
  it('keeps no secret where a script could read it', async () => {
    await make('Pay the rent');
    const context = device();
    const page = await enter(context);
    const [cookie] = await context.cookies();
    const words = await kept(page);
    expect(words).toContain('Pay the rent');
    expect(cookie?.httpOnly).toBe(true);
    for (const secret of [cookie?.value ?? '', ada.accessToken, ada.refreshToken, ada.password])
      expect(words).not.toContain(secret);
    expect(words).not.toMatch(/eyJ[\w-]+\./);
  });

  it.each(Object.entries(WITHOUT_STORAGE))(
    'that %s says so, and sends what is done all the same',
    async (_, script) => {
      const context = await browser.newContext({ ...DESKTOP, serviceWorkers: 'block' });
      devices.push(context);
      await context.addInitScript(script);
      const page = await enter(context);
      await status(page, 'Synced, kept only while this page is open');
      const id = await make('Water the plants');
      await row(page, 'Water the plants').waitFor();
      await complete(page, 'Water the plants');
      await isCompleted(id);
    },
  );

  it('that takes no cookies says at signing in that it must', async () => {
    const context = await browser.newContext({ ...DESKTOP, serviceWorkers: 'block' });
    devices.push(context);
    await context.addInitScript(DENY_STORAGE);
    visit.serve({
      fetch: async (...given) => {
        const response = await world.app.fetch(...given);
        response.headers.delete('Set-Cookie');
        return response;
      },
    });
    const page = await context.newPage();
    await page.goto(`${visit.origin}/app/sign-in`);
    await page.getByLabel('Email').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'To stay signed in, this browser must accept cookies of this site.' })
      .waitFor();
  });

  it('that blocks cookies says so before anyone signs in, and shows nothing else', async () => {
    const context = await browser.newContext({ ...DESKTOP, serviceWorkers: 'block' });
    devices.push(context);
    await context.addInitScript(DENY_STORAGE);
    await context.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });
       globalThis.shown = new Set();
       new MutationObserver(() => {
         for (const { textContent } of document.querySelectorAll('h1')) shown.add(textContent);
       }).observe(document, { childList: true, subtree: true, characterData: true });`,
    );
    const page = await context.newPage();
    await page.goto(`${visit.origin}/app/sign-in`);
    const words = page.getByRole('alert').filter({ hasText: 'this browser must accept cookies' });
    await words.waitFor();
    await page.getByLabel('Email').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    visit.serve({
      fetch: async (...given) => {
        const response = await world.app.fetch(...given);
        response.headers.delete('Set-Cookie');
        return response;
      },
    });
    await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/api/me')),
      page.getByRole('button', { name: 'Sign in', exact: true }).click(),
    ]);
    await words.waitFor();
    expect(await page.evaluate('[...shown]')).toEqual(['Sign in']);
  });

  it('with a database of a newer build starts over, and keeps what was not sent', async () => {
    const context = device();
    const page = await enter(context);
    await page.keyboard.press('c');
    await page.getByLabel('Quick add').waitFor();
    await context.setOffline(true);
    await page.getByLabel('Quick add').fill('Done on the train');
    await page.keyboard.press('Enter');
    await page.getByText('Added “Done on the train”').waitFor();
    await status(page, 'Offline, 1 waiting');
    await page.close();
    await context.setOffline(false);
    // An asset has the origin, and nothing of the client runs in it.
    const later = await context.newPage();
    await later.goto(`${visit.origin}/app/manifest.webmanifest`);
    await later.evaluate(`new Promise((resolve, reject) => {
      const request = indexedDB.open('errand-${ada.id}', 9);
      request.onsuccess = () => { request.result.close(); resolve(); };
      request.onerror = () => reject(request.error);
    })`);
    await later.goto(`${visit.origin}/app${listAddress()}`);
    await row(later, 'Done on the train').waitFor();
    await status(later, 'Synced');
    const { items } = (await asAda('GET', `/workspaces/${home}/tasks/search?q=train`)).body;
    expect(items.map(({ title }: { title: string }) => title)).toEqual(['Done on the train']);
  });
});

/** What another program on this origin might say on the channel of the tabs. */
const FORGED = [
  null,
  'written',
  {},
  { kind: 'written' },
  { kind: 'written', revision: 9e15, rowRevision: 9e15, writes: null, outbox: null },
  {
    kind: 'written',
    revision: 1e6,
    rowRevision: 1e6,
    writes: { rows: { put: [{ kind: 'task' }] } },
    outbox: [{}],
  },
  { kind: 'written', revision: 1e6, rowRevision: 1, writes: { notes: 7 }, outbox: 'all' },
  { kind: 'sync', isReached: 'no', fence: '9' },
  { kind: 'sync' },
  { kind: 'aside', changes: 'all' },
  { kind: 'aside', changes: [{ id: 'x', fields: {}, act: 'x', actName: 'Won a prize' }] },
  { kind: 'leaving', more: 1 },
  { kind: 'unheard of' },
];

describe('messages between tabs', () => {
  it('that another program forged change nothing that is shown or sent', async () => {
    await make('Pay the rent');
    const page = await enter();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.evaluate(
      `const channel = new BroadcastChannel('errand-${ada.id}');
       for (const message of ${JSON.stringify(FORGED)}) channel.postMessage(message);`,
    );
    const id = await make('Heard afterwards');
    await row(page, 'Heard afterwards').waitFor();
    await complete(page, 'Heard afterwards');
    await isCompleted(id);
    await status(page, 'Synced');
    await row(page, 'Pay the rent').waitFor();
    expect(faults).toEqual([]);
  });
});

describe('a text that was changed here and elsewhere', () => {
  it.each([
    ['Keep mine', 'Mine, of the train'],
    ['Keep theirs', 'Theirs, of the office'],
  ])('is shown in both versions, and is what “%s” says', async (button, expected) => {
    const id = await make('Write the report', { description: 'First' });
    const context = device();
    await signInOn(context, visit.origin, ada);
    const page = await openAt(context, `/w/${home}/tasks/${id}`, 'Write the report');
    await status(page, 'Synced');
    await context.setOffline(true);
    const description = page.getByRole('textbox', { name: 'Description' });
    await description.fill('Mine, of the train');
    await page.keyboard.press('Control+Enter');
    await status(page, 'Offline, 1 waiting');
    await as(world, bob)('PATCH', `/workspaces/${home}/tasks/${id}`, {
      description: 'Theirs, of the office',
    });
    await context.setOffline(false);
    const dialog = page.getByRole('dialog', { name: 'Two versions' });
    await dialog.getByText('Mine, of the train').waitFor();
    await dialog.getByText('Theirs, of the office').waitFor();
    // A browser closes a dialog that rejects that, once it is asked for twice.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await painted(page);
    await dialog.getByRole('button', { name: button }).click();
    await status(page, 'Synced');
    expect((await asAda('GET', `/workspaces/${home}/tasks/${id}`)).body.description).toBe(expected);
  });
});

describe('a link with proof of somebody else’s account', () => {
  it.each([
    'id_token=eyJh.eyJz.sig&state=theirs',
    'tgAuthResult=eyJpZCI6MX0',
    'tgAuthResult=eyJpZCI6MX0&state=x',
  ])('signs nobody in by #%s, and leaves the address', async (fragment) => {
    const page = await device().newPage();
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') calls.push(new URL(request.url()).pathname);
    });
    await page.goto(`${visit.origin}/app/sign-in#${fragment}`);
    await page.getByRole('alert').filter({ hasText: 'That sign-in was not begun here' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(calls).toEqual([]);
  });
});

describe('a page of another origin on the same host', () => {
  const elsewhere = 'http://127.0.0.1:1';

  it('reads nothing and changes nothing by the session of the browser', async () => {
    const context = device();
    await signInOn(context, visit.origin, ada);
    onTestFinished(() => context.unrouteAll());
    await context.route(`${elsewhere}/**`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<title>elsewhere</title><link rel="icon" href="data:,"><iframe name="into"></iframe>',
      }),
    );
    const page = await context.newPage();
    await page.goto(`${elsewhere}/`);
    const api = `${visit.origin}/api`;
    const tried = await page.evaluate<string[]>(`(async () => {
      const found = [];
      const tryOut = async (name, path, init) => {
        const response = await fetch('${api}' + path, { credentials: 'include', ...init }).catch(() => null);
        if (response && response.type !== 'opaque') found.push(name + ' ' + response.status);
      };
      const json = { headers: { 'Content-Type': 'application/json' } };
      const task = JSON.stringify({ title: 'Forged', listId: '${listId}' });
      await tryOut('read', '/me', {});
      await tryOut('export', '/account/export', { mode: 'no-cors' });
      await tryOut('write', '/workspaces/${home}/tasks', { method: 'POST', body: task, ...json });
      await tryOut('simple', '/workspaces/${home}/tasks', { method: 'POST', body: task, mode: 'no-cors' });
      await tryOut('sign out', '/auth/logout', { method: 'POST', mode: 'no-cors' });
      for (const path of ['/me', '/account/export', '/me/events', '/me/workspaces'])
        for (const tag of ['img', 'script']) {
          const loaded = await new Promise((resolve) => {
            const element = document.createElement(tag);
            element.onload = () => resolve(true);
            element.onerror = () => resolve(false);
            element.src = '${api}' + path;
            document.body.append(element);
          });
          if (loaded) found.push(tag + ' ' + path);
        }
      const opened = open('${visit.origin}/app/', 'into');
      if (opened?.length > 0) found.push('a frame');
      return found;
    })()`);
    const sent = page.waitForRequest(`${api}/auth/logout`);
    await page.evaluate(`(() => {
      const form = document.createElement('form');
      form.method = 'post';
      form.target = 'into';
      form.action = '${api}/auth/logout';
      document.body.append(form);
      form.submit();
    })()`);
    await (await sent).response();
    expect(tried).toEqual([]);
    expect((await asAda('GET', `/workspaces/${home}/tasks/search?q=Forged`)).body.total).toBe(0);
    // The session of the browser lives on.
    expect((await context.request.get(`${api}/me`, { maxRetries: 1 })).status()).toBe(200);
  });
});

it('the database of a person may close while its first rows are read', async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL('../../src/web/data/indexeddb.ts', import.meta.url).pathname],
    bundle: true,
    format: 'iife',
    globalName: 'data',
    write: false,
  });
  await visit.page.goto(`${visit.origin}/app/sign-in`);
  const rows = await visit.page.evaluate(`(async () => {
    ${outputFiles[0]?.text}
    const disk = await data.IndexedDbDisk.open('nobody');
    await disk.write(() => ({ notes: { shown: { today: [] } } }));
    const first = disk.readFirst('today');
    disk.close();
    return (await first).rows;
  })()`);
  expect(rows).toEqual([]);
});
