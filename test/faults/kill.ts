/**
 * Kills the real server at random moments under a mixed load, and holds it to what it had acknowledged:
 *   node test/faults/kill.ts --cycles 20 [--clients 8] [--keep]
 * Exit code 1 when anything acknowledged was lost, or anything was left half done.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { hashSecret } from '../../src/kernel/secrets.ts';
import { call, createMailbox, type Mailbox, mailThat, startServer } from './server.ts';

const OPERATIONS_PER_ACCOUNT = 12;
const LONGEST_LIFE_MS = 700;
const LONGEST_START_MS = 250;
/** One cycle in so many is killed while it starts. */
const STARTS_KILLED = 8;

interface Session {
  access: string;
  refresh: string;
  /** A refresh was asked for, and nobody knows whether it was done. */
  isUncertain: boolean;
}

interface Account {
  email: string;
  password: string;
  /** Acknowledged: the sign-up mail is owed. */
  isRegistered: boolean;
  /** Acknowledged: the account is there. */
  isConfirmed: boolean;
  name: string;
  /** A name that was sent, and nobody knows whether it was taken. */
  uncertainName?: string;
  sessions: Session[];
  /** Acknowledged: a code that is none of these is owed. */
  codeOwedBeside?: Set<string>;
  operations: number;
}

