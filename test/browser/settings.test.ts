import { readFileSync } from 'node:fs';
import type { Locator, Page, Route } from 'playwright-core';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type GoogleDouble, idToken, newSigningKey, openGoogle, withGoogle } from '../google-double.ts';
import { addMember, as, openHome } from '../people.ts';
import { openWorld, type Person, type World } from '../world.ts';
import {
  browser,
  DESKTOP,
  leadingTo,
  PHONE,
  painted,
  signInOn,
  startVisit,
  useVisit,
  visit,
} from './visit.ts';

let world: World;
let page: Page;
let ada: Person;
let home: string;

useVisit({ ...DESKTOP, timezoneId: 'Europe/Berlin' });
beforeEach(async () => {
  page = visit.page;
  ({ world, ada, home } = await openHome({ start: Date.now() }));
  visit.serve(world.app);
});

const open = async (address: string, heading: string) => {
  await page.goto(`${visit.origin}/app${address}`);
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
};
const shown = (heading: string) =>
  page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
/** Signs the browser in by cookie, without the screen for it. */
const enter = async (address: string, heading: string, person = ada) => {
  await signInOn(page.context(), visit.origin, person);
  await open(address, heading);
};
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
/** Presses a button in `row`, calls it off once, and then means it. */
async function confirm(row: Locator, name: string, title: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await row.getByRole('button', { name }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await row.getByRole('button', { name }).click();
  await dialog.getByRole('button', { name }).click();
}
const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
const said = (words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();
const synced = () => page.getByRole('status').filter({ hasText: 'Synced' }).waitFor();
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
const focused = () => page.evaluate<string>('document.activeElement.textContent');
/** A database goes as soon as whoever reads it has let go of it. */
const countDatabases = () => page.evaluate<number>('indexedDB.databases().then((all) => all.length)');
const asAda = (method: string, path: string, body?: object) => as(world, ada)(method, path, body);
const settingsOf = (name: string) => `/w/${home}/settings/${name}`;
const titlesAt = async (path: string): Promise<string[]> => {
  const { body } = await asAda('GET', `/workspaces/${home}${path}`);
  return body.items.map(({ title }: { title: string }) => title);
};

describe('signing in', () => {
  it('by password leads to where one wanted to go, and signing out leads back', async () => {
    await open('/settings/tokens', 'Sign in');
    await fill('Email', ada.email);
    await fill('Password', 'not it at all');
    await press('Sign in');
    await page.getByRole('alert').filter({ hasText: 'Wrong email or password.' }).waitFor();
    await fill('Password', ada.password);
    await page.keyboard.press('Enter');
    await shown('API tokens');
    await page.getByRole('link', { name: 'Security' }).click();
    await shown('Security');
    await press('Sign out');
    await shown('Sign in');
    await eventually(countDatabases).toBe(0);
    await open('/today', 'Sign in');
  });

  it('out is the end of it, also where the profile that signing in asked for comes late', async () => {
    await open('/sign-in', 'Sign in');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/api\/me$/, async (route) => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    await fill('Email', ada.email);
    await fill('Password', ada.password);
    await press('Sign in');
    await shown('Today');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Security' }).click();
    await shown('Security');
    await press('Sign out');
    await shown('Sign in');
    const late = page.waitForResponse(/\/api\/me$/);
    release();
    await (await late).finished();
    await painted(page);
    expect(await countDatabases()).toBe(0);
    await shown('Sign in');
  });

  it('by a mailed code', async () => {
    await open('/sign-in', 'Sign in');
    await fill('Email', ada.email);
    await press('Email me a code');
    await page.getByLabel('Code', { exact: true }).waitFor();
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    const wrong = page.getByText('This code is wrong or has expired.');
    await wrong.waitFor();
    await press('Back');
    expect(await wrong.count()).toBe(0);
    await press('Email me a code');
    await page.getByLabel('Code', { exact: true }).waitFor();
    await page.reload();
    await page.getByText(`If ${ada.email} has an account`).waitFor();
    await page.getByLabel('Code', { exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type(String((await world.mailTo(ada.email)).code));
    await page.keyboard.press('Enter');
    await shown('Today');
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
  });

  it('for the first time, from sign-up to Today, takes the time zone of the device', async () => {
    await open('/sign-in', 'Sign in');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await shown('Create an account');
    await fill('Name', 'Grace');
    await fill('Email', 'grace@example.com');
    await fill('Password', 'short');
    await press('Create account');
    await page.getByText('Password must be at least 8 characters').waitFor();
    await fill('Password', 'password of grace');
    await press('Create account');
    await said('A link is on its way to grace@example.com');
    await visit.follow((await world.mailTo('grace@example.com')).link);
    await press('Confirm');
    await shown('Today');
    const { body } = await world.call('POST', '/auth/login', {
      body: { email: 'grace@example.com', password: 'password of grace' },
    });
    const zone = async () => (await world.call('GET', '/me', { token: body.accessToken })).body.timezone;
    await eventually(zone).toBe('Europe/Berlin');
  });

  it('leads to where one wanted to go, though another way in was looked at first', async () => {
    await open('/settings/tokens', 'Sign in');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await shown('Reset your password');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await shown('Sign in');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await shown('Create an account');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await shown('Sign in');
    await fill('Email', ada.email);
    await fill('Password', ada.password);
    await press('Sign in');
    await shown('API tokens');
  });

  it('asks again which ways in there are, once the server can be reached', async () => {
    const late = await page.context().newPage();
    onTestFinished(() => late.close());
    await late.clock.install();
    const options = { signup: 'closed', google: null, telegram: null, mail: 'smtp' };
    let isUp = false;
    await late.route('**/auth/options', async (route) => {
      if (isUp) await route.fulfill({ response: await route.fetch(), json: options });
      else await route.abort();
    });
    await late.goto(`${visit.origin}/app/sign-up`);
    await late.getByLabel('Name').waitFor();
    isUp = true;
    await late.clock.fastForward(5_000);
    await late.getByText('New accounts are by invitation here.').waitFor();
  });

  it('after a password was forgotten', async () => {
    await open('/sign-in', 'Sign in');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await shown('Reset your password');
    await fill('Email', 'mistyped@example.com');
    await press('Send link');
    await said('a link is on its way');
    await press('Back');
    await fill('Email', ada.email);
    await press('Send link');
    await said('a link is on its way');
    await visit.follow((await world.mailTo(ada.email)).link);
    await fill('New password', 'remembered this time');
    await press('Set password');
    await shown('Sign in');
    await fill('Email', ada.email);
    await fill('Password', 'remembered this time');
    await press('Sign in');
    await shown('Today');
  });

  it('out with a change that was not sent asks first, and goes on once it is', async () => {
    await asAda('PATCH', '/me', { timezone: 'Europe/Berlin', preferences: { welcomed: true } });
    const isLoaded = page.waitForResponse((response) => response.url().includes('/sign-out-dialog.'));
    await enter('/today', 'Today');
    await isLoaded;
    await synced();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Security' }).click();
    await shown('Security');
    await page.getByRole('link', { name: 'Labels' }).click();
    await shown('Labels');
    await visit.page.context().setOffline(true);
    await press('New label');
    await fill('Name', 'unsent');
    await press('Save');
    await page
      .getByRole('status')
      .filter({ hasText: /^Offline|^Server unreachable/ })
      .waitFor();
    await page.getByRole('link', { name: 'Security' }).click();
    await press('Sign out');
    const dialog = page.getByRole('dialog', { name: 'Sign out' });
    await dialog.getByText('One change has not reached the server').waitFor();
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await eventually(() => dialog.count()).toBe(0);
    await press('Sign out');
    await dialog.waitFor();
    await visit.page.context().setOffline(false);
    await shown('Sign in');
    expect(await titlesAt('/labels')).toEqual(['unsent']);
  });
});

describe('Google', () => {
  const KEY = newSigningKey('key-1');
  let google: GoogleDouble;
  beforeEach(async () => {
    google = await openGoogle(KEY);
    world = await openWorld(withGoogle(google));
    visit.serve(world.app);
    ada = await world.signUp('ada@example.com', 'Ada');
  });

  /** Google's page, which sends back at once what it was asked for, as `change` makes it. */
  const reply = (change: (asked: URLSearchParams) => Record<string, string>) =>
    page.route('https://accounts.google.com/**', (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const id_token = idToken(KEY, { nonce: asked.get('nonce'), email: 'grace@gmail.com', name: 'Grace' });
      const fragment = new URLSearchParams({ id_token, state: asked.get('state') ?? '', ...change(asked) });
      return route.fulfill(leadingTo(`${asked.get('redirect_uri')}#${fragment}`));
    });

  it('signs in someone new, and leads to where they wanted to go', async () => {
    await reply(() => ({}));
    await open('/settings/security', 'Sign in');
    await press('Google');
    await shown('Security');
    await page.getByRole('button', { name: 'Unlink Google' }).waitFor();
  });

  it('is not believed for a request that was never made', async () => {
    await reply(() => ({ state: 'another' }));
    await open('/sign-in', 'Sign in');
    await press('Google');
    await page.getByRole('alert').filter({ hasText: 'That sign-in was not begun here' }).waitFor();
    await open('/sign-in', 'Sign in');
    await reply(() => ({ id_token: idToken(KEY, { nonce: 'another' }) }));
    await press('Google');
    await page.getByRole('alert').filter({ hasText: 'That sign-in was not begun here' }).waitFor();
    expect(visit.calls).toEqual([]);
  });

  it('is linked to the account that is signed in, and unlinked once that was asked', async () => {
    await reply(() => ({}));
    await enter('/settings/security', 'Security');
    await press('Link Google');
    await said('Linked Google');
    expect(page.url()).toBe(`${visit.origin}/app/settings/security`);
    expect((await asAda('GET', '/me')).body.googleLinked).toBe(true);
    const unlinking = page.getByRole('dialog', { name: 'Unlink Google' });
    for (const answer of ['Cancel', 'Unlink Google']) {
      await press('Unlink Google');
      expect((await asAda('GET', '/me')).body.googleLinked).toBe(true);
      await unlinking.getByRole('button', { name: answer }).click();
      await unlinking.waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Link Google', exact: true }).waitFor();
    expect((await asAda('GET', '/me')).body.googleLinked).toBe(false);
  });
});

describe('the account', () => {
  it('has its name, time zone, first day of the week and keys on Profile', async () => {
    await enter('/settings/profile', 'Profile');
    await fill('Name', 'Ada Lovelace');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByLabel('First day of the week').selectOption('sunday');
    await press('Save');
    await said('Saved');
    const { body } = await asAda('GET', '/me');
    expect(body).toMatchObject({ name: 'Ada Lovelace', timezone: 'Asia/Tokyo', weekStart: 'sunday' });

    await page.context().setOffline(true);
    await press('Use Europe/Berlin');
    await said('The server cannot be reached.');
    await page.context().setOffline(false);
    await press('Use Europe/Berlin');
    await eventually(async () => (await asAda('GET', '/me')).body.timezone).toBe('Europe/Berlin');

    await page.route(/\/api\/me$/, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.fallback(),
    );
    const letters = page.getByRole('switch', { name: 'Single-letter shortcuts' });
    await letters.click();
    await eventually(() => letters.getAttribute('aria-checked')).toBe('false');
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('c');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await eventually(async () => (await asAda('GET', '/me')).body.preferences).toMatchObject({
      singleLetters: false,
    });

    // The next visit goes by it before the server has told the profile, and shows no key that does nothing.
    await page.goto(`${visit.origin}/app/today`);
    await page.getByRole('button', { name: 'New task', exact: true }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(await page.locator('[aria-keyshortcuts]').count()).toBe(0);
  });

  it('gives back what was typed and not saved where a form was left by a link, Back or a reload, but no password', async () => {
    const name = page.getByLabel('Name', { exact: true });
    const drop = page.getByRole('button', { name: 'Drop changes' });
    const leaveTo = async (title: string) => {
      await page.getByRole('link', { name: title, exact: true }).click();
      await shown(title);
    };
    await enter('/settings/profile', 'Profile');
    expect(await drop.count()).toBe(0);
    await name.fill('Countess');
    await page.getByLabel('First day of the week').selectOption('sunday');
    await leaveTo('Security');
    await fill('Current password', 'a password typed');
    await fill('New email', 'countess@example.com');
    await page.goBack();
    await shown('Profile');
    expect(await name.inputValue()).toBe('Countess');
    expect(await page.getByLabel('First day of the week').inputValue()).toBe('sunday');
    await page.reload();
    await shown('Profile');
    expect(await name.inputValue()).toBe('Countess');
    await drop.click();
    expect(await name.inputValue()).toBe('Ada');
    expect(await drop.count()).toBe(0);
    expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);

    await name.fill('Ada Lovelace');
    await press('Save');
    await said('Saved');
    await drop.waitFor({ state: 'detached' });
    await leaveTo('Security');
    expect(await page.getByLabel('New email').inputValue()).toBe('countess@example.com');
    expect(await page.getByLabel('Current password').inputValue()).toBe('');
    await asAda('PATCH', '/me', { name: 'Ada King' });
    await page.reload();
    await leaveTo('Profile');
    await eventually(() => name.inputValue()).toBe('Ada King');

    await leaveTo('API tokens');
    await press('New token');
    await name.fill('Backup script');
    await page.reload();
    await shown('API tokens');
    await press('New token');
    expect(await name.inputValue()).toBe('Backup script');
    await press('Cancel');
    await press('New token');
    expect(await name.inputValue()).toBe('');
  });

  it('is not offered its own time zone by another name', async () => {
    const elsewhere = await startVisit(browser, world.app, { timezoneId: 'Asia/Calcutta' });
    await signInOn(elsewhere.page.context(), elsewhere.origin, ada);
    const offer = elsewhere.page.getByText('This device is in another time zone.');
    for (const [timezone, count] of [
      ['Asia/Tokyo', 1],
      ['Asia/Kolkata', 0],
      ['Asia/Calcutta', 0],
    ] as const) {
      await asAda('PATCH', '/me', { timezone });
      await elsewhere.page.goto(`${elsewhere.origin}/app/today`);
      await elsewhere.page.getByRole('status').filter({ hasText: 'Synced' }).waitFor();
      await eventually(() => offer.count()).toBe(count);
    }
    await elsewhere.end();
  });

  it('changes its password and address, and ends a session, on Security', async () => {
    await world.call('POST', '/auth/login', {
      body: { email: ada.email, password: ada.password },
      headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0' },
    });
    await enter('/settings/security', 'Security');
    const other = page.getByRole('listitem').filter({ hasText: 'Firefox on Linux' });
    await confirm(other, 'End', 'End session');
    await eventually(() => other.count()).toBe(0);

    await fill('New email', 'countess@example.com');
    await page
      .locator('form', { has: page.getByLabel('New email') })
      .getByRole('button')
      .click();
    await said('A link is on its way to countess@example.com');
    await world.mailTo('countess@example.com');

    await fill('Current password', 'not it');
    await fill('New password', 'a better password');
    const save = page
      .locator('form', { has: page.getByLabel('New password', { exact: true }) })
      .getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('The current password is wrong.').waitFor();
    await fill('Current password', ada.password);
    await save.click();
    await said('Password saved');
    expect((await asAda('GET', '/me')).status).toBe(401);
    const body = { email: ada.email, password: 'a better password' };
    expect((await world.call('POST', '/auth/login', { body })).status).toBe(200);
  });

  it('makes an API token that is shown once, and revokes it', async () => {
    await enter('/settings/tokens', 'API tokens');
    await press('New token');
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByLabel('Name').fill('Backup');
    await dialog.getByLabel('Role').selectOption('viewer');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const token = String(await dialog.getByText(/^errand_/).textContent());
    expect((await world.call('GET', '/me', { token })).status).toBe(200);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('listitem').filter({ hasText: `Backup …${token.slice(-4)}` });
    await row.waitFor();
    expect(await page.getByText(/^errand_/).count()).toBe(0);
    await confirm(row, 'Revoke', 'Revoke token');
    await eventually(() => row.count()).toBe(0);
    expect((await world.call('GET', '/me', { token })).status).toBe(401);
  });

  it('makes an API token by Ctrl and Enter too, wherever they are pressed in its dialog', async () => {
    await enter('/settings/tokens', 'API tokens');
    for (const field of ['Name', 'Role']) {
      await press('New token');
      await fill('Name', `By ${field}`);
      await page.getByLabel(field, { exact: true }).focus();
      await page.keyboard.press('Control+Enter');
      await press('Done');
      await page
        .getByRole('listitem')
        .filter({ hasText: `By ${field}` })
        .waitFor();
    }
  });

  it('makes an API token of one workspace for a year, also where its clock is ahead', async () => {
    world.clock.advance(-60_000);
    await enter('/settings/tokens', 'API tokens');
    await press('New token');
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByLabel('Name').fill('Backup');
    await dialog.getByLabel('Workspaces').selectOption({ label: "Ada's workspace" });
    await dialog.getByLabel('Ends after').selectOption({ label: 'A year' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/^errand_/).waitFor();
    const { items } = (await asAda('GET', '/me/tokens')).body;
    expect(items).toMatchObject([{ title: 'Backup', workspaceIds: [home] }]);
  });

  it('is taken along as one file', async () => {
    await enter('/settings/data', 'Your data');
    const [download] = await Promise.all([page.waitForEvent('download'), press('Export')]);
    const document = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect(document.profile.email).toBe(ada.email);
  });

  it('is deleted by its password, and leaves nothing on the device, however its end is heard', async () => {
    await enter('/settings/data', 'Your data');
    await press('Delete account');
    const dialog = page.getByRole('dialog', { name: 'Delete account' });
    await dialog.getByLabel('Password', { exact: true }).fill('not it');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByText('That password is wrong.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(ada.password);
    const isHeard = page.waitForResponse(
      (response) => response.url().includes('/api/me/') && response.status() === 401,
    );
    // The stream, or what is asked where none came through in time, tells of the end before the response does.
    await page.route('**/api/auth/me', async (route) => {
      const response = await route.fetch();
      await isHeard;
      await route.fulfill({ response });
    });
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await shown('Sign in');
    expect(page.url()).toBe(`${visit.origin}/app/sign-in`);
    await said('Your account is deleted.');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await eventually(countDatabases).toBe(0);
    expect((await asAda('GET', '/me')).status).toBe(401);
  });
});

describe('the workspace', () => {
  it('has its name and key on General', async () => {
    await enter(settingsOf('general'), 'General');
    await fill('Name', '');
    await press('Save');
    await page.getByText('Name must be').waitFor();
    await fill('Name', 'Kanal Studio');
    await fill('Key', 'k');
    await press('Save');
    await page.getByLabel('Key', { exact: true }).and(page.locator('[aria-invalid="true"]')).waitFor();
    await fill('Key', 'kan');
    await press('Save');
    await said('Saved');
    expect((await asAda('GET', `/workspaces/${home}`)).body).toMatchObject({
      title: 'Kanal Studio',
      key: 'KAN',
    });
    await fill('Key', 'K');
    await press('Save');
    await page.getByRole('main').getByText('Key must be 2 to 6 letters').waitFor();
    expect(await page.getByRole('status').filter({ hasText: 'Saved' }).count()).toBe(0);
    await fill('Key', 'KAN');
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('button', { name: 'Kanal Studio' })
      .waitFor();
  });

  it('keeps what is typed on while its name is being saved, or is changed elsewhere', async () => {
    await enter(settingsOf('general'), 'General');
    const name = page.getByLabel('Name', { exact: true });
    const { promise: held, resolve: letThrough } = Promise.withResolvers<void>();
    await page.route(`**/workspaces/${home}`, async (route) => {
      await held;
      await route.continue();
    });
    const isNamed = (title: string) =>
      page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('button', { name: title, exact: true })
        .waitFor();
    await name.fill('Kanal');
    await page.keyboard.press('Enter');
    await name.fill('Kanal Studio');
    letThrough();
    await isNamed('Kanal');
    expect(await name.inputValue()).toBe('Kanal Studio');
    await asAda('PATCH', `/workspaces/${home}`, { title: 'Studio' });
    await isNamed('Studio');
    expect(await name.inputValue()).toBe('Kanal Studio');
    await press('Save');
    await isNamed('Kanal Studio');
    await asAda('PATCH', `/workspaces/${home}`, { title: 'Studio' });
    await eventually(() => name.inputValue()).toBe('Studio');
  });

  it('gets spaces and lists, ordered by keys, moved, and deleted', async () => {
    await enter(settingsOf('spaces'), 'Spaces and lists');
    await press('New space');
    await fill('Name', 'Home');
    await page.keyboard.press('Enter');
    const space = page.getByRole('region', { name: 'General', exact: true });
    await space.getByRole('button', { name: 'New list' }).click();
    await fill('Name', 'Garden');
    await press('Save');
    const garden = space.getByRole('link', { name: 'Garden' });
    await eventually(() => titlesAt('/lists?limit=100')).toContain('Garden');
    await synced();
    await garden.focus();
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(() => space.getByRole('link').allTextContents()).toEqual(['Garden', 'Tasks']);
    await eventually(focused).toBe('Garden');
    await eventually(() => titlesAt('/lists?limit=100')).toEqual(['Garden', 'Tasks', 'Tasks']);

    await space.getByRole('button', { name: 'More for Garden' }).click();
    await page.getByRole('menuitem', { name: 'Move to…' }).click();
    await page.getByLabel('Space', { exact: true }).selectOption({ label: 'Home' });
    await press('Save');
    const homes = page.getByRole('region', { name: 'Home', exact: true });
    await homes.getByRole('link', { name: 'Garden' }).waitFor();
    await homes.getByRole('button', { name: 'More for Garden' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await eventually(() => homes.getByRole('link', { name: 'Garden' }).count()).toBe(0);
    await eventually(() => titlesAt('/lists?limit=100')).toEqual(['Tasks', 'Tasks']);
  });

  it('gets statuses, in the order that was chosen', async () => {
    await enter(settingsOf('statuses'), 'Statuses');
    await press('New status');
    await page.locator('main input:focus').fill('In review');
    await page.keyboard.press('Alt+ArrowUp');
    await press('Save');
    await said('Saved');
    const { body } = await asAda('GET', `/workspaces/${home}/status-templates`);
    expect(body.items[0].statuses.map(({ title }: { title: string }) => title)).toEqual([
      'To Do',
      'In Progress',
      'In review',
      'Done',
    ]);
  });

  it('gives back what was typed of its statuses, labels and invitations where the screen was left', async () => {
    const leaveTo = async (title: string) => {
      await page.getByRole('link', { name: title, exact: true }).click();
      await shown(title);
    };
    const first = page.getByLabel('Name of status 1');
    await enter(settingsOf('statuses'), 'Statuses');
    await first.fill('Backlog');
    await press('New status');
    await page.locator('main input:focus').fill('In review');
    await leaveTo('People');
    await fill('Email', 'eve@example.com');
    await leaveTo('Labels');
    await press('New label');
    await fill('Name', 'garden');
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    await shown('People');
    expect(await page.getByLabel('Email').inputValue()).toBe('eve@example.com');
    await leaveTo('Labels');
    await press('New label');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('garden');
    await page.keyboard.press('Enter');
    await eventually(() => titlesAt('/labels')).toEqual(['garden']);
    await leaveTo('Statuses');
    expect(await first.inputValue()).toBe('Backlog');
    expect(await page.getByLabel('Name of status 4').inputValue()).toBe('In review');
    await press('Drop changes');
    expect(await first.inputValue()).toBe('To Do');
    await page.context().setOffline(true);
    await press('New template');
    await fill('Name', 'Research');
    await page.keyboard.press('Enter');
    await said('The server cannot be reached.');
    await page.context().setOffline(false);
    await press('New template');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Research');
    await press('Cancel');
    await first.fill('Backlog');
    await press('New status');
    await press('Save');
    await said('Saved');
    await page.getByRole('button', { name: 'Drop changes' }).waitFor({ state: 'detached' });
    await asAda('GET', `/workspaces/${home}/status-templates`).then(({ body }) =>
      expect(body.items[0].statuses).toHaveLength(4),
    );
    await leaveTo('Labels');
    await press('New label');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
  });

  it('keeps what is changed of its statuses while their template is renamed', async () => {
    await enter(settingsOf('statuses'), 'Statuses');
    await page.getByLabel('Name of status 1').fill('Backlog');
    world.clock.advance(1000);
    await press('More for Default');
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await fill('Name', 'Team');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Team' }).waitFor();
    expect(await page.getByLabel('Name of status 1').inputValue()).toBe('Backlog');
  });

  it('takes what another admin saves of its statuses meanwhile, keeps what is edited, and tells of what both changed', async () => {
    const path = `/workspaces/${home}/status-templates`;
    const [template] = (await asAda('GET', path)).body.items;
    const elsewhere = async (titles: Record<string, string>) => {
      world.clock.advance(1000);
      const { statuses } = (await asAda('GET', `${path}/${template.id}`)).body;
      const body = {
        statuses: statuses.map(({ id, title }: { id: string; title: string }) => ({
          id,
          title: titles[title] ?? title,
        })),
      };
      await asAda('PATCH', `${path}/${template.id}`, body);
    };
    await enter(settingsOf('statuses'), 'Statuses');
    const name = (number: number) => page.getByLabel(`Name of status ${number}`);
    await name(1).fill('Backlog');
    await elsewhere({ 'In Progress': 'Doing' });
    await eventually(() => name(2).inputValue()).toBe('Doing');
    expect(await name(1).inputValue()).toBe('Backlog');
    await elsewhere({ 'To Do': 'Later' });
    await page
      .getByRole('alert')
      .filter({ hasText: '“Later” was changed too; here it stays as you have it.' })
      .waitFor();
    expect(await name(1).inputValue()).toBe('Backlog');

    // Told at saving too, where it has not been heard of.
    const late = async (route: Route) => {
      await elsewhere({ Later: 'Some day', Done: 'Finished' });
      await route.continue();
    };
    await page.route('**/status-templates/*', late, { times: 1 });
    await press('Save');
    await page.getByRole('alert').filter({ hasText: '“Some day” was changed too' }).waitFor();
    expect(await name(3).inputValue()).toBe('Finished');
    await press('Save');
    await said('Saved');
    const { statuses } = (await asAda('GET', `${path}/${template.id}`)).body;
    expect(statuses.map(({ title }: { title: string }) => title)).toEqual(['Backlog', 'Doing', 'Finished']);
  });

  it('gets labels, coloured, renamed, ordered and deleted', async () => {
    for (const title of ['writing', 'money']) await asAda('POST', `/workspaces/${home}/labels`, { title });
    await enter(settingsOf('labels'), 'Labels');
    await press('New label');
    await fill('Name', 'legal');
    await page.keyboard.press('Enter');
    await press('More for legal');
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await fill('Name', 'law');
    await page.keyboard.press('Enter');
    await eventually(() => titlesAt('/labels')).toContain('law');
    await synced();
    await press('New label');
    await fill('Name', 'law');
    await page.keyboard.press('Enter');
    await page.getByText('Another one has this name').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More for law' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByLabel('Colour of law').fill('#123456');
    await eventually(() => titlesAt('/labels')).toEqual(['law', 'writing', 'money']);
    await press('More for money');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete label' }).getByRole('button', { name: 'Delete' }).click();
    await eventually(() => titlesAt('/labels')).toEqual(['law', 'writing']);
    expect((await asAda('GET', `/workspaces/${home}/labels`)).body.items[0].color).toBe('#123456');
  });

  it('invites people, changes their role, removes them', async () => {
    const bob = await world.signUp('bob@example.com', 'Bob');
    await addMember(world, ada, home, bob, 'member');
    await enter(settingsOf('people'), 'People');
    await fill('Email', 'not an address');
    await press('Invite');
    await page.getByText('Email must be valid').waitFor();
    // What is wrong has the focus.
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('cleo@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await press('Invite');
    await said('Invited cleo@example.com');
    const cleo = page.getByRole('listitem').filter({ hasText: 'cleo@example.com' });
    visit.calls.length = 0;
    await cleo.getByRole('button', { name: 'Send again' }).dblclick();
    await said('Sent again');
    await confirm(cleo, 'Withdraw', 'Withdraw invitation');
    await eventually(() => cleo.count()).toBe(0);
    await said('Withdrew the invitation of cleo@example.com');
    expect(visit.calls.map((one) => one.split(' ')[0])).toEqual(['POST', 'DELETE']);

    await press('Role: Member');
    await page.getByRole('menuitemradio', { name: 'Admin' }).click();
    await press('Role: Admin');
    await page.keyboard.press('Escape');
    await press('More for Bob');
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('dialog', { name: 'Remove' }).getByRole('button', { name: 'Remove' }).click();
    await eventually(() => page.getByRole('row', { name: /Bob/ }).count()).toBe(0);
    expect((await as(world, bob)('GET', `/workspaces/${home}`)).status).toBe(403);
  });

  it('lists nobody as invited any more who has joined', async () => {
    const eve = await world.signUp('eve@example.com', 'Eve');
    const body = { email: eve.email, role: 'member' };
    await asAda('POST', `/workspaces/${home}/invitations`, body);
    const { token } = await world.mailTo(eve.email);
    await enter(settingsOf('people'), 'People');
    const invited = page.getByRole('listitem').filter({ hasText: eve.email });
    await invited.waitFor();
    await as(world, eve)('POST', '/invitations/accept', { token });
    await page.getByRole('row', { name: /Eve/ }).waitFor();
    await eventually(() => invited.count()).toBe(0);
  });

  it('is left by a member, and offers a viewer nothing to change', async () => {
    const bob = await world.signUp('bob@example.com', 'Bob');
    await addMember(world, ada, home, bob, 'viewer');
    await enter(settingsOf('general'), 'General', bob);
    await page.getByLabel('Name', { exact: true }).and(page.locator(':disabled')).waitFor();
    const why = page.getByText('Only the owner and admins can change this.');
    await why.waitFor();
    for (const [name, heading] of [
      ['spaces', 'Spaces and lists'],
      ['statuses', 'Statuses'],
      ['labels', 'Labels'],
    ] as const) {
      await open(settingsOf(name), heading);
      expect(await page.getByRole('main').getByRole('button').count(), name).toBe(0);
      expect(await why.count(), name).toBe(name === 'statuses' ? 1 : 0);
    }
    await open(settingsOf('general'), 'General');
    await press('Leave');
    await page.getByRole('dialog', { name: 'Leave' }).getByRole('button', { name: 'Leave' }).click();
    await said('You left');
    await shown('Today');
    expect((await as(world, bob)('GET', `/workspaces/${home}`)).status).toBe(403);
  });
});

describe('on a phone', () => {
  it('Me leads to the settings, and they lead back', async () => {
    const phone = await startVisit(browser, world.app, { ...PHONE, timezoneId: 'Europe/Berlin' });
    onTestFinished(() => phone.end());
    page = phone.page;
    await signInOn(page.context(), phone.origin, ada);
    await page.goto(`${phone.origin}/app/today`);
    await shown('Today');
    await page.getByRole('link', { name: 'Me', exact: true }).tap();
    await shown('Me');
    await page.getByRole('link', { name: 'Settings' }).tap();
    await shown('Settings');
    const settings = page.getByRole('navigation', { name: 'Settings' });
    for (const name of [
      'General',
      'Spaces and lists',
      'Statuses',
      'Labels',
      'People',
      'Profile',
      'Security',
    ]) {
      await settings.getByRole('link', { name, exact: true }).tap();
      await shown(name);
      expect(await settings.count()).toBe(0);
      await page.getByRole('button', { name: 'Back to Settings' }).tap();
      await shown('Settings');
    }
    await page.getByRole('button', { name: 'Back to Me' }).tap();
    await shown('Me');
    await page.getByRole('button', { name: 'Sign out' }).tap();
    await shown('Sign in');
  });
});
