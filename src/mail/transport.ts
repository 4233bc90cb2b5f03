import { randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import { consoleTransport } from './console-transport.ts';
import { deliveryTest } from './messages.ts';
import { smtpTransport } from './smtp-transport.ts';
import type { Delivery, Transport } from './worker.ts';

/** The transport that `mail.transport` names. Opens no connection before the first mail; close it in the end. */
export const transportOf = (config: Config): Transport =>
  config.mail.transport === 'smtp' ? smtpTransport(config) : consoleTransport(process.stdout);

/** Sends a test mail past the outbox, for an admin who waits for the answer. */
export const testDelivery = (transport: Transport, address: string): Promise<Delivery> =>
  transport.deliver({ ...deliveryTest(), id: randomUUID(), to: address });
