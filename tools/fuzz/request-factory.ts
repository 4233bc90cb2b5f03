import fc from 'fast-check';
import type { Attempt } from './attempt.ts';
import type { Corpus, Person } from './corpus.ts';
import type { DeletedResource } from './effects.ts';
import type { Exchange } from './exchange.ts';
import { type Context, composed, Missing } from './meaning.ts';
import { alternativesOf, type NamedSchema, type Operation } from './operations.ts';
import type { Oracle } from './oracle.ts';
import type { Target } from './target.ts';
import { type Draft, draftsOf } from './values.ts';
import { UNKNOWN_ID } from './wrong-values.ts';

/** The next number below so many sides. */
export type Random = (sides: number) => number;

/** Finds someone who may, somewhere where it can be done, for any route. */
interface RequestFactory {
  /** A valid request; undefined where what it needs has yet to be made, which is begun then. */
  attempt(operation: Operation): Promise<Attempt | undefined>;
  /** A request for something that was deleted. */
  attemptAt(deleted: DeletedResource): Promise<Attempt | undefined>;
  someoneSignedIn(): Promise<Person | undefined>;
  /** Signs people up until there are enough. */
  ensurePeople(people: number): Promise<void>;
}

const TRIES = 6;
const MAX_DEPTH = 3;
/** Which route causes the mail that brings a secret. */
const CAUSES: Record<string, string> = {
  'confirm-signup': 'POST /auth/register',
  'reset-password': 'POST /auth/password/reset/request',
  'confirm-email': 'POST /auth/email/change/request',
  'keep-email': 'POST /auth/email/change/request',
  'accept-invitation': 'POST /workspaces/{workspace_id}/invitations',
  code: 'POST /auth/login/code',
  password: 'POST /auth/password/reset/confirm',
};
/** Components that tell of things of another name. */
const SOURCES: Record<string, string> = { User: 'Member', Instance: 'Task' };

