import { crc32 } from 'node:zlib';
import { newSecret } from '../kernel/secrets.ts';

const PREFIX = 'errand_';
const CHECKSUM_CHARACTERS = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^errand_[\w-]{43}[0-9A-Za-z]{6}$/;

/** Whether a Bearer is meant to be an API token, valid or not. */
export const isApiToken = (text: string): boolean => text.startsWith(PREFIX);

/** A new API token: 256 random bits and a checksum, by which mistyped and cut ones are known without a look-up. */
export function newApiToken(): string {
  const text = PREFIX + newSecret();
  return text + checksumOf(text);
}

/** Whether a text has the form of an API token, its checksum included. */
export const isWellFormed = (text: string): boolean =>
  FORM.test(text) && text.endsWith(checksumOf(text.slice(0, -CHECKSUM_CHARACTERS)));

/** CRC-32 in base 62. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i += 1) {
    digits = (DIGITS[rest % DIGITS.length] ?? '') + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
