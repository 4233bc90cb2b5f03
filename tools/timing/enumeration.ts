/**
 * Prints whether existing and unknown addresses can be told apart by time: interleaved pairs in random order against
 * the real server on loopback, ranked (Mann-Whitney AUC: 0.5 is chance), as in IACR ePrint 2023/1441.
 * Usage: node tools/timing/enumeration.ts [--pairs 2000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createMailbox, mailThat, startServer } from '../faults/server.ts';
import { medianOf } from '../median.ts';

/** Until the server has done what follows a response: its mails. */
const PAUSE_MS = 45;
const ADDRESSES = 40;
const WARM_UP = 30;

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '2000' } } });
const folder = mkdtempSync(join(tmpdir(), 'errand-timing-'));
const mailbox = createMailbox();
// Limits on, as in life: their bookkeeping is part of what could be told apart.
const bursts = [
  'AUTH_BURST',
  'USER_BURST',
  'MAIL_BURST',
  'MAIL_PER_DAY',
  'SENDER_MAILS_PER_DAY',
  'FAILURES_BURST',
  'ACCOUNT_FAILURES_BURST',
];
const settings = {
  ERRAND_RATE_LIMITS_ENABLED: 'true',
  ...Object.fromEntries(bursts.map((name) => [`ERRAND_RATE_LIMITS_${name}`, '1000000'])),
};
let server = startServer(folder, mailbox, [], settings);
let base = await server.listening;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const timed = (
  path: string,
  body: unknown,
  token?: string,
): Promise<{ microseconds: number; text: string }> =>
  new Promise((resolve, reject) => {
    const content = JSON.stringify(body);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(content),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    const started = process.hrtime.bigint();
    const sent = request(base + path, { agent, method: 'POST', headers }, (response) => {
      const microseconds = Number(process.hrtime.bigint() - started) / 1_000;
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ microseconds, text }));
    });
    sent.on('error', reject);
    sent.end(content);
  });

const addressOf = (kind: string, number: number) => `${kind}${String(number).padStart(6, '0')}@example.com`;

async function signUp(email: string): Promise<string> {
  await timed('/auth/register', { email, password: 'password1', name: 'Ada' });
  const { text } = await mailThat(mailbox, ({ to }) => to === email);
  const token = /^Token: (.+)$/m.exec(text)?.[1];
  return (JSON.parse((await timed('/auth/register/confirm', { token })).text) as { accessToken: string })
    .accessToken;
}

const accessToken = await signUp('asker@example.com');
for (let i = 0; i < ADDRESSES; i += 1) await signUp(addressOf('knownone', i));
// To read the printed mails here would take this process time, and only after known addresses.
server.child.kill('SIGTERM');
await server.ended;
server = startServer(folder, mailbox, ['sh', '-c', 'exec "$@" > /dev/null', 'sh'], settings);
base = await server.listening;

// As many of either, so that both are asked about equally often: what differs between a first and a second question
// tells nobody whether there is an account.
const anyOf = (kind: string) => () => addressOf(kind, Math.floor(Math.random() * ADDRESSES));
const known = anyOf('knownone');
const unknown = anyOf('stranger');

const flows: Record<string, { share: number; ask(email: string): Promise<{ microseconds: number }> }> = {
  'wrong password': {
    share: 0.3,
    ask: (email) => timed('/auth/login', { email, password: 'wrong password' }),
  },
  'sign-up': {
    share: 0.3,
    ask: (email) => timed('/auth/register', { email, password: 'password1', name: 'Ada' }),
  },
  'sign-in code': { share: 1, ask: (email) => timed('/auth/login/code', { email }) },
  'wrong code': { share: 1, ask: (email) => timed('/auth/login/code/confirm', { email, code: '000000' }) },
  'password reset': { share: 1, ask: (email) => timed('/auth/password/reset/request', { email }) },
  'e-mail change': {
    share: 1,
    ask: (newEmail) => timed('/auth/email/change/request', { newEmail }, accessToken),
  },
};

/** The chance that a random known one took longer than a random unknown one. */
function auc(a: number[], b: number[]): number {
  const all = [...a.map((value) => ({ value, own: 1 })), ...b.map((value) => ({ value, own: 0 }))];
  all.sort((x, y) => x.value - y.value);
  const ranks = all.reduce((sum, { own }, i) => sum + (own ? i + 1 : 0), 0);
  return (ranks - (a.length * (a.length + 1)) / 2) / (a.length * b.length);
}

for (const [name, { share, ask }] of Object.entries(flows)) {
  const pairs = Math.ceil(Number(values.pairs) * share);
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let i = -WARM_UP; i < pairs; i += 1) {
    const first = Math.random() < 0.5;
    for (const isKnown of [first, !first]) {
      const { microseconds } = await ask(isKnown ? known() : unknown());
      await pause(PAUSE_MS);
      if (i >= 0) times[isKnown ? 'known' : 'unknown'].push(microseconds);
    }
  }
  const [a, b] = [medianOf(times.known), medianOf(times.unknown)];
  console.log(
    `${name.padEnd(16)} ${pairs} pairs  known ${a.toFixed(0)} µs  unknown ${b.toFixed(0)} µs  difference ${(((a - b) / b) * 100).toFixed(2)} %  AUC ${auc(times.known, times.unknown).toFixed(3)}`,
  );
}
agent.destroy();
server.child.kill('SIGTERM');
await server.ended;
rmSync(folder, { recursive: true, force: true });
