import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { OutgoingMail } from '../../src/mail/worker.ts';
import type { Sent } from './attempt.ts';
import type { Received } from './conformance.ts';
import type { Hold } from './loop.ts';
import type { Outside } from './outside.ts';
import type { MemoryUse, Target } from './target.ts';

/** What the server's process can be asked besides HTTP. */
export type Ask = { kind: 'mails' | 'tick' | 'memory' | 'holds' | 'close' } | { kind: 'advance'; ms: number };

export interface Told {
  listening: { port: number; databasePath: string };
  mails: OutgoingMail[];
  tick: true;
  advance: true;
  memory: MemoryUse;
  holds: Hold[];
  close: string[];
}

/** The service in a process of its own, over HTTP on loopback; its clock and mails over a pipe. */
export async function overSockets({ start, settings }: Outside['options']): Promise<Target> {
  const child = fork(join(import.meta.dirname, 'served.ts'), [JSON.stringify({ start, settings })]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The server ended with ${code}`);
  });
  ended.catch(() => {});
  const next = async <Kind extends keyof Told>(_kind: Kind): Promise<Told[Kind]> => {
    const [told] = await Promise.race([once(child, 'message'), ended]);
    return told as Told[Kind];
  };
  const ask = <Kind extends Ask['kind']>(asked: Ask & { kind: Kind }): Promise<Told[Kind]> => {
    const told = next(asked.kind);
    child.send(asked);
    return told;
  };
  const { port, databasePath } = await next('listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let now = start;
  return {
    databasePath,
    send: (sent) => sentOver(agent, port, sent),
    mails: () => ask({ kind: 'mails' }),
    now: () => now,
    advance: async (ms) => {
      now += ms;
      await ask({ kind: 'advance', ms });
    },
    tick: async () => {
      await ask({ kind: 'tick' });
    },
    memory: () => ask({ kind: 'memory' }),
    holds: () => ask({ kind: 'holds' }),
    close: async () => {
      agent.destroy();
      const faults = await ask({ kind: 'close' });
      child.disconnect();
      return faults;
    },
  };
}

const sentOver = (agent: Agent, port: number, { method, target, headers, body }: Sent): Promise<Received> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const sent = request(
      { agent, port, method, path: target, headers: { ...headers, ...length } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(
              Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
            ),
            text: Buffer.concat(parts).toString('utf8'),
          }),
        );
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server closes what is idle for long, perhaps in this very moment: every client asks again then.
      if (sent.reusedSocket && error.code === 'ECONNRESET')
        resolve(sentOver(agent, port, { method, target, headers, body }));
      else reject(new Error(`${method} ${target} had no response`, { cause: error }));
    });
    sent.end(body);
  });
