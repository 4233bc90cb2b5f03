import { hash, randomBytes } from 'node:crypto';

/** A bearer secret of 256 random bits, base64url. Only its hash is stored. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** SHA-256, base64url: enough for a secret of full entropy (ASVS 6.5.2). */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');
