import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../src/http/listen.ts';
import { runningImports } from '../../src/import/import.ts';
import { MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { ada, useAda, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { as } from '../people.ts';
import type { Person } from '../world.ts';
import { STATUS_TEMPLATES } from './round-trip.ts';

const MIB = 1_024 * 1_024;
const MAX_BYTES = 64 * MIB;
const DOCUMENT = JSON.stringify({
  formatVersion: 2,
  workspaces: [{ title: 'Home', statusTemplates: STATUS_TEMPLATES }],
});

useAda();
afterEach(async () => {
  vi.useRealTimers();
  expectIntegrity(world);
});

const send = ({ accessToken }: Person, body: ReadableStream<Uint8Array>, headers = {}) =>
  world.app.fetch(
    new Request('http://localhost/api/account/import', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', ...headers },
      body,
      duplex: 'half',
    } as RequestInit),
  );

const workspaces = async () => (await as(world, ada)('GET', '/me/workspaces')).body.total;

describe('an import with a long body', () => {
  /** The document, and white space up to so many bytes; its length is told or not. */
  async function importOf(bytes: number, isLengthTold: boolean) {
    const white = new Uint8Array(MIB).fill(0x20);
    let left = bytes;
    let read = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const next = left === bytes ? Buffer.from(DOCUMENT) : white.subarray(0, left);
          left -= next.length;
          read += next.length;
          controller.enqueue(next);
          if (left === 0) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const { status } = await send(ada, body, isLengthTold ? { 'content-length': `${bytes}` } : {});
    return { status, read };
  }

  it('of 64 MiB is read, and of one byte more is 413: unread where its length tells, else once it is there', async () => {
    expect(await importOf(MAX_BYTES + 1, true)).toEqual({ status: 413, read: 0 });
    expect(await importOf(MAX_BYTES + 1, false)).toEqual({ status: 413, read: MAX_BYTES + 1 });
    expect([runningImports(world.deps).size, await workspaces()]).toEqual([0, 1]);
    expect(await importOf(MAX_BYTES, false)).toEqual({ status: 200, read: MAX_BYTES });
    expect(await workspaces()).toBe(2);
  });

  it('may take ten minutes to arrive; then it is 408, leaves nothing, and another one may begin', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const listening = await listen(world.app, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => listening.drain(0));
    const begin = async () => {
      const socket = connect(listening.port, '127.0.0.1').setEncoding('latin1');
      let heard = '';
      socket.on('data', (text: string) => {
        heard += text;
      });
      const ended = once(socket, 'end').then(() => heard);
      socket.write(
        `POST /api/account/import HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${ada.accessToken}\r\nContent-Type: application/json\r\nContent-Length: ${DOCUMENT.length}\r\n\r\n${DOCUMENT.slice(0, 99)}`,
      );
      while (!runningImports(world.deps).has(ada.id)) await nextTurn();
      return { socket, ended, heard: () => heard };
    };
    const late = await begin();
    vi.advanceTimersByTime(10 * MINUTE - SECOND);
    for (let turns = 0; turns < 10; turns += 1) await nextTurn();
    expect([late.heard(), runningImports(world.deps).has(ada.id)]).toEqual(['', true]);
    vi.advanceTimersByTime(SECOND);
    expect(await late.ended).toMatch(/^HTTP\/1\.1 408 /);
    late.socket.destroy();
    while (runningImports(world.deps).size > 0) await nextTurn();
    expect(await workspaces()).toBe(1);
    const inTime = await begin();
    vi.advanceTimersByTime(10 * MINUTE - SECOND);
    inTime.socket.write(DOCUMENT.slice(99));
    expect(await inTime.ended).toMatch(/^HTTP\/1\.1 200 /);
    expect(await workspaces()).toBe(2);
  });

  it('that is long in arriving keeps nobody else from importing', async () => {
    const begin = async (person: Person) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const response = send(person, readable);
      while (!runningImports(world.deps).has(person.id)) await nextTurn();
      return { response, writer: writable.getWriter() };
    };
    const [longest, slow] = [await begin(await world.signUp()), await begin(await world.signUp())];
    const other = () => as(world, ada)('POST', '/account/import', JSON.parse(DOCUMENT));
    expect((await other()).status).toBe(429);
    world.clock.advance(30 * SECOND);
    expect((await other()).status).toBe(200);
    expect((await longest.response).status).toBe(429);
    // The other one has lost nothing.
    void slow.writer.write(Buffer.from(DOCUMENT));
    void slow.writer.close();
    expect((await slow.response).status).toBe(200);
  });
});

it('the settings for nginx let through as long a document', () => {
  const settings = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
  const [, mebibytes] =
    /location = \/api\/account\/import \{\s+client_max_body_size (\d+)m;/.exec(settings) ?? [];
  expect(Number(mebibytes) * MIB).toBeGreaterThan(MAX_BYTES);
});
