import { randomUUIDv7 } from 'node:crypto';

/** A new identifier: UUIDv7, so that ids of one table sort by creation. Never a secret. */
export const newId = (): string => randomUUIDv7();
