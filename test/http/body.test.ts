import { describe, expect, it } from 'vitest';
import { ada, useAda, world } from '../ada.ts';
import { pathsOf } from '../people.ts';
import { confirmSignup, register, tokenTo } from '../sign-in.ts';
import { openWorld } from '../world.ts';

useAda();
const JSON_TYPE = { 'Content-Type': 'application/json' };
const patch = (body: unknown, headers: Record<string, string> = JSON_TYPE) =>
  world.call('PATCH', '/me', { token: ada.accessToken, body, headers });
const login = (body: unknown) => world.call('POST', '/auth/login', { body, headers: JSON_TYPE });

describe('a body', () => {
  it('must be application/json in UTF-8, also where every field is optional', async () => {
    for (const type of [
      'text/plain',
      '',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'multipart/form-data',
      'application/jsonx',
    ]) {
      const { status, body } = await patch('{"name":"Eve"}', { 'Content-Type': type });
      expect([type, status, body.error]).toEqual([type, 415, 'UnsupportedMediaTypeError']);
    }
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON; charset="UTF-8"',
    ]) {
      expect((await patch('{}', { 'Content-Type': type })).status).toBe(200);
    }
    expect((await patch('{}', { ...JSON_TYPE, 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  it('of no bytes is no body, whatever its type', async () => {
    const { status, body } = await patch(undefined, { 'Content-Type': 'text/plain' });
    expect([status, body.name]).toEqual([200, 'Ada']);
    expect(pathsOf((await login('')).body)).toEqual(['email', 'password']);
  });

  it('is not looked at where none is taken', async () => {
    const { status } = await world.call('DELETE', '/me/sessions', {
      token: ada.accessToken,
      body: '{',
      headers: JSON_TYPE,
    });
    expect(status).toBe(204);
  });

  it('counts the last of a field that comes twice, and ignores fields that nobody knows', async () => {
    expect((await patch('{"name":"First","name":"Last","unknown":1}')).body.name).toBe('Last');
    expect((await patch('{"name":"Good","name":""}')).status).toBe(400);
    expect((await patch('{"name":"","n\\u0061me":"Ada"}')).body.name).toBe('Ada');
  });

  it('that is malformed is a BadRequestError', async () => {
    const bytes = (...parts: (string | number[])[]) =>
      Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    const bodies = [
      '{',
      '[]',
      '"text"',
      'null',
      '{"email":"a@example.com",}',
      '\ufeff{}',
      bytes('{"name":"', [0xff], '"}'),
      bytes('{"name":"', [0xc0, 0x80], '"}'),
      bytes('{"name":"', [0xed, 0xa0, 0x80], '"}'),
      '{"name":"a\\u0000b"}',
      '{"name":"\\ud800"}',
      '{"a\\u0000b":"c"}',
      '{"\\ud800":{"name":"b"}}',
      '{"deep":{"deeper":"\\udfff"}}',
      `{"a":${'['.repeat(40)}${']'.repeat(40)}}`,
    ];
    for (const body of bodies) {
      const response = await patch(body);
      expect([response.status, response.body.error], String(body)).toEqual([400, 'BadRequestError']);
    }
    expect((await world.call('GET', '/me', { token: ada.accessToken })).body.name).toBe('Ada');
  });

  it('that breaks off is rejected, and is no error of ours', async () => {
    const heard = await openWorld();
    for (const headers of [JSON_TYPE, { ...JSON_TYPE, 'Content-Length': '100' }]) {
      const body = new ReadableStream({
        pull: (controller) => controller.error(new Error('aborted')),
      });
      const response = await heard.app.request('/api/auth/login', {
        method: 'POST',
        headers: headers as Record<string, string>,
        body,
        duplex: 'half',
      } as RequestInit);
      const { error } = (await response.json()) as { error: string };
      expect([response.status, error]).toEqual([400, 'BadRequestError']);
    }
    expect(heard.log.filter((line) => JSON.parse(line).level > 30)).toEqual([]);
  });

  it('nested 500,000 deep is rejected in bounded time', async () => {
    const body = '['.repeat(500_000) + ']'.repeat(500_000);
    const response = await patch(`{"a":${body}}`);
    expect([response.status, response.body.error]).toEqual([400, 'BadRequestError']);
  });

  it('has at most 40,000 keys, however they are written, and any number of colons in its texts', async () => {
    const keys = (count: number, write: (i: number) => string) =>
      `{${Array.from({ length: count }, (_, i) => write(i)).join(',')}}`;
    for (const write of [
      (i: number) => `"k${i}":1`,
      (i: number) => `"k${i}\\\\":1`,
      (i: number) => `"\\"${i}" :1`,
      () => `"":1`,
    ]) {
      expect((await patch(keys(40_000, write))).status).toBe(200);
      const { status, body } = await patch(keys(40_001, write));
      expect([status, body]).toEqual([
        400,
        { error: 'BadRequestError', message: 'The body may have at most 40000 keys' },
      ]);
    }
    expect((await patch(`{"other":"${'\\":'.repeat(100_000)}"}`)).status).toBe(200);
  });

  it('has at most 60,000 values, whatever they are and wherever they stand', async () => {
    const array = (count: number, value: string) => `{"other":[${Array(count).fill(value).join(',')}]}`;
    // The object and the array are values, too.
    for (const [most, value] of [
      [59_998, '0'],
      [59_998, '"\\",[{"'],
      [29_999, '[0]'],
    ] as const) {
      expect((await patch(array(most, value))).status).toBe(200);
      const { status, body } = await patch(array(most + 1, value));
      expect([status, body]).toEqual([
        400,
        { error: 'BadRequestError', message: 'The body may have at most 60000 values' },
      ]);
    }
  });

  it('may have 16 KiB on /auth and 1 MiB elsewhere', async () => {
    const padded = (bytes: number) => `{"name":"Ada"${' '.repeat(bytes - 14)}}`;
    expect((await patch(padded(1024 * 1024))).status).toBe(200);
    expect((await patch(padded(1024 * 1024 + 1))).status).toBe(413);
    expect((await login(padded(16 * 1024))).status).toBe(400);
    expect((await login(padded(16 * 1024 + 1))).status).toBe(413);
  });

  it('cannot reach a prototype', async () => {
    const response = await patch('{"__proto__":{"name":"Eve"},"constructor":{"prototype":{"x":1}}}');
    expect([response.status, response.body.name, ({} as { x?: number }).x]).toEqual([200, 'Ada', undefined]);
  });

  it('gets all its issues at once, with the messages that the specification names', async () => {
    const { status, body } = await world.call('POST', '/auth/register', {
      body: { email: 'nope', password: 'short' },
    });
    expect([status, body.error]).toEqual([400, 'ValidationError']);
    expect(body.issues).toEqual([
      { path: 'email', message: 'Email must be valid' },
      { path: 'password', message: 'Password must be at least 8 characters' },
      { path: 'name', message: 'Name must be 1 to 200 characters' },
    ]);
    for (const value of [1, true, null, [], {}, ['a@example.com'], { $ne: '' }]) {
      expect((await login({ email: value, password: value })).status).toBe(400);
    }
  });

  it('says in its message what each issue says, once', async () => {
    const rejected = async (given: object) =>
      (await world.call('POST', '/auth/register', { body: { name: 'Ada', password: 'password1', ...given } }))
        .body.message;
    expect(await rejected({ email: 'nope' })).toBe('Email must be valid');
    expect(await rejected({ email: 'nope', password: 'short' })).toBe(
      'Email must be valid; Password must be at least 8 characters',
    );
  });

  it('gets no issue twice', async () => {
    for (const [path, field] of [
      ['/auth/register/confirm', 'token'],
      ['/auth/refresh', 'refreshToken'],
      ['/auth/login/google', 'idToken'],
    ] as const) {
      const { status, body } = await world.call('POST', path, { body: { [field]: [] } });
      expect([status, body.issues]).toEqual([400, [{ path: field, message: expect.any(String) }]]);
    }
  });
});

describe('an address of mail', () => {
  it('is ASCII, valid and at most 254 characters', async () => {
    const bad = [
      'a@b',
      'a b@example.com',
      'a@example.com\r\nBcc: x@y.z',
      '"x y"@example.com',
      'ä@example.com',
      'a@exämple.com',
      '\u212a@example.com',
      'a＠example.com',
      `${'a'.repeat(250)}@example.com`,
      'u@good.com(x)evil.com',
      'a@example-.com',
      `a@${'b'.repeat(64)}.com`,
      'a..b@example.com',
      '.a@example.com',
      'a@192.0.2.1',
      '',
    ];
    for (const email of bad) {
      const { body } = await register(email);
      expect(body.issues, email).toEqual([{ path: 'email', message: 'Email must be valid' }]);
    }
    for (const email of ['a@example.xn--p1ai', 'a@xn--e1afmkfd.xn--p1ai', "o'/=+b&*@example.com"]) {
      expect([email, (await register(email)).status]).toEqual([email, 201]);
    }
  });
});

describe('a password', () => {
  it('is 8 to 256 characters and at most 1,024 bytes, any Unicode, neither trimmed nor truncated', async () => {
    for (const password of ['1234567', '🐚'.repeat(3), 'x'.repeat(257), '漢'.repeat(257), '🐚'.repeat(129)])
      expect((await register('p@example.com', password)).status).toBe(400);
    for (const [i, password] of [
      '12345678',
      ' spaces ',
      'x'.repeat(256),
      '🐚'.repeat(4),
      '🐚'.repeat(128),
      '漢'.repeat(256),
    ].entries()) {
      const email = `p${i}@example.com`;
      expect((await register(email, password)).status, password).toBe(201);
      await confirmSignup(await tokenTo(email));
      expect((await login({ email, password })).status).toBe(200);
      expect((await login({ email, password: [...password].slice(0, -1).join('') })).status).toBe(401);
      expect((await login({ email, password: password.trim() })).status).toBe(
        password.trim() === password ? 200 : 401,
      );
    }
  });
});