export function createRequestFactory(options: {
  operations: readonly Operation[];
  exchange: Exchange;
  corpus: Corpus;
  oracle: Oracle;
  random: Random;
  target: Target;
  seed: number;
  idToken(n: number): string;
}): RequestFactory {
  const { operations, exchange, corpus, oracle, random, target, seed, idToken } = options;
  const drafts = new Map(operations.map((operation, i) => [operation, streamOf(operation, seed + i)]));
  const draftOf = (operation: Operation): Draft => {
    const draft = drafts.get(operation)?.next().value;
    if (!draft) throw new Error(`${operation.name} has no drafts`);
    return draft;
  };
  const named = (name: string): Operation => {
    const operation = operations.find((each) => each.name === name);
    if (!operation) throw new Error(`The document has no ${name}`);
    return operation;
  };
  const contextOf = (person: Person, workspaceId?: string): Context => ({
    corpus,
    oracle,
    person,
    workspaceId,
    now: target.now(),
    idToken,
  });
  const people = () => [...corpus.people.values()];

  /** One try at a route in someone's name; false where it cannot be made or is rejected. */
  const does = async (person: Person, name: string): Promise<boolean> => {
    try {
      const operation = named(name);
      const attempt = composed(operation, draftOf(operation), contextOf(person));
      return (await exchange(attempt, { intent: 'valid' })).status < 300;
    } catch (reason) {
      if (reason instanceof Missing) return false;
      throw reason;
    }
  };
  const isSignedIn = async (person: Person): Promise<boolean> => {
    if (oracle.isAlive(person.accessToken, target.now())) return true;
    if (await does(person, 'POST /auth/refresh')) return true;
    if (await does(person, 'POST /auth/login')) return true;
    if (
      (await does(person, 'POST /auth/login/code')) &&
      (await does(person, 'POST /auth/login/code/confirm'))
    )
      return true;
    // Their account is gone, or its address is another by now.
    corpus.people.delete(person.id);
    return false;
  };
  const someone = (): Person | undefined => people()[random(corpus.people.size)];
  const contextFor = async (operation: Operation): Promise<Context | undefined> => {
    const person = someone();
    if (!person) return undefined;
    if (operation.bearer && !(await isSignedIn(person))) return undefined;
    if (!operation.role) return contextOf(person);
    const places = oracle.workspacesOf(person.id, operation.role);
    return places.length === 0 ? undefined : contextOf(person, places[random(places.length)]);
  };

  const attempt = async (operation: Operation, depth = 0): Promise<Attempt | undefined> => {
    let missing: { what: string; context: Context } | undefined;
    for (let i = 0; i < TRIES; i += 1) {
      const context = await contextFor(operation);
      try {
        if (context) return composed(operation, draftOf(operation), context);
      } catch (reason) {
        if (!(reason instanceof Missing) || !context) throw reason;
        missing = { what: reason.what, context };
      }
    }
    if (missing && depth < MAX_DEPTH) await produce(missing.what, missing.context, depth);
    return undefined;
  };
  /** Makes, or asks for, what is missing. */
  const produce = async (what: string, { person, workspaceId }: Context, depth: number): Promise<void> => {
    const cause = CAUSES[what];
    const sources = cause === undefined ? operations.filter((each) => tellsOf(each, what)) : [named(cause)];
    const source = sources[random(sources.length)];
    if (!source) return;
    try {
      const isThere = source.params.includes('workspace_id') === (workspaceId !== undefined);
      const made = isThere
        ? composed(source, draftOf(source), contextOf(person, workspaceId))
        : await attempt(source, depth + 1);
      if (made) await exchange(made, { intent: 'valid' });
    } catch (reason) {
      if (!(reason instanceof Missing)) throw reason;
      await produce(reason.what, contextOf(person, workspaceId), depth + 1);
    }
  };

  return {
    attempt,
    attemptAt: async (deleted) => {
      const below = operations.filter(({ path }) => path.startsWith(deleted.path));
      const operation = below[random(below.length)];
      const person = people().find(({ id }) => id === deleted.person.id);
      if (!operation || !person || !(await isSignedIn(person))) return undefined;
      const params = Object.fromEntries(
        operation.params.map((name) => [name, deleted.params[name] ?? UNKNOWN_ID]),
      );
      try {
        return composed(operation, { ...draftOf(operation), params }, contextOf(person, params.workspace_id));
      } catch (reason) {
        if (reason instanceof Missing) return undefined;
        throw reason;
      }
    },
    someoneSignedIn: async () => {
      const person = someone();
      return person && (await isSignedIn(person)) ? person : undefined;
    },
    ensurePeople: async (least) => {
      for (let tries = 0; corpus.people.size < least && tries < 3 * least; tries += 1) {
        // Nobody is signed in while signing up.
        await does(NOBODY, 'POST /auth/register');
        await does(NOBODY, PAGE_OF_SIGN_UP);
      }
    },
  };
}

const PAGE_OF_SIGN_UP = 'POST /auth/register/confirm';
const NOBODY: Person = { id: '', email: '', password: undefined, accessToken: '', refreshToken: '' };

function streamOf(operation: Operation, seed: number): Iterator<Draft> {
  const [drafts] = fc.sample(fc.infiniteStream(draftsOf(operation), { noHistory: true }), {
    seed,
    numRuns: 1,
  });
  if (!drafts) throw new Error('fast-check made no stream');
  return drafts;
}

/** Whether a route's responses tell of such a thing, and it can be asked without knowing one. */
function tellsOf({ responses, params, method }: Operation, what: string): boolean {
  const component = SOURCES[what] ?? what;
  if (method === 'DELETE' || (what === 'Instance') !== params.includes('job_id')) return false;
  if (params.some((name) => name !== 'workspace_id' && what !== 'Instance')) return false;
  return [...responses].some(
    ([status, schema]) => status < 300 && schema !== undefined && mentions(schema, component),
  );
}

const mentions = (schema: NamedSchema, component: string): boolean =>
  schema.title === component ||
  [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])].some((part) =>
    alternativesOf(part).some((shape) => mentions(shape, component)),
  );
