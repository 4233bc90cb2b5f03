import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { errnoOf, OperatorError } from './errors.ts';
import { MINUTE } from './instants.ts';
import { syncFolder, writePrivateFile } from './private-file.ts';

const KEY_BYTES = 32;
const IV_BYTES = 16;
/** More than it takes a running server to notice a rotation: until then it signs with the old key. */
const NOTICE_MS = MINUTE;

const key = z.base64url().refine((text) => Buffer.from(text, 'base64url').length === KEY_BYTES);
const KeyFile = z.object({
  /** Newest last; all verify, the newest signs. */
  access: z.array(z.object({ kid: z.string(), key, createdAt: z.iso.datetime() })).min(1),
  codes: key,
  outbox: key,
});
type KeyFile = z.output<typeof KeyFile>;

/** The key file cannot be used; the message names it and the way out. */
export class KeyFileError extends OperatorError {}

/** The server's own secrets, one key for one purpose. */
export interface Keys {
  /** The key that signs access tokens now. */
  signing(): { kid: string; key: Uint8Array };
  /** The key that verifies tokens of this `kid`, if it is one of ours and its last token may still be out. */
  verifying(kid: string | undefined, now: number): Uint8Array | undefined;
  /** A keyed hash for codes too short to be hashed plainly. */
  codeHash(text: string): string;
  /** The secret that follows another one: always the same, and only this server can tell it. */
  successorOf(secret: string): string;
  /** Encrypts what the outbox keeps. */
  seal(text: string): Buffer;
  /** Undefined for what was sealed with another key or was tampered with. */
  unseal(sealed: Buffer): string | undefined;
  /** Encrypts a position in `context`: always to the same text, which nobody can make, read or use in another context. */
  sealPosition(context: string, text: string): string;
  /** Undefined for what was sealed in another context or with another key, or was tampered with. */
  unsealPosition(context: string, sealed: string): string | undefined;
  /** Looks whether the file was changed, as `errand keys rotate` does. A damaged one is warned about, and not taken. */
  refresh(): void;
}

/**
 * Opens the key file, making it (0600) where there is none; a KeyFileError when it cannot be made or read, or is
 * damaged. `tokenMs`: how long an access token lives.
 */
export function openKeys(path: string, tokenMs: number, warn: (message: string) => void): Keys {
  createKeyFile(path);
  let stamp = stampOf(path);
  const file = readKeyFile(path);
  tightenMode(path, warn);
  let access = accessKeys(file, tokenMs);
  const outbox = Buffer.from(file.outbox, 'base64url');
  const codes = Buffer.from(file.codes, 'base64url');
  const positions = {
    encrypted: derived(codes, 'positions encrypted'),
    authenticated: derived(codes, 'positions authenticated'),
  };

  return {
    signing: () => {
      const newest = access.at(-1);
      if (!newest) throw new KeyFileError(`${path} holds no access key`);
      return newest;
    },
    verifying: (kid, now) => access.find((entry) => entry.kid === kid && entry.retiresAt >= now)?.key,
    codeHash: (text) => createHmac('sha256', codes).update(text).digest('base64url'),
    successorOf: (secret) =>
      createHmac('sha256', derived(codes, 'successors')).update(secret).digest('base64url'),
    seal: (text) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', outbox, nonce);
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    unseal: (sealed) => {
      try {
        const decipher = createDecipheriv('aes-256-gcm', outbox, sealed.subarray(0, 12), {
          authTagLength: 16,
        });
        decipher.setAuthTag(sealed.subarray(-16));
        return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
    sealPosition: (context, text) => {
      const plain = Buffer.from(text);
      const iv = syntheticIv(positions.authenticated, context, plain);
      const cipher = createCipheriv('aes-256-ctr', positions.encrypted, iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final()]).toString('base64url');
    },
    unsealPosition: (context, sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      // Another text for the same bytes is none of ours.
      if (bytes.length <= IV_BYTES || bytes.toString('base64url') !== sealed) return undefined;
      const iv = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv('aes-256-ctr', positions.encrypted, iv);
      const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]);
      return timingSafeEqual(syntheticIv(positions.authenticated, context, plain), iv)
        ? plain.toString()
        : undefined;
    },
    refresh: () => {
      const changed = stampOf(path);
      if (changed === stamp) return;
      stamp = changed;
      try {
        access = accessKeys(readKeyFile(path), tokenMs);
      } catch (error) {
        warn(`The keys read at start stay in use. ${error instanceof Error ? error.message : ''}`);
      }
    },
  };
}

