import { Hono } from 'hono';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { DAY, MINUTE } from '../../src/kernel/instants.ts';
import { openWorld, type Person, type World } from '../world.ts';
import { launchBrowser, startVisit, type Visit } from './visit.ts';

let browser: Browser;
let world: World;
let visit: Visit;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  world = await openWorld();
  visit = await startVisit(browser, world.app);
});
afterEach(async () => {
  await visit.end();
  await world.close();
});

const heading = (name: string) => visit.page.getByRole('heading', { level: 1, name, exact: true });
const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
const status = () => visit.page.getByRole('status').filter({ visible: true });
const seen = async (name: string) => {
  await heading(name).waitFor();
  expect(await visit.page.title()).toBe(`${name} · Errand`);
};
const ended = async (name: string) => {
  await seen(name);
  expect(await heading(name).evaluate((element) => element === element.ownerDocument.activeElement)).toBe(
    true,
  );
  expect(await visit.page.evaluate('history.state')).toBe(null);
};

const register = async (email: string, password = 'password1') => {
  await world.call('POST', '/auth/register', { body: { email, password, name: 'Ada' } });
  return world.mailTo(email);
};
const logIn = (email: string, password: string) =>
  world.call('POST', '/auth/login', { body: { email, password } });
const me = (person: Person) => world.call('GET', '/me', { token: person.accessToken });
const countSessions = () =>
  world.opened.storage.writing.prepare('select count(*) from sessions').pluck().get();

describe('a sign-up', () => {
  it('is confirmed by the button of its page, and only by it', async () => {
    const { link } = await register('ada@example.com');
    await visit.follow(link);
    await seen('Confirm your address');
    expect(visit.page.url()).toBe(`${visit.origin}/confirm-signup`);
    await visit.page.reload();
    await seen('Confirm your address');
    await visit.follow(link);
    await seen('Confirm your address');
    expect(visit.calls).toEqual([]);
    expect((await logIn('ada@example.com', 'password1')).status).toBe(401);

    await button('Open my account').click();
    await ended('Your account is open');
    expect(visit.calls).toEqual(['POST /api/auth/register/confirm', 'POST /api/auth/logout']);
    expect(countSessions()).toBe(0);
    expect((await logIn('ada@example.com', 'password1')).status).toBe(200);
  });

  it('is confirmed by keyboard alone, and sent once however often the key is hit', async () => {
    const { link } = await register('ada@example.com');
    await visit.follow(link);
    await visit.page.keyboard.press('Tab');
    expect(await button('Open my account').evaluate((e) => e === e.ownerDocument.activeElement)).toBe(true);
    await visit.page.keyboard.press('Enter');
    await visit.page.keyboard.press('Enter');
    await ended('Your account is open');
    expect(visit.calls.filter((call) => call.endsWith('/confirm'))).toHaveLength(1);
  });
});

describe('a password reset', () => {
  it('sets the new password and ends every session', async () => {
    const ada = await world.signUp('ada@example.com');
    await world.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    await visit.follow((await world.mailTo(ada.email)).link);
    await seen('Choose a new password');
    expect(visit.page.url()).toBe(`${visit.origin}/reset-password`);

    const field = visit.page.getByLabel('New password');
    expect(await field.getAttribute('autocomplete')).toBe('new-password');
    await visit.page.getByLabel('Show password').check();
    expect(await field.getAttribute('type')).toBe('text');
    await visit.page.getByLabel('Show password').uncheck();
    expect(await field.getAttribute('type')).toBe('password');

    await field.fill('short');
    await button('Set the new password').click();
    await visit.page.getByText('Password must be at least 8 characters').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect((await me(ada)).status).toBe(200);

    await field.fill('a much better one');
    await field.press('Enter');
    await ended('Your new password is set');
    expect((await me(ada)).status).toBe(401);
    expect((await logIn(ada.email, ada.password)).status).toBe(401);
    expect((await logIn(ada.email, 'a much better one')).status).toBe(200);
    expect(await field.inputValue()).toBe('');
  });

  it('says so when its link is dead', async () => {
    const ada = await world.signUp('ada@example.com');
    await world.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    await visit.follow((await world.mailTo(ada.email)).link);
    world.clock.advance(31 * MINUTE);
    await visit.page.getByLabel('New password').fill('a much better one');
    await button('Set the new password').click();
    await ended('This link does not work any more');
    expect((await logIn(ada.email, ada.password)).status).toBe(200);
  });
});

