/**
 * Prints whether existing and unknown addresses can be told apart by time: interleaved pairs in random order against
 * a real server on loopback, ranked (Mann-Whitney AUC: 0.5 is chance), as in IACR ePrint 2023/1441.
 * Usage: node test/timing/enumeration.ts [--pairs 2000]
 */
import { rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { listen } from '../../src/http/listen.ts';
import { argon2Passwords } from '../../src/users/passwords.ts';
import { openWorld } from '../world.ts';

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '2000' } } });
// Limits on, as in life: their bookkeeping is part of what could be told apart.
const plenty = Object.fromEntries(
  [
    'auth_burst',
    'user_burst',
    'mail_burst',
    'mail_per_day',
    'sender_mails_per_day',
    'failures_burst',
    'account_failures_burst',
  ].map((setting) => [setting, 1_000_000]),
);
const world = await openWorld({
  passwords: argon2Passwords(),
  settings: { rate_limits: { enabled: true, ...plenty } },
});
const ada = await world.signUp('ada@example.com');
const http = await listen(world.app, { host: '127.0.0.1', port: 0, behindProxy: false });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const timed = (path: string, body: unknown, token?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const sent = request(
      {
        agent,
        port: http.port,
        path: `/api${path}`,
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(Number(process.hrtime.bigint() - started) / 1_000));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });

let unknowns = 0;
const unknown = () => {
  unknowns += 1;
  return `unknown${String(unknowns).padStart(6, '0')}@example.com`;
};
const known: string[] = [];
for (let i = 0; i < 50; i += 1)
  known.push((await world.signUp(`known${String(i).padStart(8, '0')}@example.com`)).email);
const someKnown = () => known[Math.floor(Math.random() * known.length)] ?? ada.email;

const flows: Record<string, { pairs: number; ask(email: string): Promise<number> }> = {
  'login (wrong password)': {
    pairs: 0.2,
    ask: (email) => timed('/auth/login', { email, password: 'wrong password' }),
  },
  register: {
    pairs: 0.2,
    ask: (email) => timed('/auth/register', { email, password: 'password1', name: 'Ada' }),
  },
  'login code': { pairs: 1, ask: (email) => timed('/auth/login/code', { email }) },
  'login code confirm': {
    pairs: 1,
    ask: (email) => timed('/auth/login/code/confirm', { email, code: '000000' }),
  },
  'password reset': { pairs: 1, ask: (email) => timed('/auth/password/reset/request', { email }) },
  'e-mail change': {
    pairs: 1,
    ask: (newEmail) => timed('/auth/email/change/request', { newEmail }, ada.accessToken),
  },
};

const median = (sample: number[]) => sample.toSorted((a, b) => a - b)[Math.floor(sample.length / 2)] ?? 0;

/** The chance that a random known one took longer than a random unknown one. */
function auc(a: number[], b: number[]): number {
  const all = [...a.map((value) => ({ value, own: 1 })), ...b.map((value) => ({ value, own: 0 }))];
  all.sort((x, y) => x.value - y.value);
  const ranks = all.reduce((sum, { own }, i) => sum + (own ? i + 1 : 0), 0);
  return (ranks - (a.length * (a.length + 1)) / 2) / (a.length * b.length);
}

for (const [name, { pairs, ask }] of Object.entries(flows)) {
  const count = Math.ceil(Number(values.pairs) * pairs);
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
  for (let i = -50; i < count; i += 1) {
    const first = Math.random() < 0.5;
    for (const isKnown of [first, !first]) {
      const microseconds = await ask(isKnown ? someKnown() : unknown());
      await world.settle();
      if (i >= 0) times[isKnown ? 'known' : 'unknown'].push(microseconds);
    }
  }
  const [a, b] = [median(times.known), median(times.unknown)];
  const difference = (((a - b) / b) * 100).toFixed(2);
  console.log(
    `${name.padEnd(24)} ${count} pairs  known ${a.toFixed(0)} µs  unknown ${b.toFixed(0)} µs  difference ${difference} %  AUC ${auc(times.known, times.unknown).toFixed(3)}`,
  );
}
agent.destroy();
await http.drain(1_000);
await world.close();
rmSync(world.folder, { recursive: true, force: true });
