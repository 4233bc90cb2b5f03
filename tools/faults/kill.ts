import type SqliteDatabase from 'better-sqlite3';
import { hashSecret } from '../../src/kernel/secrets.ts';
import { drill, type Site } from './drill.ts';
import { type Account, type Life, newAccount, newCodeTo, spendCode, step } from './kill-account.ts';
import { signupTokenTo } from './person.ts';
import { call, createMailbox, startServer, stops } from './server.ts';
import { inDatabase, wrongIn } from './wrong.ts';

const OPERATIONS_PER_ACCOUNT = 16;
const LONGEST_LIFE_MS = 700;
const LONGEST_START_MS = 250;
/** One cycle in so many is killed while it starts. */
const STARTS_KILLED = 8;
const TOLD_EACH_CYCLES = 50;

/** Everything acknowledged must be there after each kill; what was cut off must be whole or absent. */
export const kill = drill({
  about: 'kill -9 at random moments under a mixed load',
  counts: { cycles: 20, clients: 8 },
  run: async (site, { cycles, clients }) => {
    const mailbox = createMailbox();
    const accounts: Account[][] = Array.from({ length: clients }, () => []);
    const begin = async (): Promise<Life & { server: ReturnType<typeof startServer> }> => {
      const server = startServer(site.folder, mailbox);
      const death = server.ended.then(() => undefined);
      return { server, site, mailbox, base: await server.listening, death };
    };
    for (let cycle = 1; cycle <= cycles && site.losses.length === 0; cycle += 1) {
      if (cycle % STARTS_KILLED === 0) await killStart(site);
      const { server, ...life } = await begin();
      await verify(life, accounts, `cycle ${cycle}`);
      setTimeout(() => server.child.kill('SIGKILL'), Math.random() * LONGEST_LIFE_MS);
      const lives = accounts.map((own) =>
        live(life, own).catch((error) => site.lose(`cycle ${cycle}: ${own.at(-1)?.email}: ${error}`)),
      );
      await Promise.all(lives);
      await server.ended;
      if (cycle % TOLD_EACH_CYCLES === 0) site.tell(`${cycle} kills, ${accounts.flat().length} accounts`);
    }
    const { server, ...life } = await begin();
    await verify(life, accounts, 'the last start');
    await stops(server, site, 'the last stop');
    site.tell(`${cycles} kills; ${accounts.flat().length} accounts of ${clients} clients checked after each`);
  },
});

async function killStart(site: Site): Promise<void> {
  const { child, ended } = startServer(site.folder, createMailbox());
  setTimeout(() => child.kill('SIGKILL'), Math.random() * LONGEST_START_MS);
  await ended;
  site.count('kill while starting');
}

async function live(life: Life, accounts: Account[]): Promise<void> {
  for (;;) {
    let account = accounts.at(-1);
    if (!account || account.operations >= OPERATIONS_PER_ACCOUNT) {
      account = newAccount();
      accounts.push(account);
    }
    if (!(await step(life, account))) return;
  }
}

async function verify(life: Life, accounts: Account[][], when: string): Promise<void> {
  const { site } = life;
  const lose = (what: string) => site.lose(`${when}: ${what}`);
  for (const wrong of wrongIn(site.folder)) lose(wrong);
  inDatabase(site.folder, (database) => {
    const find = finders(database);
    for (const account of accounts.flat()) compare(account, find, lose);
  });
  for (const account of accounts.map((own) => own.at(-1))) if (account) await owed(life, account, lose);
}

const finders = (database: SqliteDatabase.Database) => ({
  user: database.prepare<[string], { id: string; name: string }>(
    'select id, name from users where email = ?',
  ),
  token: database.prepare<[string], { used_at: string | null }>(
    'select used_at from refresh_tokens where hash = ?',
  ),
  tasks: database.prepare<[string], { id: string; title: string }>(
    'select id, title from tasks where creator_id = ? and recurring_task_id is null',
  ),
  series: database.prepare<[string], string>('select id from recurring_series where creator_id = ?').pluck(),
});

/** Compares what an account was told with what is there, which then decides what was uncertain. */
function compare(account: Account, find: ReturnType<typeof finders>, lose: (what: string) => void): void {
  const { email } = account;
  const user = find.user.get(email);
  if (!account.isConfirmed && user) account.isConfirmed = true;
  if (account.isConfirmed && !user) lose(`account ${email}`);
  if (!user) return;
  if (user.name !== account.name && user.name !== account.uncertainName) lose(`name of ${email}`);
  account.name = user.name;
  delete account.uncertainName;
  for (const { refresh, isUncertain } of account.sessions) {
    const token = find.token.get(hashSecret(refresh));
    if (!token) lose(`session of ${email}`);
    else if (token.used_at !== null && !isUncertain) lose(`refresh of ${email}`);
  }
  account.sessions = account.sessions.filter(({ isUncertain }) => !isUncertain);
  const tasks = find.tasks.all(user.id);
  const isThere = (titles: string[]) =>
    titles.length === tasks.length && tasks.every(({ title }) => titles.includes(title));
  if (!isThere([...account.tasks.keys()]) && !isThere(account.uncertainTitles ?? []))
    lose(`tasks of ${email}`);
  account.tasks = new Map(tasks.map(({ title, id }) => [title, id]));
  delete account.uncertainTitles;
  const series = new Set(find.series.all(user.id));
  if (!account.series.every((id) => series.has(id))) lose(`series of ${email}`);
}

/** The mails that were promised must come, and the account must read what it was told. */
async function owed(life: Life, account: Account, lose: (what: string) => void): Promise<void> {
  const { email, codeOwedBeside } = account;
  const { site, mailbox, base } = life;
  if (account.isRegistered && !account.isConfirmed) {
    site.count('mail owed at a restart');
    await signupTokenTo(mailbox, email).catch(() => lose(`sign-up mail to ${email}`));
  }
  if (codeOwedBeside) {
    site.count('mail owed at a restart');
    await newCodeTo(mailbox, email, codeOwedBeside).catch(() => lose(`code mail to ${email}`));
    await spendCode(life, account);
  }
  const session = account.sessions.at(-1);
  if (!session) return;
  const me = await call(base, 'GET', '/me', { token: session.access });
  if (me?.status !== 200 || me.body.name !== account.name) lose(`what ${email} reads: ${JSON.stringify(me)}`);
}