describe('a change of e-mail address', () => {
  const ask = async (ada: Person) => {
    const body = { newEmail: 'countess@example.com' };
    await world.call('POST', '/auth/email/change/request', { token: ada.accessToken, body });
  };

  it('happens by the button of the page mailed to the new address', async () => {
    const ada = await world.signUp('ada@example.com');
    await ask(ada);
    await visit.follow((await world.mailTo('countess@example.com')).link);
    await seen('Confirm your new address');
    expect((await me(ada)).body.email).toBe('ada@example.com');
    await button('Use this address').click();
    await ended('Your address is changed');
    expect((await me(ada)).body.email).toBe('countess@example.com');
  });

  it('is called off by the button of the page mailed to the old one', async () => {
    const ada = await world.signUp('ada@example.com');
    await ask(ada);
    await visit.follow((await world.mailTo('ada@example.com')).link);
    await seen('Keep your address');
    await button('Keep my address').click();
    await ended('Your address stays');
    await visit.follow((await world.mailTo('countess@example.com')).link);
    await button('Use this address').click();
    await ended('This link does not work any more');
    expect((await me(ada)).body.email).toBe('ada@example.com');
  });

  it('is undone by that page when it has happened, and every session ends', async () => {
    const ada = await world.signUp('ada@example.com');
    world.clock.advance(MINUTE);
    await ask(ada);
    const { token } = await world.mailTo('countess@example.com');
    await world.call('POST', '/auth/email/change/confirm', { body: { token } });
    await visit.follow((await world.mailTo('ada@example.com')).link);
    await button('Keep my address').click();
    await ended('Your address stays');
    expect((await me(ada)).status).toBe(401);
    expect((await logIn('ada@example.com', ada.password)).status).toBe(200);
  });
});

describe('an invitation', () => {
  const invite = async (email: string) => {
    const owner = await world.signUp('owner@example.com', 'Olga');
    const workspaces = await world.call('GET', '/me/workspaces', { token: owner.accessToken });
    const workspaceId: string = workspaces.body.items[0].id;
    const body = { email, role: 'member' };
    await world.call('POST', `/workspaces/${workspaceId}/invitations`, { token: owner.accessToken, body });
    return { link: (await world.mailTo(email)).link, workspaceId };
  };
  const titlesOf = async (token: string) => {
    const { body } = await world.call('GET', '/me/workspaces', { token });
    return body.items.map(({ title }: { title: string }) => title);
  };
  const signIn = () => visit.page.locator('form', { has: button('Sign in and join') });
  const signUp = () => visit.page.locator('form', { has: button('Sign up and join') });

  it('is accepted by signing in on its page, which keeps no session', async () => {
    const ada = await world.signUp('ada@example.com');
    const { link } = await invite(ada.email);
    const sessions = countSessions();
    await visit.follow(link);
    await seen('You are invited to a workspace');
    expect(visit.page.url()).toBe(`${visit.origin}/accept-invitation`);

    const password = signIn().getByLabel('Password', { exact: true });
    expect(await password.getAttribute('autocomplete')).toBe('current-password');
    await signIn().getByLabel('E-mail address').fill(ada.email);
    await password.fill('not it');
    await button('Sign in and join').click();
    await status().filter({ hasText: 'The e-mail address or the password is wrong.' }).waitFor();
    expect(await titlesOf(ada.accessToken)).toEqual(["Ada's workspace"]);

    await password.fill(ada.password);
    await button('Sign in and join').click();
    await ended('You have joined');
    await visit.page.getByText("“Olga's workspace”").waitFor();
    expect(await titlesOf(ada.accessToken)).toEqual(["Ada's workspace", "Olga's workspace"]);
    expect(countSessions()).toBe(sessions);
    expect(visit.calls.slice(-3)).toEqual([
      'POST /api/auth/login',
      'POST /api/invitations/accept',
      'POST /api/auth/logout',
    ]);
  });

  it('is left as it is by an account of another address, whose session ends as well', async () => {
    const eve = await world.signUp('eve@example.com', 'Eve');
    const { link } = await invite('ada@example.com');
    const sessions = countSessions();
    await visit.follow(link);
    await signIn().getByLabel('E-mail address').fill(eve.email);
    await signIn().getByLabel('Password', { exact: true }).fill(eve.password);
    await button('Sign in and join').click();
    await status().filter({ hasText: 'another address' }).waitFor();
    expect(await titlesOf(eve.accessToken)).toEqual(["Eve's workspace"]);
    expect(countSessions()).toBe(sessions);
  });

  it('is accepted by signing up on its page and confirming by mail', async () => {
    const { link } = await invite('ada@example.com');
    await visit.follow(link);
    await visit.page.getByText('I am new here').click();
    await button('Sign up and join').click();
    await signUp().getByText('Name must be 1 to 200 characters').waitFor();
    await signUp().getByText('Email must be valid').waitFor();
    await signUp().getByText('Password must be at least 8 characters').waitFor();

    await signUp().getByLabel('Your name').fill('Ada');
    await signUp().getByLabel('Password', { exact: true }).fill('password1');
    await signUp().getByLabel('E-mail address').fill('someone.else@example.com');
    await button('Sign up and join').click();
    await status().filter({ hasText: 'not valid for this address' }).waitFor();
    await signUp().getByLabel('E-mail address').fill('ada@example.com');
    await button('Sign up and join').click();
    await ended('A mail is on its way');
    await visit.page.getByText('ada@example.com').waitFor();

    await visit.follow((await world.mailTo('ada@example.com')).link);
    await button('Open my account').click();
    await ended('Your account is open');
    const { body } = await logIn('ada@example.com', 'password1');
    expect(await titlesOf(body.accessToken)).toEqual(["Ada's workspace", "Olga's workspace"]);
  });

  it('says so when it is dead', async () => {
    const ada = await world.signUp('ada@example.com');
    const { link } = await invite(ada.email);
    world.clock.advance(8 * DAY);
    await visit.follow(link);
    await signIn().getByLabel('E-mail address').fill(ada.email);
    await signIn().getByLabel('Password', { exact: true }).fill(ada.password);
    await button('Sign in and join').click();
    await ended('This invitation does not work any more');
  });
});

