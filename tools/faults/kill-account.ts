import type { Site } from './drill.ts';
import { homeOf, signupTokenTo } from './person.ts';
import { type ApiResponse, call, type Mailbox, mailThat } from './server.ts';

interface Session {
  access: string;
  refresh: string;
  /** A refresh was asked for, and nobody knows whether it was done. */
  isUncertain: boolean;
}

/** What one account was told, step by step; a step cut off by a kill leaves the one thing that is uncertain. */
export interface Account {
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
  /** Requests of a code that were cut off: each may have mailed one, which a later request makes invalid. */
  uncertainCodes: number;
  home?: { workspaceId: string; listId: string };
  /** Ids of its tasks by their titles; each is used once. */
  tasks: Map<string, string>;
  /** The titles as they are if the step that was cut off was done. */
  uncertainTitles?: string[];
  /** Ids of its acknowledged series. */
  series: string[];
  operations: number;
}

export const newAccount = (): Account => {
  const id = crypto.randomUUID();
  return {
    email: `${id}@example.com`,
    password: `password ${id}`,
    isRegistered: false,
    isConfirmed: false,
    name: 'First',
    sessions: [],
    uncertainCodes: 0,
    tasks: new Map(),
    series: [],
    operations: 0,
  };
};

const OPERATIONS = [
  'rename',
  'refresh',
  'refresh',
  'log in',
  'code',
  'add task',
  'add task',
  'add task',
  'retitle task',
  'delete task',
  'add series',
] as const;
type Operation = (typeof OPERATIONS)[number];

const pick = <Item>(items: readonly Item[]): Item | undefined =>
  items[Math.floor(Math.random() * items.length)];

const codeIn = (text: string) => /\b\d{6}\b/.exec(text)?.[0];

const codesTo = ({ mails }: Mailbox, email: string) =>
  mails.flatMap(({ to, text }) => (to === email && codeIn(text)) || []);

/** The code of a mail that is here or to come, and is none of `besides`. */
export async function newCodeTo(mailbox: Mailbox, email: string, besides: Set<string>): Promise<string> {
  const { text } = await mailThat(mailbox, (mail) => {
    const code = mail.to === email ? codeIn(mail.text) : undefined;
    return code !== undefined && !besides.has(code);
  });
  return codeIn(text) ?? '';
}

/** One life of the server, as its clients see it. */
export interface Life {
  site: Site;
  mailbox: Mailbox;
  base: string;
  /** Resolves when the server is dead. */
  death: Promise<undefined>;
}

interface Asked {
  method: string;
  path: string;
  /** Its name in the book, where the path holds ids. */
  as?: string;
  token?: string;
  body?: unknown;
  /** A status that is no fault beside 2xx. */
  accepted?: number | undefined;
}

async function ask({ site, base }: Life, { method, path, as = path, accepted, ...given }: Asked) {
  const response = await call(base, method, path, given);
  site.count(`${method} ${as} ${response?.status ?? 'cut off by the kill'}`);
  if (response && response.status !== accepted && !isDone(response))
    site.lose(`${method} ${path} got ${JSON.stringify(response)}`);
  return response;
}

const isDone = (response: ApiResponse | undefined): response is ApiResponse =>
  response !== undefined && response.status >= 200 && response.status < 300;

const signedIn = (account: Account, body: { accessToken: string; refreshToken: string }) =>
  account.sessions.push({ access: body.accessToken, refresh: body.refreshToken, isUncertain: false });

/** One step of an account's life; false when the connection broke. */
export async function step(life: Life, account: Account): Promise<boolean> {
  const { email, password, name } = account;
  if (!account.isRegistered) {
    const body = { email, password, name };
    const response = await ask(life, { method: 'POST', path: '/auth/register', body });
    if (isDone(response)) account.isRegistered = true;
    return response !== undefined;
  }
  if (!account.isConfirmed) {
    const token = await Promise.race([signupTokenTo(life.mailbox, email), life.death]);
    if (token === undefined) return false;
    const response = await ask(life, { method: 'POST', path: '/auth/register/confirm', body: { token } });
    if (response) account.isConfirmed = true;
    if (isDone(response)) signedIn(account, response.body);
    return response !== undefined;
  }
  account.operations += 1;
  const session = account.sessions.at(-1);
  const operation = session ? pick(OPERATIONS) : 'log in';
  if (!session || operation === 'log in') {
    const response = await ask(life, { method: 'POST', path: '/auth/login', body: { email, password } });
    if (isDone(response)) signedIn(account, response.body);
    return response !== undefined;
  }
  if (operation === 'refresh') return refresh(life, session);
  if (operation === 'rename') return rename(life, account, session.access);
  if (operation === 'code') return useCode(life, account);
  return work(life, account, session.access, operation ?? 'add task');
}