const { values: options } = parseArgs({
  options: {
    cycles: { type: 'string', default: '20' },
    clients: { type: 'string', default: '8' },
    keep: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'errand-kill-'));
const mailbox: Mailbox = createMailbox();
const acknowledged: Record<string, number> = {};
const refused: Record<string, number> = {};
const losses: string[] = [];
let broken = 0;
let killedStarts = 0;
let mailsOwed = 0;

const codesTo = (email: string) =>
  mailbox.mails.flatMap(({ to, text }) => {
    const code = to === email ? /\b\d{6}\b/.exec(text)?.[0] : undefined;
    return code === undefined ? [] : [code];
  });
const signupTokenTo = async (email: string) => {
  const token = /[\w-]{43}/;
  const { text } = await mailThat(mailbox, (mail) => mail.to === email && token.test(mail.text));
  return token.exec(text)?.[0] ?? '';
};
const newCodeTo = async (email: string, besides: Set<string>) => {
  const { text } = await mailThat(
    mailbox,
    (mail) =>
      mail.to === email && codesTo(email).some((code) => !besides.has(code) && mail.text.includes(code)),
  );
  return /\b\d{6}\b/.exec(text)?.[0] ?? '';
};
const pick = <Item>(items: Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];

/** Asks, and notes what was acknowledged. */
async function ask(
  base: string,
  method: string,
  path: string,
  given: { token?: string; body?: unknown },
  status: number,
) {
  const answer = await call(base, method, path, given);
  const name = `${method} ${path}`;
  if (!answer) broken += 1;
  else if (answer.status === status) acknowledged[name] = (acknowledged[name] ?? 0) + 1;
  else refused[`${name} ${answer.status}`] = (refused[`${name} ${answer.status}`] ?? 0) + 1;
  return answer;
}

const newAccount = (): Account => {
  const id = crypto.randomUUID();
  return {
    email: `${id}@example.com`,
    password: `password ${id}`,
    isRegistered: false,
    isConfirmed: false,
    name: 'First',
    sessions: [],
    operations: 0,
  };
};

const signedIn = (account: Account, body: { accessToken: string; refreshToken: string }) =>
  account.sessions.push({ access: body.accessToken, refresh: body.refreshToken, isUncertain: false });

/** One step of an account's life; false when the connection broke. */
async function step(base: string, account: Account): Promise<boolean> {
  const { email, password, name } = account;
  if (!account.isRegistered) {
    const answer = await ask(base, 'POST', '/auth/register', { body: { email, password, name } }, 201);
    if (!answer) return false;
    account.isRegistered = true;
    return true;
  }
  if (!account.isConfirmed) {
    const token = await Promise.race([signupTokenTo(email), death]);
    if (token === undefined) return false;
    const answer = await ask(base, 'POST', '/auth/register/confirm', { body: { token } }, 201);
    if (!answer) return false;
    account.isConfirmed = true;
    if (answer.status === 201) signedIn(account, answer.body);
    return true;
  }
  account.operations += 1;
  const session = account.sessions.at(-1);
  const operation = session ? pick(['rename', 'rename', 'refresh', 'refresh', 'log in', 'code']) : 'log in';
  if (operation === 'log in' || !session) {
    const answer = await ask(base, 'POST', '/auth/login', { body: { email, password } }, 200);
    if (answer?.status === 200) signedIn(account, answer.body);
    return answer !== undefined;
  }
  if (operation === 'rename') {
    account.uncertainName = `Name ${crypto.randomUUID()}`;
    const body = { name: account.uncertainName };
    const answer = await ask(base, 'PATCH', '/me', { token: session.access, body }, 200);
    if (answer?.status === 200) account.name = account.uncertainName;
    if (answer) delete account.uncertainName;
    return answer !== undefined;
  }
  if (operation === 'refresh') {
    session.isUncertain = true;
    const body = { refreshToken: session.refresh };
    const answer = await ask(base, 'POST', '/auth/refresh', { body }, 200);
    if (answer) session.isUncertain = false;
    if (answer?.status === 200) {
      session.access = answer.body.accessToken;
      session.refresh = answer.body.refreshToken;
    }
    return answer !== undefined;
  }
  const besides = new Set(codesTo(email));
  const requested = await ask(base, 'POST', '/auth/login/code', { body: { email } }, 200);
  if (requested?.status !== 200) return requested !== undefined;
  account.codeOwedBeside = besides;
  return spendCode(base, account);
}

async function spendCode(base: string, account: Account): Promise<boolean> {
  const { email, codeOwedBeside: besides } = account;
  if (!besides) return true;
  const code = await Promise.race([newCodeTo(email, besides), death]);
  if (code === undefined) return false;
  delete account.codeOwedBeside;
  const answer = await ask(base, 'POST', '/auth/login/code/confirm', { body: { email, code } }, 200);
  if (answer?.status === 200) signedIn(account, answer.body);
  return answer !== undefined;
}

let death: Promise<undefined> = Promise.resolve(undefined);

async function live(base: string, accounts: Account[]): Promise<void> {
  for (;;) {
    let account = accounts.at(-1);
    if (!account || account.operations >= OPERATIONS_PER_ACCOUNT) {
      account = newAccount();
      accounts.push(account);
    }
    if (!(await step(base, account))) return;
  }
}

/** Everything acknowledged must be there; what is uncertain must be whole or absent, and is settled by what is there. */
async function verify(base: string, clients: Account[][], cycle: number): Promise<void> {
  const lose = (what: string) => losses.push(`cycle ${cycle}: ${what}`);
  const db = new SqliteDatabase(join(folder, 'errand.db'), { readonly: true });
  const one = (sql: string, ...given: unknown[]) =>
    db.prepare(sql).get(...given) as Record<string, unknown> | undefined;
  const violations = {
    'a session without exactly one unused refresh token': `select s.id from sessions s where
      (select count(*) from refresh_tokens t where t.session_id = s.id and t.used_at is null) <> 1`,
    'a user without exactly one default workspace': `select u.id from users u where
      (select count(*) from members m where m.user_id = u.id and m.is_default = 1 and m.role = 'owner') <> 1`,
    'a workspace whose members are miscounted': `select w.id from workspaces w where w.member_count <>
      (select count(*) from members m where m.workspace_id = w.id)`,
    'a foreign key': 'select * from pragma_foreign_key_check',
    'the file': `select * from pragma_integrity_check where integrity_check <> 'ok'`,
  };
  for (const [what, sql] of Object.entries(violations)) {
    for (const row of db.prepare(sql).all()) lose(`broken: ${what} ${JSON.stringify(row)}`);
  }
  for (const account of clients.flat()) {
    const { email } = account;
    const user = one('select id, name from users where email = ?', email);
    if (!account.isConfirmed && user) account.isConfirmed = true;
    if (account.isConfirmed && !user) lose(`account ${email}`);
    if (user && user.name !== account.name && user.name !== account.uncertainName) lose(`name of ${email}`);
    if (user) account.name = String(user.name);
    delete account.uncertainName;
    for (const { refresh, isUncertain } of account.sessions) {
      const token = one('select used_at from refresh_tokens where hash = ?', hashSecret(refresh));
      if (!token) lose(`session of ${email}`);
      else if (token.used_at !== null && !isUncertain) lose(`refresh of ${email}`);
    }
    account.sessions = account.sessions.filter(({ isUncertain }) => !isUncertain);
  }
  db.close();
  for (const account of clients.map((accounts) => accounts.at(-1))) {
    if (!account) continue;
    const { email, codeOwedBeside } = account;
    if (account.isRegistered && !account.isConfirmed) {
      mailsOwed += 1;
      await signupTokenTo(email).catch(() => lose(`sign-up mail to ${email}`));
    }
    if (codeOwedBeside) {
      mailsOwed += 1;
      await newCodeTo(email, codeOwedBeside).catch(() => lose(`code mail to ${email}`));
      await spendCode(base, account);
    }
    const session = account.sessions.at(-1);
    if (!session) continue;
    const me = await call(base, 'GET', '/me', { token: session.access });
    if (me?.status !== 200 || me.body.name !== account.name)
      lose(`what ${email} reads: ${JSON.stringify(me)}`);
  }
}

const clients: Account[][] = Array.from({ length: Number(options.clients) }, () => []);
const cycles = Number(options.cycles);
let accountsChecked = 0;
for (let cycle = 1; cycle <= cycles && losses.length === 0; cycle++) {
  if (cycle % STARTS_KILLED === 0) {
    killedStarts += 1;
    const { child, ended } = startServer(folder, mailbox);
    setTimeout(() => child.kill('SIGKILL'), Math.random() * LONGEST_START_MS);
    await ended;
  }
  const server = startServer(folder, mailbox);
  death = server.ended.then(() => undefined);
  const base = await server.listening;
  await verify(base, clients, cycle);
  accountsChecked = clients.flat().length;
  setTimeout(() => server.child.kill('SIGKILL'), Math.random() * LONGEST_LIFE_MS);
  const lives = clients.map((accounts) =>
    live(base, accounts).catch(() => losses.push(`cycle ${cycle}: a mail to ${accounts.at(-1)?.email}`)),
  );
  await Promise.all(lives);
  await server.ended;
}
const last = startServer(folder, mailbox);
await verify(await last.listening, clients, cycles + 1);
last.child.kill('SIGTERM');
await last.ended;
if (last.child.exitCode !== 0) losses.push(`the last stop ended with ${last.child.exitCode}`);

console.log(`${cycles} kills under load, ${killedStarts} more while starting; ${clients.length} clients`);
console.log('acknowledged:', acknowledged);
console.log('refused:', refused);
console.log(
  `answers cut off by a kill: ${broken}; mails owed at a restart: ${mailsOwed}; accounts checked each time: up to ${accountsChecked}`,
);
console.log(losses.length === 0 ? 'lost: nothing' : `LOST:\n${losses.join('\n')}`);
if (options.keep || losses.length > 0) console.log(`data: ${folder}`);
else rmSync(folder, { recursive: true, force: true });
process.exit(losses.length === 0 ? 0 : 1);