describe('every page of a mailed link', () => {
  it.each(['/confirm-signup', '/reset-password', '/confirm-email', '/keep-email', '/accept-invitation'])(
    '%s says what to do without a token, and takes one that comes into the same tab',
    async (path) => {
      await visit.page.goto(visit.origin + path);
      await seen('Please open the link from your mail');
      expect(await visit.page.getByRole('button').count()).toBe(0);
      await visit.page.goto(`${visit.origin}${path}#token=abc`);
      await visit.page.getByRole('button').first().waitFor();
      expect(visit.page.url()).toBe(visit.origin + path);
      expect(visit.calls).toEqual([]);
    },
  );

  it('says when the server cannot be reached, fails, or asks for patience, and lets one try again', async () => {
    const { link } = await register('ada@example.com');
    await visit.follow(link);
    const { page } = visit;
    const press = () => button('Open my account').click();
    const api = `${visit.origin}/api/**`;

    await page.context().setOffline(true);
    await press();
    await page.getByText('The server cannot be reached').waitFor();
    await page.context().setOffline(false);

    for (const [answer, words] of [
      [{ status: 502, contentType: 'text/html', body: '<h1>Bad gateway' }, 'cannot do this right now'],
      [{ status: 429, headers: { 'Retry-After': '7' }, body: '{}' }, 'Please wait 7 seconds'],
      [{ status: 429, headers: { 'Retry-After': '600' }, body: '{}' }, 'Please wait 10 minutes'],
      [{ status: 429, body: '{}' }, 'Please wait a little'],
      [{ status: 403, body: '{"error":"ForbiddenError","message":"Not you"}' }, 'Not you'],
    ] as const) {
      await page.route(api, (route) => route.fulfill(answer), { times: 1 });
      await press();
      await status().filter({ hasText: words }).waitFor();
    }
    await press();
    await ended('Your account is open');
  });

  it('does its work under every base path', async () => {
    for (const basePath of ['/', '/a/b']) {
      await visit.end();
      await world.close();
      world = await openWorld({ settings: { server: { base_path: basePath } } });
      visit = await startVisit(browser, world.app);
      await visit.follow((await register('ada@example.com')).link);
      await button('Open my account').click();
      await ended('Your account is open');
    }
  });

  it('does its work behind a proxy that serves it under a path of its own', async () => {
    await visit.end();
    const proxied = new Hono().mount('/work', (request, bindings) => world.app.fetch(request, bindings));
    visit = await startVisit(browser, proxied as unknown as App, { under: '/work' });
    await visit.follow((await register('ada@example.com')).link);
    await button('Open my account').click();
    await ended('Your account is open');
    expect(visit.page.url()).toBe(`${visit.origin}/work/confirm-signup`);
    expect(visit.calls[0]).toBe('POST /work/api/auth/register/confirm');
  });

  it('tells, without JavaScript, how to do it by the API', async () => {
    await visit.end();
    visit = await startVisit(browser, world.app, { javaScriptEnabled: false });
    await visit.follow('/confirm-signup#token=abc');
    await visit.page.locator('noscript code', { hasText: '/api/auth/register/confirm' }).waitFor();
    expect(await visit.page.getByRole('button').count()).toBe(0);
  });
});

describe('the first page', () => {
  it('says what this is and leads to the description of the API', async () => {
    await visit.page.goto(visit.origin);
    await heading('This is an Errand server, and it runs').waitFor();
    const link = visit.page.getByRole('link', { name: 'Its OpenAPI description' });
    expect(await link.evaluate((element) => (element as unknown as { href: string }).href)).toBe(
      `${visit.origin}/api/openapi.json`,
    );
  });
});
