import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { selfSigned } from './mail-certificate.ts';

const { key, cert } = selfSigned();

export { cert };

interface Smtp {
  port: number;
  /** What was received, each as it came over the wire. */
  received: string[];
}

/** A real SMTP server on loopback; `options` shape its errors. */
export async function smtpServer(options: SMTPServerOptions = {}): Promise<Smtp> {
  const received: string[] = [];
  const server = new SMTPServer({
    key,
    cert,
    authOptional: true,
    closeTimeout: 1,
    disableReverseLookup: true,
    logger: false,
    onData: (stream, _session, done) => {
      let raw = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        raw += chunk;
      });
      stream.on('end', () => {
        received.push(raw);
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, received };
}