/** A key for one purpose, of one of those in the file. */
const derived = (key: Buffer, purpose: string): Buffer => createHmac('sha256', key).update(purpose).digest();

/** Made of the text itself, so that the same text is encrypted the same: https://www.rfc-editor.org/rfc/rfc5297 */
const syntheticIv = (key: Buffer, context: string, plain: Buffer): Buffer =>
  createHmac('sha256', key).update(`${context}\0`).update(plain).digest().subarray(0, IV_BYTES);

/** The key file of the data that a database is of. */
export const keyFileOf = (databasePath: string): string => join(dirname(databasePath), 'keys.json');

/** Adds a new access key, which signs from now on, and drops those whose last token has expired. Errors as of `readKeyFile`. */
export function rotateAccessKey(path: string, now: number, tokenMs: number): string {
  const file = readKeyFile(path);
  const retiresAt = new Map(accessKeys(file, tokenMs).map((entry) => [entry.kid, entry.retiresAt]));
  const live = file.access.filter(({ kid }) => (retiresAt.get(kid) ?? 0) >= now);
  const added = newAccessKey(now);
  putKeyFile(realpathSync(path), { ...file, access: [...live, added] }, renameSync);
  return added.kid;
}

/** A key verifies until the last token signed before its successor was noticed has expired. */
const accessKeys = ({ access }: KeyFile, tokenMs: number) =>
  access.map((entry, i) => {
    const successor = access[i + 1];
    return {
      kid: entry.kid,
      key: Buffer.from(entry.key, 'base64url'),
      retiresAt: successor ? Date.parse(successor.createdAt) + NOTICE_MS + tokenMs : Number.POSITIVE_INFINITY,
    };
  });

const newKey = () => randomBytes(KEY_BYTES).toString('base64url');

const newAccessKey = (now: number) => ({
  kid: randomBytes(9).toString('base64url'),
  key: newKey(),
  createdAt: new Date(now).toISOString(),
});

/** The first to link a finished file wins; a racing or killed start leaves no half of one. */
function createKeyFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  const content = { access: [newAccessKey(Date.now())], codes: newKey(), outbox: newKey() };
  try {
    putKeyFile(path, content, linkSync);
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return;
    throw new KeyFileError(
      `The key file ${path} cannot be made (${errnoOf(cause)}): check its folder's owner and mode, and the space left`,
      { cause },
    );
  }
}

/** Writes a whole file under a name of its own before `place` gives it the real one, for good. */
function putKeyFile(path: string, content: KeyFile, place: (from: string, to: string) => void): void {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    writePrivateFile(unfinished, `${JSON.stringify(content, null, 2)}\n`);
    place(unfinished, path);
    syncFolder(dirname(path));
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** What the key file holds; a KeyFileError when it cannot be read, or is damaged. */
export function readKeyFile(path: string): KeyFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KeyFileError(
      `The key file ${path} cannot be read (${errnoOf(cause)}): it must be there, and belong to the user that runs Errand`,
      { cause },
    );
  }
  try {
    return KeyFile.parse(JSON.parse(text));
  } catch {
    throw new KeyFileError(
      `The key file ${path} is damaged or too short. Restore it from your own copy, or remove it: then a new one is made, and codes and mails not yet sent are lost.`,
    );
  }
}

/** Differs once the file was replaced, be it in the same millisecond. */
function stampOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeNs} ${stats.size}` : 'gone';
}

function tightenMode(path: string, warn: (message: string) => void): void {
  if ((statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch {
    warn(`${path} can be read by others and its mode cannot be changed; make it 0600`);
  }
}
