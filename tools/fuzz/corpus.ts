import type { OutgoingMail } from '../../src/mail/worker.ts';

/** Someone who has an account, with what they would know. */
export interface Person {
  id: string;
  email: string;
  /** Undefined where they have none, or forgot it. */
  password: string | undefined;
  accessToken: string;
  refreshToken: string;
}

/** The page that a mailed link opens tells what its token is for. */
export type Page = 'confirm-signup' | 'reset-password' | 'confirm-email' | 'keep-email' | 'accept-invitation';

export interface MailedSecret {
  to: string;
  secret: string;
}

interface Thing {
  kind: string;
  id: string;
  /** The workspace it is in, or the person it belongs to. */
  scope: string;
  fields: Record<string, unknown>;
}

const MAX_THINGS = 40;
const MAX_GROUPS = 800;
const MAX_SECRETS = 30;
const MAX_TEXT = 200;

/** What responses and mails have told so far: later requests are made of it. Bounded, the oldest goes first. */
export interface Corpus {
  people: Map<string, Person>;
  /** As they were at every sign-in: of some the session has ended, of some the account is gone. */
  former: Person[];
  learn(thing: Thing): void;
  forget(id: string): void;
  /** The newest last. */
  things(kind: string, scope: string): Thing[];
  /** Those that are in another workspace, or another person's. */
  elsewhere(kind: string, scope: string): Thing[];
  find(id: string): Thing | undefined;
  receive(mail: OutgoingMail): void;
  /** Newest last; taking one is up to the caller. */
  mailed(kind: Page | 'code'): MailedSecret[];
  spend(kind: Page | 'code', secret: string): void;
}

export function createCorpus(): Corpus {
  const byId = new Map<string, Thing>();
  const groups = new Map<string, Map<string, Thing>>();
  const secrets = new Map<string, MailedSecret[]>();
  const groupOf = ({ kind, scope }: Pick<Thing, 'kind' | 'scope'>) => {
    const key = `${kind} ${scope}`;
    const group = groups.get(key) ?? new Map<string, Thing>();
    groups.set(key, group);
    return group;
  };
  const dropOldestGroup = () => {
    for (const [key, group] of groups) {
      for (const id of group.keys()) byId.delete(id);
      groups.delete(key);
      return;
    }
  };
  const forget = (id: string) => {
    const thing = byId.get(id);
    if (!thing) return;
    byId.delete(id);
    const group = groupOf(thing);
    group.delete(id);
    if (group.size === 0) groups.delete(`${thing.kind} ${thing.scope}`);
    // A scope goes with what it is the scope of.
    if (thing.kind === 'Workspace') {
      for (const other of [...byId.values()]) if (other.scope === id) forget(other.id);
    }
  };
  return {
    people: new Map(),
    former: [],
    learn: (thing) => {
      const group = groupOf(thing);
      const known = byId.get(thing.id);
      // A thing that is told of again keeps its place, so that the choice among things depends on what was done only.
      if (known) known.fields = shortened(thing.fields);
      else {
        const kept = { ...thing, fields: shortened(thing.fields) };
        byId.set(thing.id, kept);
        group.set(thing.id, kept);
        const [oldest] = group.keys();
        if (group.size > MAX_THINGS && oldest !== undefined) forget(oldest);
        if (groups.size > MAX_GROUPS) dropOldestGroup();
      }
    },
    forget,
    things: (kind, scope) => [...(groups.get(`${kind} ${scope}`)?.values() ?? [])],
    elsewhere: (kind, scope) =>
      [...groups].flatMap(([key, group]) =>
        key.startsWith(`${kind} `) && key !== `${kind} ${scope}` ? [...group.values()] : [],
      ),
    find: (id) => byId.get(id),
    receive: ({ to, link, token, code }) => {
      const kind = code !== undefined ? 'code' : pageOf(link);
      const secret = code ?? token;
      if (secret === undefined || kind === undefined) return;
      const kept = secrets.get(kind) ?? [];
      kept.push({ to, secret });
      if (kept.length > MAX_SECRETS) kept.shift();
      secrets.set(kind, kept);
    },
    mailed: (kind) => secrets.get(kind) ?? [],
    spend: (kind, secret) => {
      const kept = secrets.get(kind) ?? [];
      secrets.set(
        kind,
        kept.filter((each) => each.secret !== secret),
      );
    },
  };
}

const pageOf = (link: string | undefined): string | undefined =>
  link === undefined ? undefined : new URL(link).pathname.slice(1);

/** Long texts are not remembered: what is looked up later is ids. */
const shortened = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value !== 'string' || value.length <= MAX_TEXT),
  );
