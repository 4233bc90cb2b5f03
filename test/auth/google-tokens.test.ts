import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/instants.ts';
import {
  forgedToken,
  type GoogleDouble,
  idToken,
  newSigningKey,
  openGoogle,
  sendKeys,
  unsigned,
  withGoogle,
} from '../google-double.ts';
import { openWorld, type World } from '../world.ts';

const KEY = newSigningKey('key-1');
const NEXT_KEY = newSigningKey('key-2');

let google: GoogleDouble;
let world: World;
beforeEach(async () => {
  google = await openGoogle(KEY);
  world = await openWorld(withGoogle(google));
});

const logIn = (token: string) => world.call('POST', '/auth/login/google', { body: { idToken: token } });
const seconds = () => Math.floor(Date.now() / 1_000);

describe('a token is rejected', () => {
  const CLAIMS: Record<string, () => Record<string, unknown>> = {
    'for another client': () => ({ aud: 'evil.apps.googleusercontent.com' }),
    'for several clients': () => ({ aud: ['another'] }),
    'for nobody': () => ({ aud: undefined }),
    'of another issuer': () => ({ iss: 'https://accounts.google.com.evil.example' }),
    'that has expired': () => ({ iat: seconds() - 3_600, exp: seconds() - 1 }),
    'without an end': () => ({ exp: undefined }),
    'that lives longer than a day': () => ({ exp: seconds() + 86_500 }),
    'that was made to live longer than a day': () => ({ iat: seconds() - 80_000, exp: seconds() + 10_000 }),
    'from the future': () => ({ iat: seconds() + 1_000 }),
    'without a subject': () => ({ sub: undefined }),
    'with an empty subject': () => ({ sub: '' }),
    'with a subject that is too long': () => ({ sub: '1'.repeat(256) }),
    'with an unverified address': () => ({ email_verified: false }),
    'with an address that is verified in words': () => ({ email_verified: 'true' }),
    'that says nothing of its address': () => ({ email_verified: undefined }),
    'without an address': () => ({ email: undefined }),
    'with an address that is none': () => ({ email: 'ada@gmail' }),
  };
  it.each(Object.entries(CLAIMS))('%s', async (_what, claims) => {
    const { status, body } = await logIn(idToken(KEY, claims()));
    expect([status, body.error]).toEqual([401, 'UnauthorizedError']);
  });

  it('whatever it says about its algorithm', async () => {
    const spki = KEY.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const [header, payload] = idToken(KEY).split('.');
    const tokens = [
      ...[KEY.pem, spki].flatMap((secret) =>
        ['HS256', 'RS256', 'ES256'].map((alg) => forgedToken(KEY, secret, alg, {})),
      ),
      `${unsigned(KEY, {}, { alg: 'none' })}.`,
      `${unsigned(KEY, {}, {})}.`,
      `${unsigned(KEY, {}, { alg: 'none', kid: undefined })}.`,
      idToken(KEY, {}, { alg: 'HS256' }),
      idToken(KEY, {}, { alg: 'none' }),
      idToken({ ...NEXT_KEY, kid: KEY.kid }),
      `${header}.${payload}.AAAA`,
      `${header}.${Buffer.from('{}').toString('base64url')}.${idToken(KEY).split('.')[2]}`,
    ];
    for (const token of tokens) expect((await logIn(token)).status).toBe(401);
  });

  it('when its key is unknown, its shape is no token’s, or it is one of ours', async () => {
    const ours = (await logIn(idToken(KEY))).body;
    const kids = ['__proto__', 'constructor', 'toString', undefined, 5, ''];
    for (const kid of kids) expect((await logIn(idToken(KEY, {}, { kid }))).status).toBe(401);
    for (const token of ['a', 'a.b', 'a.b.c', '..', 'e30.e30.e30', ours.accessToken, ours.refreshToken])
      expect((await logIn(token)).status).toBe(401);
    expect((await world.call('GET', '/me', { token: idToken(KEY) })).status).toBe(401);
    for (const token of ['', 'x'.repeat(9_000), null, 5])
      expect((await logIn(token as string)).body.issues).toMatchObject([{ path: 'idToken' }]);
  });

  it('always, and with the reason, when no client id is configured', async () => {
    const unset = await openWorld(withGoogle(google, { settings: { auth: { google_client_ids: [] } } }));
    const token = idToken(KEY, { aud: undefined });
    const { status, body } = await unset.call('POST', '/auth/login/google', { body: { idToken: token } });
    expect([status, body.message]).toEqual([401, expect.stringContaining('auth.google_client_ids')]);
    expect(google.asked).toBe(0);
  });

  it('and nothing of it, taken or rejected, is in the log or the response', async () => {
    let text = '';
    const told = await openWorld(withGoogle(google));
    const tokens = [
      idToken(KEY),
      ...Object.values(CLAIMS).map((claims) => idToken(KEY, claims())),
      forgedToken(KEY, KEY.pem, 'HS256', {}),
      idToken(NEXT_KEY),
      `${idToken(KEY)}x.y`,
    ];
    for (const token of tokens) {
      const { body, status } = await told.call('POST', '/auth/login/google', { body: { idToken: token } });
      if (status === 401) text += JSON.stringify(body);
    }
    google.respond = (response) => response.destroy();
    told.clock.advance(40 * DAY);
    await told.call('POST', '/auth/login/google', { body: { idToken: idToken(KEY) } });
    await told.close();
    text += told.log.join('');
    expect(text).toMatch(/"event":"sign-in-failed".*"path":"\/api\/auth\/login\/google"/);
    const secrets = [
      ...tokens.flatMap((token) => token.split('.')),
      'ada@gmail',
      'Lovelace',
      '110169484474386276334',
    ];
    for (const secret of secrets.filter(({ length }) => length > 5)) expect(text).not.toContain(secret);
  });
});