async function refresh(life: Life, session: Session): Promise<boolean> {
  session.isUncertain = true;
  const body = { refreshToken: session.refresh };
  const response = await ask(life, { method: 'POST', path: '/auth/refresh', body });
  if (response) session.isUncertain = false;
  if (isDone(response)) {
    session.access = response.body.accessToken;
    session.refresh = response.body.refreshToken;
  }
  return response !== undefined;
}

async function rename(life: Life, account: Account, token: string): Promise<boolean> {
  account.uncertainName = `Name ${crypto.randomUUID()}`;
  const body = { name: account.uncertainName };
  const response = await ask(life, { method: 'PATCH', path: '/me', token, body });
  if (isDone(response)) account.name = account.uncertainName;
  if (response) delete account.uncertainName;
  return response !== undefined;
}

async function useCode(life: Life, account: Account): Promise<boolean> {
  const { email } = account;
  const besides = new Set(codesTo(life.mailbox, email));
  const requested = await ask(life, { method: 'POST', path: '/auth/login/code', body: { email } });
  if (!requested) account.uncertainCodes += 1;
  if (!isDone(requested)) return requested !== undefined;
  account.codeOwedBeside = besides;
  return spendCode(life, account);
}

/** Signs in with the code that is owed, if one is. */
export async function spendCode(life: Life, account: Account): Promise<boolean> {
  const { email, codeOwedBeside: besides } = account;
  if (!besides) return true;
  const code = await Promise.race([newCodeTo(life.mailbox, email, besides), life.death]);
  if (code === undefined) return false;
  delete account.codeOwedBeside;
  const response = await ask(life, {
    method: 'POST',
    path: '/auth/login/code/confirm',
    body: { email, code },
    accepted: account.uncertainCodes > 0 ? 401 : undefined,
  });
  if (response?.status === 401 && account.uncertainCodes > 0) {
    account.uncertainCodes -= 1;
    account.codeOwedBeside = besides.add(code);
    return spendCode(life, account);
  }
  if (isDone(response)) signedIn(account, response.body);
  return response !== undefined;
}

/** Adds, retitles or deletes a task, or adds a series. */
async function work(life: Life, account: Account, token: string, operation: Operation): Promise<boolean> {
  const home = account.home ?? (await homeOf(life.base, token).catch(() => undefined));
  if (!home) return false;
  account.home = home;
  const { workspaceId, listId } = home;
  if (operation === 'add series') return addSeries(life, account, token);
  const of = `/workspaces/${workspaceId}/tasks`;
  const title = crypto.randomUUID();
  const [old, id] = pick([...account.tasks]) ?? [];
  const others = [...account.tasks.keys()].filter((one) => one !== old);
  if (old === undefined || id === undefined || operation === 'add task') {
    account.uncertainTitles = [...account.tasks.keys(), title];
    const response = await ask(life, {
      method: 'POST',
      path: of,
      as: 'tasks',
      token,
      body: { listId, title },
    });
    if (isDone(response)) account.tasks.set(title, response.body.id);
    return noteOutcome(account, response);
  }
  const isKept = operation === 'retitle task';
  account.uncertainTitles = isKept ? [...others, title] : others;
  const asked = { path: `${of}/${id}`, as: 'tasks/…', token };
  const response = isKept
    ? await ask(life, { ...asked, method: 'PATCH', body: { title } })
    : await ask(life, { ...asked, method: 'DELETE' });
  if (isDone(response)) {
    account.tasks.delete(old);
    if (isKept) account.tasks.set(title, id);
  }
  return noteOutcome(account, response);
}

/** What was uncertain is known once there is a response; returns whether there was one. */
function noteOutcome(account: Account, response: ApiResponse | undefined): boolean {
  if (response) delete account.uncertainTitles;
  return response !== undefined;
}

async function addSeries(life: Life, account: Account, token: string): Promise<boolean> {
  const interval = { frequency: 'day', timeOfDay: '09:00', timezone: 'Europe/Paris' };
  const response = await ask(life, {
    method: 'POST',
    path: `/workspaces/${account.home?.workspaceId}/recurring-tasks`,
    as: 'recurring-tasks',
    token,
    body: { title: 'Water the plants', listId: account.home?.listId, interval },
  });
  if (isDone(response)) account.series.push(response.body.id);
  return response !== undefined;
}
