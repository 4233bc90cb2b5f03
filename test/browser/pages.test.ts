import { Hono } from 'hono';
import type { ConsoleMessage } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { DAY, MINUTE } from '../../src/kernel/instants.ts';
import { openWorld, type Person, type World, type WorldOptions } from '../world.ts';
import { browser, DENY_STORAGE, signInOn, startVisit, useVisit, visit } from './visit.ts';

let world: World;

useVisit();
beforeEach(async () => {
  world = await openWorld();
  visit.serve(world.app);
});
const openAnother = async (settings: WorldOptions['settings']) => {
  await visit.leave();
  await world.close();
  world = await openWorld({ ...(settings && { settings }) });
  visit.serve(world.app);
};

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

/** In the web client, at the screen of that name. */
const inClient = async (name: string) => {
  await heading(name).waitFor();
  expect(visit.page.url()).toMatch(/\/app\//);
};
const whoIsHere = () =>
  visit.page.evaluate<string | undefined>(
    "fetch('/api/me').then((response) => response.json()).then(({ email }) => email)",
  );

const register = async (email: string, password = 'password1') => {
  await world.call('POST', '/auth/register', { body: { email, password, name: 'Ada' } });
  return world.mailTo(email);
};
const logIn = (email: string, password: string) =>
  world.call('POST', '/auth/login', { body: { email, password } });
/** Signs the browser in to the web client. */
const signInHere = (person: Person) => signInOn(visit.page.context(), visit.origin, person);
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
    // Only the fragment is another: the page loads itself again, and takes the token out of its address.
    await visit.page.waitForURL(`${visit.origin}/confirm-signup`);
    await seen('Confirm your address');
    expect(visit.calls).toEqual([]);
    expect((await logIn('ada@example.com', 'password1')).status).toBe(401);
    const historyLength = await visit.page.evaluate('history.length');

    await button('Confirm').click();
    await inClient('Today');
    expect(visit.calls[0]).toBe('POST /api/auth/register/confirm');
    expect(countSessions()).toBe(1);
    expect(await whoIsHere()).toBe('ada@example.com');
    expect(await visit.page.evaluate('history.length')).toBe(historyLength);
    expect((await logIn('ada@example.com', 'password1')).status).toBe(200);
  });

  it('that opens an account without a password asks for one, and leads on with it', async () => {
    await register('ada@example.com', 'password of a stranger');
    world.clock.advance(1);
    const { link } = await register('ada@example.com');
    await visit.follow(link);
    await button('Confirm').click();
    await ended('Your account is open, without a password');
    await visit.page.getByLabel('Password', { exact: true }).fill('short');
    await button('Set password').click();
    await visit.page.getByText('Password must be at least 8 characters').waitFor();
    await visit.page.getByLabel('Password', { exact: true }).fill('chosen just now');
    await button('Set password').click();
    await inClient('Today');
    expect((await logIn('ada@example.com', 'chosen just now')).status).toBe(200);
    expect((await logIn('ada@example.com', 'password1')).status).toBe(401);
  });

  it('that opened an account without a password leads on without one too', async () => {
    await register('ada@example.com', 'password of a stranger');
    world.clock.advance(1);
    await visit.follow((await register('ada@example.com')).link);
    await button('Confirm').click();
    await ended('Your account is open, without a password');
    await visit.page.getByRole('link', { name: 'Go on without a password' }).click();
    await inClient('Today');
  });

  it('names both accounts where another one is signed in, and goes on as the new one', async () => {
    const eve = await world.signUp('eve@example.com', 'Eve');
    const { link } = await register('ada@example.com');
    await signInHere(eve);
    await visit.follow(link);
    await visit.page.getByText('This browser is signed in as eve@example.com').waitFor();
    await visit.page.getByText('Open the account of ada@example.com, and go on as that one here?').waitFor();
    await button('Confirm').click();
    await inClient('Today');
    expect(await whoIsHere()).toBe('ada@example.com');
  });

  it('is confirmed by keyboard alone, and sent once however often the key is hit', async () => {
    const { link } = await register('ada@example.com');
    await visit.follow(link);
    await visit.page.keyboard.press('Tab');
    expect(await button('Confirm').evaluate((e) => e === e.ownerDocument.activeElement)).toBe(true);
    await visit.page.keyboard.press('Enter');
    await visit.page.keyboard.press('Enter');
    await inClient('Today');
    expect(visit.calls.filter((call) => call.endsWith('/confirm'))).toHaveLength(1);
  });
});

