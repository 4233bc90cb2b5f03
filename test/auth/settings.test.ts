import { describe, expect, it } from 'vitest';
import { timezoneOf } from '../../src/storage/users.ts';
import { ada, useAda, world } from '../ada.ts';
import { pathsOf } from '../people.ts';

useAda();

const patch = (body: unknown) => world.call('PATCH', '/me', { token: ada.accessToken, body });
const read = async () => (await world.call('GET', '/me', { token: ada.accessToken })).body;

describe('settings of an account', () => {
  it('are a time zone that is unset at first, Monday and no preferences', async () => {
    expect(await read()).toMatchObject({ timezone: null, weekStart: 'monday', preferences: {} });
    expect(timezoneOf(world.deps.read, ada.id)).toBe('UTC');
  });

  it('are changed one by one, and the others stay', async () => {
    expect((await patch({ timezone: 'asia/kathmandu' })).body).toMatchObject({
      timezone: 'Asia/Kathmandu',
      weekStart: 'monday',
      name: 'Ada',
    });
    expect((await patch({ weekStart: 'sunday' })).body).toMatchObject({
      timezone: 'Asia/Kathmandu',
      weekStart: 'sunday',
    });
    const preferences = { theme: 'dark', sidebar: { width: 280, open: [1, null, true] } };
    expect((await patch({ preferences })).body).toMatchObject({ weekStart: 'sunday', preferences });
    expect(await read()).toMatchObject({ timezone: 'Asia/Kathmandu', weekStart: 'sunday', preferences });
    expect(timezoneOf(world.deps.read, ada.id)).toBe('Asia/Kathmandu');
  });

  it('replace the preferences whole, and keep every key and its order', async () => {
    await patch({ preferences: { a: 1, b: 2 } });
    const odd = '{"z":1,"__proto__":{"x":1},"":"","constructor":null}';
    const { status } = await world.call('PATCH', '/me', {
      token: ada.accessToken,
      body: JSON.parse(`{"preferences":${odd}}`),
    });
    expect(status).toBe(200);
    expect(JSON.stringify((await read()).preferences)).toBe(odd);
    expect((await patch({ preferences: {} })).body.preferences).toEqual({});
  });

  it('take 16 KiB of preferences, counted in bytes, and no more', async () => {
    const filled = (bytes: number, character: string) => ({
      a: character.repeat((bytes - '{"a":""}'.length) / Buffer.byteLength(character)),
    });
    expect((await patch({ preferences: filled(16_384, 'é') })).status).toBe(200);
    expect((await read()).preferences.a).toHaveLength(8_188);
    for (const character of ['é', 'x']) {
      const tooLong = await patch({ preferences: filled(16_386, character) });
      expect([tooLong.status, tooLong.body.issues[0].path]).toEqual([400, 'preferences']);
    }
  });

  it('are never null again, and reject what is none of their values, all at once', async () => {
    for (const [field, values] of Object.entries({
      timezone: [null, '', 'Mars/Phobos', '+02:00', '2026-01-01T00:00[Europe/Paris]', 5, 'x'.repeat(65)],
      weekStart: [null, 'Monday', 'mon', 1],
      preferences: [null, [], 'x', 5, true],
    })) {
      for (const value of values) {
        const { status, body } = await patch({ [field]: value });
        expect([status, pathsOf(body)]).toEqual([400, [field]]);
      }
    }
    const { body } = await patch({ timezone: null, weekStart: 'x', preferences: [], name: '' });
    const paths: string[] = pathsOf(body);
    expect(paths.toSorted()).toEqual(['name', 'preferences', 'timezone', 'weekStart']);
    expect(await read()).toMatchObject({ timezone: null, weekStart: 'monday', preferences: {} });
  });

  it('belong to one account, are in its export, and go with it', async () => {
    const bob = await world.signUp('bob@example.com');
    await patch({ timezone: 'Europe/Paris', preferences: { secret: 'bicycle' } });
    const his = await world.call('GET', '/me', { token: bob.accessToken });
    expect(his.body).toMatchObject({ timezone: null, preferences: {} });
    const { body: exported } = await world.call('GET', '/account/export', { token: ada.accessToken });
    expect(exported.profile).toEqual(await read());
    await world.call('DELETE', '/auth/me', { token: ada.accessToken, body: { password: ada.password } });
    expect(world.count('user_preferences')).toBe(0);
  });

  it('are no change in the workspaces of the account', async () => {
    const before = world.count('changes');
    await patch({ timezone: 'Europe/Paris', weekStart: 'sunday', preferences: { a: 1 } });
    expect(world.count('changes')).toBe(before);
  });

  it('change no instant of the account when they are set to what they are', async () => {
    await patch({ timezone: 'Europe/Paris', weekStart: 'sunday', preferences: { a: 1 } });
    const updatedAt = () => world.values('select updated_at from users where id = ?', ada.id)[0];
    const before = updatedAt();
    world.clock.advance(60_000);
    await patch({ timezone: 'Europe/Paris', weekStart: 'sunday', preferences: { a: 1 } });
    await patch({});
    expect(updatedAt()).toBe(before);
  });
});
