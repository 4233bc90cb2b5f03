import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAfterTest, type WorldOptions } from './world.ts';

export const CLIENT_ID = 'errand.apps.googleusercontent.com';

interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** A certificate as Google publishes it. */
  pem: string;
}

/** Stands for the place where Google publishes its keys. */
export interface GoogleDouble {
  url: string;
  /** How often the keys were asked for. */
  asked: number;
  /** How it returns; sends the current keys unless a test says otherwise. */
  respond: (response: ServerResponse) => void;
  /** The keys published now. */
  published: SigningKey[];
  close(): Promise<void>;
}

export async function openGoogle(...published: SigningKey[]): Promise<GoogleDouble> {
  const server = createServer((_request, response) => {
    google.asked += 1;
    google.respond(response);
  });
  const google: GoogleDouble = {
    url: '',
    asked: 0,
    published,
    respond: (response) => sendKeys(response, google.published),
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
  closeAfterTest(google.close);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  google.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/certs`;
  return google;
}

export function sendKeys(response: ServerResponse, keys: SigningKey[]): void {
  response.setHeader('Cache-Control', 'public, max-age=3600');
  response.end(JSON.stringify(Object.fromEntries(keys.map(({ kid, pem }) => [kid, pem]))));
}

/** For a world that asks this Google; the library that verifies looks at the real time, so the world begins now. */
export const withGoogle = (google: GoogleDouble, { settings, ...more }: WorldOptions = {}): WorldOptions => ({
  start: Date.now(),
  ...more,
  settings: {
    ...settings,
    auth: { google_client_ids: ['another', CLIENT_ID], google_certs_url: google.url, ...settings?.auth },
  },
});

export function newSigningKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid, privateKey, publicKey, pem: certificateOf(publicKey, privateKey) };
}

/** An ID token as Google makes it; claims and header may be overridden, undefined leaves one out. */
export function idToken(key: SigningKey, claims: Record<string, unknown> = {}, header: object = {}): string {
  const signed = unsigned(key, claims, header);
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key.privateKey, 'base64url')}`;
}

/** The same, signed by HMAC with what everyone knows: the public key. */
export function forgedToken(key: SigningKey, secret: string, alg: string, claims: object): string {
  const signed = unsigned(key, claims, { alg });
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export function unsigned(key: SigningKey, claims: object, header: object): string {
  const now = Math.floor(Date.now() / 1_000);
  const all = {
    iss: 'https://accounts.google.com',
    aud: CLIENT_ID,
    sub: '110169484474386276334',
    email: 'ada@gmail.com',
    email_verified: true,
    name: 'Ada Lovelace',
    iat: now - 10,
    exp: now + 3_590,
    ...claims,
  };
  return [{ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header }, all].map(encoded).join('.');
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The least of an X.509 certificate, self-signed. */
function certificateOf(publicKey: KeyObject, privateKey: KeyObject): string {
  const algorithm = der(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'));
  const nobody = der(0x30);
  const times = der(0x30, der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('350101000000Z')));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = der(0x30, der(0x02, Buffer.from([1])), algorithm, nobody, times, nobody, spki);
  const signature = createSign('RSA-SHA256').update(body).sign(privateKey);
  const whole = der(0x30, body, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
