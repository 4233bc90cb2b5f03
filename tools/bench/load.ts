import { type Connection, openConnection } from './connection.ts';

export interface Asked {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

/** A request as bytes on the wire, made ahead: the load must cost less than the server. */
export function bytesOf({ method, path, body }: Asked, token?: string): Buffer {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const text = body === undefined ? '' : JSON.stringify(body);
  const type =
    body === undefined
      ? ''
      : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${type}\r\n${text}`);
}

interface LoadOptions {
  port: number;
  connections: number;
  seconds: number;
  /** Ends earlier once so many are served. */
  atMost: number;
  status: 200 | 201;
  next: () => Buffer;
  /** Time between two requests on a connection; left out, each follows the response to the one before. */
  everyMs?: number;
}

export interface Load {
  served: number;
  seconds: number;
  /** Milliseconds from request to response. */
  median: number;
  p99: number;
}

/** Asks over keep-alive connections, one request at a time on each. Rejects on any other status. */
export async function load(options: LoadOptions): Promise<Load> {
  const times: number[] = [];
  const began = performance.now();
  const end = began + options.seconds * 1_000;
  let asked = 0;
  const mayAsk = () => asked < options.atMost && performance.now() < end;
  const client = () =>
    new Promise<void>((resolve, reject) => {
      const opened = (connection: Connection) => {
        let due = began;
        const ask = (since: number) => {
          if (!mayAsk()) {
            connection.close();
            resolve();
            return;
          }
          asked += 1;
          connection.ask(options.next(), (status, start) => {
            if (status !== options.status) {
              connection.close();
              reject(new Error(`A response was not as expected:\n${start.toString('utf8')}`));
              return;
            }
            const now = performance.now();
            times.push(now - since);
            due = options.everyMs === undefined ? now : due + options.everyMs;
            // A request that had to wait for the response before it has been waiting since it was due.
            if (due <= now) ask(due);
            else setTimeout(() => ask(performance.now()), due - now);
          });
        };
        ask(performance.now());
      };
      openConnection(options.port, { opened, failed: reject });
    });
  await Promise.all(Array.from({ length: options.connections }, client));
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const seconds = (performance.now() - began) / 1_000;
  return { served: times.length, seconds, median: at(0.5), p99: at(0.99) };
}
