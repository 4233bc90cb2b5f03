import { randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import { consoleTransport } from './console-transport.ts';
import { deliveryTest } from './messages.ts';
import type { Delivery, Transport } from './worker.ts';

/** The transport that `mail.transport` names. Opens no connection before the first mail; close it in the end. */
export async function transportOf(config: Config): Promise<Transport> {
  if (config.mail.transport === 'console') return consoleTransport(process.stdout);
  // Loaded only here: its library asks for the network's interfaces, which delays a start.
  const { smtpTransport } = await import('./smtp-transport.ts');
  return smtpTransport(config);
}

/** Sends a test mail past the outbox, for an admin who waits for the result. */
export const testDelivery = (transport: Transport, address: string): Promise<Delivery> =>
  transport.deliver({ ...deliveryTest(), id: randomUUID(), to: address });
