import { signature } from '../../test/telegram-double.ts';
import type { Attempt } from './attempt.ts';
import type { Corpus, MailedSecret, Page, Person } from './corpus.ts';
import type { NamedSchema, Operation } from './operations.ts';
import type { Oracle } from './oracle.ts';
import { repair, repairedQuery } from './repair.ts';
import { type Draft, Wanted } from './values.ts';

/** What a request is made in. */
export interface Context {
  corpus: Corpus;
  oracle: Oracle;
  person: Person;
  workspaceId: string | undefined;
  now: number;
  /** An ID token of the n-th person that Google knows. */
  idToken(n: number): string;
}

/** Nothing like that is known yet. */
export class Missing extends Error {
  readonly what: string;
  constructor(what: string) {
    super(`No ${what} is known`);
    this.what = what;
  }
}

/** Which mail brings the token of a route. */
const PAGES: Record<string, Page> = {
  'POST /auth/register/confirm': 'confirm-signup',
  'POST /auth/password/reset/confirm': 'reset-password',
  'POST /auth/email/change/confirm': 'confirm-email',
  'POST /auth/email/change/revert': 'keep-email',
  'POST /invitations/accept': 'accept-invitation',
};
const FOR_STRANGERS = ['POST /auth/register', 'POST /auth/login/telegram'];
const TELEGRAM_ACCOUNTS = 40;
const ADDRESSES = 300;

export const passwordOf = (email: string): string => `password of ${email}`;

/** The request that a draft becomes where it is made; throws Missing where something it must have is not known. */
export function composed(operation: Operation, draft: Draft, context: Context): Attempt {
  const attempt: Attempt = {
    operation,
    person: context.person,
    method: operation.method,
    params: {},
    query: [],
    body: undefined,
    headers: operation.bearer ? { Authorization: `Bearer ${context.person.accessToken}` } : {},
  };
  for (const name of operation.params) {
    attempt.params[name] = String(found(draft.params[name], name, attempt, context));
  }
  for (const { name, required } of operation.query) {
    const value = optional(required ?? false, () => found(draft.query[name], name, attempt, context));
    if (value !== undefined) attempt.query.push([name, String(value)]);
  }
  attempt.query = repairedQuery(attempt.query);
  if (operation.body) {
    const body = resolved(operation.body, draft.body, attempt, context, '') as Record<string, unknown>;
    attempt.body = sealed(repair(body, attempt, context.corpus), context);
    attempt.headers['Content-Type'] = 'application/json';
  }
  return attempt;
}

function resolved(
  schema: NamedSchema,
  given: unknown,
  attempt: Attempt,
  context: Context,
  name: string,
): unknown {
  if (given instanceof Wanted) return found(given, name, attempt, context);
  if (Array.isArray(given)) {
    const items = given.map((item) =>
      optional(false, () => resolved(schema.items ?? {}, item, attempt, context, name)),
    );
    return [...new Set(items.filter((item) => item !== undefined))];
  }
  if (typeof given !== 'object' || given === null) return given;
  const whole: Record<string, unknown> = {};
  // The body as far as it is: what comes later may depend on it.
  attempt.body ??= whole;
  for (const [name, value] of byDependence(Object.entries(given))) {
    const isRequired = schema.required?.includes(name) ?? false;
    const part = schema.properties?.[name] ?? {};
    const made = optional(isRequired, () => resolved(part, value, attempt, context, name));
    if (made !== undefined) whole[name] = made;
  }
  return whole;
}

/** A status is one of the list, an invitation one to the address. */
const byDependence = (entries: [string, unknown][]) =>
  entries.toSorted(([a], [b]) => Number(LATE.includes(a)) - Number(LATE.includes(b)));
const LATE = ['statusId', 'invitationToken', 'password'];

function optional<T>(isRequired: boolean, make: () => T): T | undefined {
  try {
    return make();
  } catch (reason) {
    if (isRequired || !(reason instanceof Missing)) throw reason;
    return undefined;
  }
}