describe('the keys of Google', () => {
  const asks = async (work: () => Promise<unknown>) => {
    const before = google.asked;
    await work();
    return google.asked - before;
  };

  it('are fetched once for parallel cold calls, kept as long as they say, then fetched again', async () => {
    expect(await asks(() => Promise.all(Array.from({ length: 20 }, () => logIn(idToken(KEY)))))).toBe(1);
    world.clock.advance(HOUR - SECOND);
    const late = idToken(KEY, { exp: seconds() + 7_200 });
    expect(await asks(() => logIn(late))).toBe(0);
    world.clock.advance(SECOND);
    expect(await asks(() => logIn(late))).toBe(1);
  });

  it('are looked for at once when they rotate, but not for every name that someone makes up', async () => {
    await logIn(idToken(KEY));
    google.published = [NEXT_KEY];
    expect((await logIn(idToken(NEXT_KEY))).status).toBe(200);
    expect((await logIn(idToken(KEY))).status).toBe(401);
    const hammer = async () => {
      for (let i = 0; i < 20; i += 1)
        expect((await logIn(idToken(KEY, {}, { kid: `made-up-${i}` }))).status).toBe(401);
    };
    expect(await asks(hammer)).toBeLessThanOrEqual(5);
    expect((await logIn(idToken(NEXT_KEY))).status).toBe(200);
  });

  /** What the log has of failures, without a stack. */
  const troubles = () =>
    world.log
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => /^Google's keys/.test(msg))
      .map(({ reason, err }) => ({ reason, err }));

  const FAULTS: Record<string, GoogleDouble['respond']> = {
    'status 500': (response) => response.writeHead(500).end('{}'),
    'a page': (response) => response.end('<html>'),
    'other JSON': (response) => response.end('{"a": {"b": 1}}'),
    'no key': (response) => response.end('{}'),
    'a broken key': (response) => response.end('{"key-1": "-----BEGIN CERTIFICATE-----"}'),
    'a closed connection': (response) => response.destroy(),
  };
  it.each(Object.entries(FAULTS))(
    'are 503 while there is only %s, and back as soon as it is',
    async (_what, fault) => {
      google.respond = fault;
      const { status, body } = await logIn(idToken(KEY));
      expect([status, body.error]).toEqual([503, 'ServiceUnavailableError']);
      expect(troubles()).toEqual([{ reason: expect.stringMatching(/^.+$/) }]);
      expect((await logIn('a.b.c')).status).toBe(401);
      google.respond = (response) => sendKeys(response, [KEY]);
      expect((await logIn(idToken(KEY))).status).toBe(200);
    },
  );

  it('serve on for a day when they cannot be renewed, asking once a minute', async () => {
    await logIn(idToken(KEY));
    google.respond = (response) => response.writeHead(500).end();
    const iat = seconds() - 10;
    world.clock.advance(HOUR);
    const token = idToken(KEY, { iat, exp: iat + 86_400 });
    expect(await asks(async () => expect((await logIn(token)).status).toBe(200))).toBe(1);
    expect(troubles()).toEqual([{ reason: `${google.url} returned 500` }]);
    expect(await asks(async () => expect((await logIn(token)).status).toBe(200))).toBe(0);
    world.clock.advance(MINUTE);
    expect(await asks(async () => expect((await logIn(token)).status).toBe(200))).toBe(1);
    expect((await logIn(idToken(NEXT_KEY))).status).toBe(503);
    world.clock.advance(DAY - MINUTE);
    expect((await logIn(token)).status).toBe(503);
  });

  it('cost 5 seconds at most when Google hangs, and hold up no other sign-in', async () => {
    const ada = await world.signUp('ada@example.com');
    google.respond = (response) => response.write('{');
    const hangUp = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(hangUp.signal);
    onTestFinished(() => timeout.mockRestore());
    const order: string[] = [];
    const hanging = [logIn(idToken(KEY)), logIn(idToken(KEY))].map(async (response) => {
      expect((await response).status).toBe(503);
      order.push('Google');
    });
    await expect.poll(() => google.asked).toBe(1);
    const body = { email: ada.email, password: ada.password };
    expect((await world.call('POST', '/auth/login', { body })).status).toBe(200);
    order.push('password');
    hangUp.abort(new DOMException('5 seconds have passed', 'TimeoutError'));
    await Promise.all(hanging);
    expect(order).toEqual(['password', 'Google', 'Google']);
    expect(timeout.mock.calls).toEqual([[5 * SECOND]]);
    expect(google.asked).toBe(1);
  });
});
