import { afterEach, describe, expect, it, vi } from 'vitest';
import { askEarly, takeEarly } from '../../src/web/shell/early-responses.ts';

const ROWS = '/workspaces/w1/changes?limit=100';
const WORKSPACES = '/me/workspaces?limit=100&page=1';

/** A device with these databases, at a server that answers so; returns what it was asked. */
function device({ databases = [] as string[], left = null as string | null, status = 200 }): string[] {
  const asked: string[] = [];
  vi.stubGlobal('indexedDB', { databases: async () => databases.map((name) => ({ name })) });
  vi.stubGlobal('localStorage', { getItem: () => left });
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    return Response.json({ items: [{ id: 'w1' }] }, { status });
  });
  return asked;
}

describe('before the client itself is there', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('a device that holds nothing asks who is signed in, how to sign in, and for the first rows', async () => {
    const asked = device({});
    await askEarly('/api', false);
    expect(asked).toEqual(['/me', '/auth/options', WORKSPACES, ROWS].map((path) => `/api${path}`));
    expect((await takeEarly(ROWS))?.status).toBe(200);
    expect(takeEarly(ROWS)).toBeUndefined();
  });

  it('a device that holds rows asks who is signed in', async () => {
    const asked = device({ databases: ['errand-u1'] });
    await askEarly('/api', false);
    expect(asked).toEqual(['/api/me']);
  });

  it('a device without a session knows that, and asks how to sign in alone', async () => {
    const asked = device({});
    await askEarly('/api', true);
    expect(asked).toEqual(['/api/auth/options']);
    expect((await takeEarly('/me'))?.status).toBe(401);
    expect(takeEarly(WORKSPACES)).toBeUndefined();
  });

  it('a device asks nothing by a session that is to be ended', async () => {
    for (const isNobody of [false, true]) {
      const asked = device({ left: 'u1' });
      await askEarly('/api', isNobody);
      expect(asked).toEqual([]);
    }
    expect(takeEarly('/me')).toBeUndefined();
  });

  it('what is refused before someone signs in is asked for again afterwards', async () => {
    device({ status: 401 });
    await askEarly('/api', false);
    expect((await takeEarly('/me'))?.status).toBe(401);
    expect(takeEarly(WORKSPACES)).toBeUndefined();
  });
});
