import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { selfSigned } from '../../test/mail-certificate.ts';
import { errand } from './command.ts';
import { drill, type Site } from './drill.ts';
import { inWords, share } from './latency.ts';
import { AILMENTS, openPost, type Post } from './post.ts';
import { call, createMailbox, type ServerProcess, startServer, stops } from './server.ts';
import { inDatabase, wrongIn } from './wrong.ts';

/** A mail comes back after 10, 20, 40 … seconds; a server that hangs is given up after 10. */
const PATIENCE_MS = 90_000;
const MAX_SLOWER = 3;
/** A kill falls at most so long after the 250: before its fate is noted, while it is, or after. */
const LATEST_KILL_MS = 15;

/** Whatever ails the mail server, sign-ups are accepted at once, and each mail comes at least once, under one id. */
export const mailing = drill({
  about:
    'mail servers that are slow, hang, reject, lack TLS or break off, and kills between the 250 and the note',
  counts: { signups: 10, kills: 10 },
  run: async (site, { signups, kills }) => {
    const certificate = selfSigned();
    const trusted = join(site.folder, 'certificate.pem');
    writeFileSync(trusted, certificate.cert);
    await ailing(site, certificate, trusted, signups);
    await killing(site, certificate, trusted, kills);
  },
});

const serverFor = (folder: string, port: number, trusted: string): ServerProcess =>
  startServer(folder, createMailbox(), [], {
    ERRAND_MAIL_TRANSPORT: 'smtp',
    ERRAND_MAIL_FROM: 'Errand <errand@example.com>',
    ERRAND_MAIL_SMTP_HOST: '127.0.0.1',
    ERRAND_MAIL_SMTP_PORT: String(port),
    NODE_EXTRA_CA_CERTS: trusted,
  });

async function signUp(site: Site, base: string): Promise<{ email: string; took: number } | undefined> {
  const email = `${crypto.randomUUID()}@example.com`;
  const body = { email, password: `password of ${email}`, name: 'Ada' };
  const asked = performance.now();
  const response = await call(base, 'POST', '/auth/register', { body });
  const took = performance.now() - asked;
  site.count(`register ${response?.status}`);
  return response?.status === 201 ? { email, took } : undefined;
}

async function ailing(
  site: Site,
  certificate: ReturnType<typeof selfSigned>,
  trusted: string,
  signups: number,
): Promise<void> {
  const post = await openPost(certificate);
  const server = serverFor(site.folder, post.port, trusted);
  const base = await server.listening;
  const signUpAll = async (what: string) => {
    const done = [];
    for (let i = 0; i < signups; i += 1) {
      const one = await signUp(site, base);
      if (one) done.push(one);
      else site.lose(`${what}: a sign-up was rejected`);
    }
    const delays = done.map(({ took }) => took).sort((a, b) => a - b);
    site.tell(`sign-ups while the mail server is ${what}: ${inWords(delays)}`);
    return { emails: done.map(({ email }) => email), median: share(delays, 0.5) };
  };
  const well = await signUpAll('well');
  await arrive(site, post, well.emails, 'well');
  for (const [what, { ailment, isTriedAgain }] of Object.entries(AILMENTS)) {
    await post.become(ailment);
    const { emails, median } = await signUpAll(what);
    site.bound(`responses while it is ${what}, to well`, median / well.median, MAX_SLOWER, 'times');
    await tried(site, emails, what);
    const early = post.received.filter(({ to }) => emails.includes(to)).length;
    if (early > 0 && what !== 'slow') site.lose(`${what}: ${early} mails were taken`);
    if (!isTriedAgain) await areRejected(site, emails, what);
    await post.become({});
    if (!isTriedAgain) await retryAll(site, emails);
    await arrive(site, post, emails, what);
  }
  await stops(server, site, 'the stop');
  await post.close();
  for (const wrong of wrongIn(site.folder)) site.lose(wrong);
}

const stateOf = ({ folder }: Site, email: string) =>
  inDatabase(folder, (database) =>
    database
      .prepare<[string], { id: string; state: string; attempts: number }>(
        'select id, state, attempts from outbox where recipient = ?',
      )
      .get(email),
  );