describe('a password reset', () => {
  it('sets the new password and ends every session', async () => {
    const ada = await world.signUp('ada@example.com');
    await world.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    await visit.follow((await world.mailTo(ada.email)).link);
    await seen('Choose a new password');
    const username = visit.page.locator('input[autocomplete="username"]');
    await expect.poll(() => username.inputValue()).toBe('ada@example.com');
    expect(visit.page.url()).toBe(`${visit.origin}/reset-password`);

    const field = visit.page.getByLabel('New password');
    expect(await field.getAttribute('autocomplete')).toBe('new-password');
    await visit.page.getByLabel('Show what is typed').check();
    expect(await field.getAttribute('type')).toBe('text');
    await visit.page.getByLabel('Show what is typed').uncheck();
    expect(await field.getAttribute('type')).toBe('password');

    await field.fill('short');
    await button('Set password').click();
    await visit.page.getByText('Password must be at least 8 characters').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect((await me(ada)).status).toBe(200);

    await field.fill('a much better one');
    await field.press('Enter');
    await inClient('Sign in');
    await status().filter({ hasText: 'Your new password is set. Sign in with it.' }).waitFor();
    expect((await me(ada)).status).toBe(401);
    expect((await logIn(ada.email, ada.password)).status).toBe(401);
    expect((await logIn(ada.email, 'a much better one')).status).toBe(200);
  });

  it('leads on where the browser may not store', async () => {
    const ada = await world.signUp('ada@example.com');
    await world.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    const { page, follow, end } = await startVisit(browser, world.app);
    await page.addInitScript(DENY_STORAGE);
    await follow((await world.mailTo(ada.email)).link);
    await page.getByLabel('New password').fill('a much better one');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await end();
  });

  it('names both accounts where another one is signed in, which it signs out', async () => {
    const ada = await world.signUp('ada@example.com');
    const eve = await world.signUp('eve@example.com', 'Eve');
    await signInHere(eve);
    await world.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    await visit.follow((await world.mailTo(ada.email)).link);
    await visit.page.getByText('This browser is signed in as eve@example.com').waitFor();
    await visit.page.getByText('Set the password of ada@example.com, and sign out here?').waitFor();
    await visit.page.getByLabel('New password').fill('a much better one');
    await button('Set password').click();
    await inClient('Sign in');
    expect(await whoIsHere()).toBe(undefined);
  });

  it('says so when its link is dead', async () => {
    const ada = await world.signUp('ada@example.com');
    await world.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    await visit.follow((await world.mailTo(ada.email)).link);
    await visit.page.getByText(ada.email).first().waitFor();
    world.clock.advance(31 * MINUTE);
    await visit.page.getByLabel('New password').fill('a much better one');
    await button('Set password').click();
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
    await visit.page.getByText('the one of ada@example.com').waitFor();
    expect((await me(ada)).body.email).toBe('ada@example.com');
    await button('Confirm').click();
    await inClient('Sign in');
    await status().filter({ hasText: 'Your address is changed.' }).waitFor();
    expect((await me(ada)).body.email).toBe('countess@example.com');
  });

  it('is called off by the button of the page mailed to the old one', async () => {
    const ada = await world.signUp('ada@example.com');
    await ask(ada);
    await visit.follow((await world.mailTo('ada@example.com')).link);
    await seen('Keep your address');
    await button('Keep my address').click();
    await ended('Your address stays');
    await visit.page.getByText('it signs out every device').waitFor();
    await visit.page.getByRole('link', { name: 'Set a new password' }).waitFor();
    await visit.follow((await world.mailTo('countess@example.com')).link);
    await button('Confirm').click();
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
    await ended('Your address is back');
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
  /** In the web client, which says what has happened. */
  const arrived = async () => {
    await inClient('Today');
    expect(visit.page.url()).toBe(`${visit.origin}/app/today`);
    await status().filter({ hasText: 'You have joined the workspace' }).waitFor();
  };
  it('opens the account of a newcomer by a name and a password', async () => {
    const { link } = await invite('ada@example.com');
    await visit.follow(link);
    await seen('You are invited to a workspace');
    expect(visit.page.url()).toBe(`${visit.origin}/accept-invitation`);
    await visit.page.getByText("Olga invites you to the workspace “Olga's workspace” on this").waitFor();
    await button('Accept').click();
    await visit.page.getByText('Name must be 1 to 200 characters').waitFor();
    await visit.page.getByText('Password must be at least 8 characters').waitFor();
    await visit.page.getByLabel('Name', { exact: true }).fill('Ada');
    await visit.page.getByLabel('Password', { exact: true }).fill('password1');
    await button('Accept').click();
    await arrived();
    expect(await whoIsHere()).toBe('ada@example.com');
    const { body } = await logIn('ada@example.com', 'password1');
    expect(await titlesOf(body.accessToken)).toEqual(["Ada's workspace", "Olga's workspace"]);
  });

  it('is accepted at one press by who is signed in', async () => {
    const ada = await world.signUp('ada@example.com');
    const { link } = await invite(ada.email);
    await signInHere(ada);
    await visit.follow(link);
    await visit.page.getByText('You are signed in as ada@example.com').waitFor();
    expect(await visit.page.getByRole('button').count()).toBe(1);
    await button('Accept').click();
    await arrived();
    expect(await titlesOf(ada.accessToken)).toEqual(["Ada's workspace", "Olga's workspace"]);
  });

  it('is accepted by signing in on its page', async () => {
    const ada = await world.signUp('ada@example.com');
    const { link } = await invite(ada.email);
    await visit.follow(link);
    const password = visit.page.getByLabel('Password', { exact: true });
    expect(await password.getAttribute('autocomplete')).toBe('current-password');
    expect(await visit.page.getByLabel('Email').inputValue()).toBe(ada.email);
    await password.fill('not it');
    await button('Accept').click();
    await status().filter({ hasText: 'The email address or the password is wrong.' }).waitFor();
    expect(await titlesOf(ada.accessToken)).toEqual(["Ada's workspace"]);

    await password.fill(ada.password);
    await button('Accept').click();
    await arrived();
    expect(await whoIsHere()).toBe(ada.email);
    expect(await titlesOf(ada.accessToken)).toEqual(["Ada's workspace", "Olga's workspace"]);
  });

  it('is left as it is by an account of another address, whose session ends as well', async () => {
    const eve = await world.signUp('eve@example.com', 'Eve');
    await world.signUp('ada@example.com');
    const { link } = await invite('ada@example.com');
    const sessions = countSessions();
    await visit.follow(link);
    await visit.page.getByLabel('Email').fill(eve.email);
    await visit.page.getByLabel('Password', { exact: true }).fill(eve.password);
    await button('Accept').click();
    await status().filter({ hasText: 'another address' }).waitFor();
    expect(await titlesOf(eve.accessToken)).toEqual(["Eve's workspace"]);
    expect(countSessions()).toBe(sessions);
  });

  it('names both accounts where another one is signed in', async () => {
    const eve = await world.signUp('eve@example.com', 'Eve');
    const { link } = await invite('ada@example.com');
    await signInHere(eve);
    await visit.follow(link);
    await visit.page.getByText('This browser is signed in as eve@example.com').waitFor();
    await visit.page.getByText('Accept as ada@example.com, and go on as that account here?').waitFor();
  });

  it('asks an account that was opened meanwhile to sign in', async () => {
    const { link } = await invite('ada@example.com');
    await visit.follow(link);
    await visit.page.getByLabel('Name', { exact: true }).fill('Ada');
    await world.signUp('ada@example.com');
    await visit.page.getByLabel('Password', { exact: true }).fill('password1');
    await button('Accept').click();
    await visit.page.getByLabel('Email').waitFor();
    expect(await visit.page.getByLabel('Email').inputValue()).toBe('ada@example.com');
  });

  it('keeps no session where the web client is switched off', async () => {
    await openAnother({ web: { enabled: false } });
    const ada = await world.signUp('ada@example.com');
    const { link } = await invite(ada.email);
    const sessions = countSessions();
    await visit.follow(link);
    await visit.page.getByLabel('Password', { exact: true }).fill(ada.password);
    await button('Accept').click();
    await ended('You have joined');
    expect(countSessions()).toBe(sessions);
    expect(visit.calls).toEqual([
      'POST /api/auth/login',
      'POST /api/invitations/accept',
      'POST /api/auth/logout',
    ]);
  });

  it('says so when it dies while its page is open', async () => {
    const { link } = await invite('ada@example.com');
    await visit.follow(link);
    await visit.page.getByText('Olga invites you').waitFor();
    await visit.page.getByLabel('Name', { exact: true }).fill('Ada');
    await visit.page.getByLabel('Password', { exact: true }).fill('password1');
    world.clock.advance(8 * DAY);
    await button('Accept').click();
    await ended('This invitation does not work any more');
  });

  it.each(['expired', 'withdrawn', 'used'])(
    'that is %s says so at once, shows no form, and leads to Errand',
    async (why) => {
      const ada = await world.signUp('ada@example.com');
      const { link, workspaceId } = await invite(ada.email);
      const owner = await logIn('owner@example.com', 'password of owner@example.com');
      if (why === 'expired') world.clock.advance(8 * DAY);
      if (why === 'withdrawn') {
        const path = `/workspaces/${workspaceId}/invitations`;
        const token = owner.body.accessToken;
        const { body } = await world.call('GET', path, { token });
        expect((await world.call('DELETE', `${path}/${body.items[0].id}`, { token })).status).toBe(204);
      }
      if (why === 'used') {
        const body = { token: new URL(link ?? '').hash.slice('#token='.length) };
        expect(
          (await world.call('POST', '/invitations/accept', { token: ada.accessToken, body })).status,
        ).toBe(200);
      }
      await visit.follow(link);
      await seen('This invitation does not work any more');
      expect(await visit.page.getByRole('button').count()).toBe(0);
      await visit.page.getByText('ask the people who invited you for another').waitFor();
      expect(await visit.page.getByRole('link', { name: 'Go to Errand' }).getAttribute('href')).toBe(
        './app/',
      );
      await visit.page.reload();
      await seen('This invitation does not work any more');
      expect(visit.calls).toEqual([]);
    },
  );
});

describe('every page of a mailed link', () => {
  it.each(['/confirm-signup', '/reset-password', '/confirm-email', '/keep-email', '/accept-invitation'])(
    '%s says what to do without a token, and takes one that comes into the same tab',
    async (path) => {
      await visit.page.goto(visit.origin + path);
      await seen('Please open the link from your mail');
      expect(await visit.page.getByRole('button').count()).toBe(0);
      await visit.page.goto(`${visit.origin}${path}#token=abc`);
      if (path === '/accept-invitation') await seen('This invitation does not work any more');
      else await visit.page.getByRole('button').first().waitFor();
      expect(visit.page.url()).toBe(visit.origin + path);
      expect(visit.calls).toEqual([]);
    },
  );

  it('asks nothing in vain where nobody is signed in, so that its console stays empty', async () => {
    const errors: string[] = [];
    const note = (message: ConsoleMessage) => {
      if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
    };
    visit.page.on('console', note);
    const ada = await world.signUp('ada@example.com');
    await world.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    const links = [(await register('bob@example.com')).link, (await world.mailTo(ada.email)).link];
    const body = { newEmail: 'countess@example.com' };
    await world.call('POST', '/auth/email/change/request', { token: ada.accessToken, body });
    for (const email of [body.newEmail, ada.email]) links.push((await world.mailTo(email)).link);
    const workspaces = await world.call('GET', '/me/workspaces', { token: ada.accessToken });
    const invitations = `/workspaces/${workspaces.body.items[0].id}/invitations`;
    const invited = { email: 'eve@example.com', role: 'member' };
    await world.call('POST', invitations, { token: ada.accessToken, body: invited });
    links.push((await world.mailTo(invited.email)).link);
    for (const link of links) {
      await visit.follow(link);
      await visit.page.getByRole('button').first().waitFor();
      await visit.page.waitForLoadState('networkidle');
    }
    // To its end too, which signs out who is not signed in.
    await visit.follow(links[1]);
    await visit.page.getByLabel('New password').fill('a much better one');
    await button('Set password').click();
    await inClient('Sign in');
    await visit.follow(links.at(-1));
    await visit.page.getByText('invites you').waitFor();
    // Back from another tab, first without, then with a session.
    const comeBack = () => visit.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await comeBack();
    await visit.page.waitForLoadState('networkidle');
    expect(errors).toEqual([]);
    await world.signUp(invited.email);
    await signInHere({ ...ada, email: invited.email, password: `password of ${invited.email}` });
    await comeBack();
    await visit.page.getByText(`You are signed in as ${invited.email}`).waitFor();
    visit.page.off('console', note);
    expect(errors).toEqual([]);
  });

  it('says when the server cannot be reached, fails, or asks for patience, and lets one try again', async () => {
    const { link } = await register('ada@example.com');
    await visit.follow(link);
    const { page } = visit;
    const press = () => button('Confirm').click();
    const api = `${visit.origin}/api/**`;

    await page.context().setOffline(true);
    await press();
    await page.getByText('The server cannot be reached').waitFor();
    await page.context().setOffline(false);

    for (const [response, words] of [
      [{ status: 502, contentType: 'text/html', body: '<h1>Bad gateway' }, 'cannot do this right now'],
      [{ status: 429, headers: { 'Retry-After': '7' }, body: '{}' }, 'Please wait 7 seconds'],
      [{ status: 429, headers: { 'Retry-After': '600' }, body: '{}' }, 'Please wait 10 minutes'],
      [{ status: 429, body: '{}' }, 'Please wait a little'],
      [{ status: 403, body: '{"error":"ForbiddenError","message":"Not you"}' }, 'Not you'],
    ] as const) {
      await page.route(api, (route) => route.fulfill(response), { times: 1 });
      await press();
      await status().filter({ hasText: words }).waitFor();
    }
    await press();
    await inClient('Today');
  });

  it('does its work under every base path', async () => {
    for (const basePath of ['/', '/a/b']) {
      await openAnother({ server: { base_path: basePath } });
      await visit.follow((await register('ada@example.com')).link);
      await button('Confirm').click();
      await heading('Today').waitFor();
    }
  });

  it('does its work behind a proxy that serves it under a path of its own', async () => {
    await openAnother({ server: { public_url: 'http://localhost:8080/work' } });
    const proxied = new Hono().mount('/work', (request, bindings) => world.app.fetch(request, bindings));
    visit.serve(proxied as unknown as App);
    await visit.follow((await register('ada@example.com')).link);
    await button('Confirm').click();
    await heading('Today').waitFor();
    expect(visit.page.url()).toBe(`${visit.origin}/work/app/today`);
    expect(visit.calls[0]).toBe('POST /work/api/auth/register/confirm');
  });

  it('tells, without JavaScript, how to do it by the API', async () => {
    const scriptless = await startVisit(browser, world.app, { javaScriptEnabled: false });
    await scriptless.follow('/confirm-signup#token=abc');
    await scriptless.page.locator('noscript code', { hasText: '/api/auth/register/confirm' }).waitFor();
    expect(await scriptless.page.getByRole('button').count()).toBe(0);
    await scriptless.end();
  });
});

describe('the first page of a server without the browser client', () => {
  it('says what this is and leads to the description of the API', async () => {
    await openAnother({ web: { enabled: false } });
    await visit.page.goto(visit.origin);
    await heading('This is an Errand server, and it runs').waitFor();
    const link = visit.page.getByRole('link', { name: 'Its OpenAPI description' });
    expect(await link.evaluate((element) => (element as unknown as { href: string }).href)).toBe(
      `${visit.origin}/api/openapi.json`,
    );
  });
});