function found(value: unknown, name: string, attempt: Attempt, context: Context): unknown {
  if (!(value instanceof Wanted)) return value;
  const { what, n } = value;
  const finder = FINDERS[what];
  if (finder) return finder(n, attempt, context);
  const { corpus, person, workspaceId } = context;
  const things = corpus.things(what, workspaceId ?? person.id);
  const preferred = things.filter(({ fields }) => isFit(name, fields));
  return oneOf(preferred.length > 0 ? preferred : things, n, what).id;
}

/** Members who are not the owner can be removed, templates that are not the default one deleted. */
const isFit = (name: string, { role, isDefault }: Record<string, unknown>): boolean =>
  name === 'user_id' ? role !== 'owner' : isDefault !== true;

function oneOf<T>(among: readonly T[], n: number, what: string): T {
  const chosen = among[n % Math.max(among.length, 1)];
  if (chosen === undefined) throw new Missing(what);
  return chosen;
}

type Finder = (n: number, attempt: Attempt, context: Context) => unknown;

const FINDERS: Record<string, Finder> = {
  Workspace: (n, { operation }, { workspaceId, oracle, person }) =>
    operation.params.includes('workspace_id')
      ? workspaceId
      : oneOf(oracle.workspacesOf(person.id, 'viewer'), n, 'Workspace'),
  number: (n, _attempt, { corpus, workspaceId = '' }) =>
    oneOf(corpus.things('Task', workspaceId), n, 'Task').fields.number,
  'new id': (n) => `019d0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
  Task: (n, { params }, { corpus, workspaceId = '' }) => {
    const tasks = corpus.things('Task', workspaceId);
    if (params.job_id === undefined) return oneOf(tasks, n, 'Task').id;
    const own = tasks.filter(({ fields }) => seriesOf(fields.recurrence) === params.job_id);
    return oneOf(own, n, 'Instance').id;
  },
  List: (n, { operation, params, body }, { corpus, workspaceId = '' }) => {
    const task = corpus.find(params.task_id ?? '');
    // A task is moved by the route for it alone.
    if (task && operation.method === 'PATCH') return task.fields.listId;
    const lists = corpus.things('List', workspaceId);
    const inSpace = lists.filter(({ fields }) => fields.spaceId === body?.spaceId);
    return oneOf(inSpace.length > 0 ? inSpace : lists, n, 'List').id;
  },
  Status: (n, { params, body, operation }, { corpus, workspaceId = '' }) => {
    if (!operation.body) return oneOf(corpus.things('Status', workspaceId), n, 'Status').id;
    const listId = body?.listId ?? corpus.find(params.task_id ?? '')?.fields.listId;
    const statuses = corpus.find(String(listId))?.fields.statuses ?? [];
    return oneOf(statuses as { id: string }[], n, 'Status').id;
  },
  Comment: (n, { params }, { corpus, workspaceId = '' }) => {
    const own = corpus
      .things('Comment', workspaceId)
      .filter(({ fields }) => fields.taskId === params.task_id);
    return oneOf(own, n, 'Comment').id;
  },
  ChecklistItem: (n, { params }, { corpus }) => {
    const items = corpus.find(params.task_id ?? '')?.fields.checklist ?? [];
    return oneOf(items as { id: string }[], n, 'ChecklistItem').id;
  },
  Assignee: (n, _attempt, { oracle, workspaceId = '' }) =>
    oneOf(oracle.assigneesIn(workspaceId), n, 'Assignee'),
  instant: (n, _attempt, { now }) => {
    const at = new Date(now + ((n % 3_000) - 500) * 37 * 60_000).toISOString();
    return n % 5 === 0 ? at.replace('Z', '+05:45') : at;
  },
  date: (n, _attempt, { now }) => new Date(now + ((n % 700) - 20) * 86_400_000).toISOString().slice(0, 10),
  occurrenceAt: (_n, { params }, { corpus }) => {
    const next = corpus.find(params.job_id ?? '')?.fields.nextRunAt;
    if (typeof next !== 'string') throw new Missing('occurrence');
    return next;
  },
  email: (n, { operation }, { corpus, person }) => {
    if (operation.name.endsWith('/invitations')) return n % 2 ? addressOf(n) : someone(corpus, n).email;
    if (!FOR_STRANGERS.includes(operation.name)) return person.email;
    const invited = corpus.mailed('accept-invitation').filter(({ to }) => !personAt(corpus, to));
    return n % 4 === 0 && invited.length > 0 ? oneOf(invited, n, 'invitation').to : addressOf(n);
  },
  newEmail: (n) => addressOf(n),
  password: (_n, { operation, body }, { person }) => {
    if (operation.name === 'POST /auth/register') return passwordOf(String(body?.email));
    if (person.password === undefined) throw new Missing('password');
    return person.password;
  },
  currentPassword: (_n, _attempt, { person }) => {
    if (person.password === undefined) throw new Missing('password');
    return person.password;
  },
  code: (n, attempt, { corpus, person }) => {
    const own = corpus.mailed('code').filter(({ to }) => to === person.email);
    return presented(attempt, 'code', own.slice(-1), n);
  },
  token: (n, attempt, { corpus, person }) => {
    // Reading what a link is for does not spend it.
    if (attempt.operation.name === 'POST /auth/links/read')
      return oneOf(Object.values(PAGES).flatMap(corpus.mailed), n, 'confirm-signup').secret;
    const page = PAGES[attempt.operation.name];
    if (page === undefined) throw new Missing('token');
    const mailed = corpus.mailed(page);
    const own = page === 'accept-invitation' ? mailed.filter(({ to }) => to === person.email) : mailed;
    return presented(attempt, page, own, n);
  },
  invitationToken: (n, attempt, { corpus }) =>
    presented(
      attempt,
      'accept-invitation',
      corpus
        .mailed('accept-invitation')
        .filter(({ to }) =>
          attempt.operation.name.endsWith('/invited') ? !personAt(corpus, to) : to === attempt.body?.email,
        ),
      n,
    ),
  refreshToken: (_n, _attempt, { person }) => person.refreshToken,
  idToken: (n, _attempt, { idToken }) => idToken(n),
  auth_date: (_n, _attempt, { now }) => Math.floor(now / 1_000),
  hash: () => '',
};

function presented(attempt: Attempt, kind: Page | 'code', among: MailedSecret[], n: number): string {
  const chosen = oneOf(among, n, kind);
  attempt.secret = { kind, value: chosen.secret, to: chosen.to };
  return chosen.secret;
}

/** As Telegram would have it: one line to a field, and signed. */
function sealed(body: Record<string, unknown>, { now }: Context): Record<string, unknown> {
  if (body.hash === undefined) return body;
  const { hash: _hash, email, ...fields } = body;
  const own = { id: 1 + (Number(fields.id) % TELEGRAM_ACCOUNTS), auth_date: Math.floor(now / 1_000) };
  const signed = Object.fromEntries(
    Object.entries({ ...fields, ...own } as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll(/[\r\n]/g, ' ') : value,
    ]),
  );
  return { ...signed, hash: signature(signed), ...(email !== undefined && { email }) };
}

export const personAt = (corpus: Corpus, email: string): Person | undefined =>
  [...corpus.people.values()].find((person) => person.email === email);

const someone = ({ people }: Corpus, n: number): Person => oneOf([...people.values()], n, 'person');

const addressOf = (n: number) => `person${n % ADDRESSES}@example.com`;

const seriesOf = (recurrence: unknown): unknown =>
  typeof recurrence === 'object' && recurrence !== null && 'recurringTaskId' in recurrence
    ? recurrence.recurringTaskId
    : undefined;