/** Waits until the server has tried one of the mails at least. */
async function tried(site: Site, emails: string[], what: string): Promise<void> {
  const isTried = () =>
    emails.some((email) => {
      const row = stateOf(site, email);
      return row !== undefined && (row.attempts > 0 || row.state !== 'queued');
    });
  if (!(await within(PATIENCE_MS, isTried))) site.lose(`${what}: no mail was tried`);
}

/** A final error is kept, for an admin to look at and to ask for again. */
async function areRejected(site: Site, emails: string[], what: string): Promise<void> {
  const all = () => emails.every((email) => stateOf(site, email)?.state === 'failed');
  if (!(await within(PATIENCE_MS, all))) site.lose(`${what}: a rejected mail is not kept as failed`);
}

async function retryAll(site: Site, emails: string[]): Promise<void> {
  for (const email of emails) await errand(site.folder, ['mail', 'retry', stateOf(site, email)?.id ?? '']);
}

async function arrive(site: Site, post: Post, emails: string[], what: string): Promise<void> {
  const begun = performance.now();
  const have = (email: string) => post.received.filter(({ to }) => to === email);
  const missing = () => emails.filter((email) => have(email).length === 0);
  await within(PATIENCE_MS, () => missing().length === 0);
  for (const email of missing()) site.lose(`${what}: the mail to ${email}`);
  const copies = emails.map((email) => have(email).length).reduce((sum, n) => sum + n, 0);
  for (const email of emails) {
    if (new Set(have(email).map(({ messageId }) => messageId)).size > 1) {
      site.lose(`${what}: mails to ${email} have several Message-IDs`);
    }
  }
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  site.tell(`  ${emails.length} mails arrived, as ${copies}, ${seconds} s after it was well`);
}

async function within(ms: number, isSo: () => boolean): Promise<boolean> {
  const end = performance.now() + ms;
  while (!isSo() && performance.now() < end) await wait(100);
  return isSo();
}

/** The token of a mail that came twice works once. */
async function killing(
  site: Site,
  certificate: ReturnType<typeof selfSigned>,
  trusted: string,
  kills: number,
): Promise<void> {
  let kill = () => {};
  const post = await openPost(certificate, () => kill());
  for (let round = 1; round <= kills; round += 1) {
    const server = serverFor(site.folder, post.port, trusted);
    const base = await server.listening;
    const latest = (round / kills) * LATEST_KILL_MS;
    kill = () => setTimeout(() => server.child.kill('SIGKILL'), Math.random() * latest);
    const { email } = (await signUp(site, base)) ?? { email: '' };
    await server.ended;
    kill = () => {};
    const state = stateOf(site, email)?.state;
    site.count(`kill after the 250, the mail noted as ${state}`);
    const again = serverFor(site.folder, post.port, trusted);
    await confirmOnce(site, post, await again.listening, email, state === 'sent' ? 1 : 2);
    await stops(again, site, `kill ${round}`);
  }
  await post.close();
  for (const wrong of wrongIn(site.folder)) site.lose(wrong);
}

async function confirmOnce(
  site: Site,
  post: Post,
  base: string,
  email: string,
  copies: number,
): Promise<void> {
  const have = () => post.received.filter(({ to }) => to === email);
  if (!(await within(PATIENCE_MS, () => have().length >= copies)))
    site.lose(`the mail to ${email} after a kill`);
  if (new Set(have().map(({ messageId }) => messageId)).size !== 1) site.lose(`the Message-ID of ${email}`);
  site.count(`mail that came ${have().length === 1 ? 'once' : `${have().length} times`}`);
  const token = /^Token: ([\w-]{43})/m.exec(have().at(-1)?.text ?? '')?.[1];
  const confirm = () => call(base, 'POST', '/auth/register/confirm', { body: { token } });
  const statuses = [(await confirm())?.status, (await confirm())?.status];
  if (statuses[0] !== 201 || statuses[1] === 201) site.lose(`the token of ${email} got ${statuses}`);
}
