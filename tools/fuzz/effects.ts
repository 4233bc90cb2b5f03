import type { Attempt } from './attempt.ts';
import type { Received } from './conformance.ts';
import type { Corpus, Person } from './corpus.ts';
import { passwordOf, personAt } from './meaning.ts';
import { visitComponents } from './operations.ts';

/** Components whose objects are things of another name. */
const ALIASES: Record<string, string> = {
  NewSpace: 'Space',
  SkippedRecurringTask: 'RecurringTask',
  ExportedWorkspace: 'Workspace',
  Member: 'User',
};

const MAX_FORMER = 60;
/** What a deletion moves into the trash. */
const TRASHED = ['task_id', 'list_id', 'space_id'];

/** Something that is gone for good, and how one would ask for it. */
export interface DeletedResource {
  /** The path that named it. */
  path: string;
  params: Record<string, string>;
  person: Person;
}

/** Remembers what a valid request and its response did; returns what is gone by it. */
export function absorb(
  corpus: Corpus,
  attempt: Attempt,
  response: Received,
  body: unknown,
): DeletedResource | undefined {
  const { operation, params, person, secret } = attempt;
  if (secret) corpus.spend(secret.kind, secret.value);
  if (response.status === 404) forgetThingsOf(corpus, params);
  absorbAccount(corpus, attempt, response.status);
  if (response.status >= 300) return undefined;
  // What an export tells stands in no workspace of its own, and all of it was told before or can be asked for.
  const schema = operation.path.endsWith('/account/export')
    ? undefined
    : operation.responses.get(response.status);
  if (schema) visitComponents(schema, body, (component, found) => learn(corpus, attempt, component, found));
  if (operation.method !== 'DELETE') return undefined;
  const last = operation.params.at(-1);
  // What is emptied stays, and so does a label that is taken from a task.
  if (last === undefined || last === 'user_id' || !operation.path.endsWith('}')) return undefined;
  if (last === 'label_id' && operation.params.includes('task_id')) return undefined;
  corpus.forget(params[last] ?? '');
  const isPermanent = attempt.query.some(([name, value]) => name === 'permanent' && value === 'true');
  // From the trash it may have come back when it is asked for.
  if (TRASHED.includes(last) && !isPermanent) return undefined;
  return { path: operation.path, params, person };
}

function learn(corpus: Corpus, attempt: Attempt, component: string, found: Record<string, unknown>): void {
  const { params, person } = attempt;
  const { accessToken, refreshToken, user } = found;
  if (typeof accessToken === 'string' && typeof refreshToken === 'string') {
    const { id, email } = (user ?? person) as Person;
    const known = corpus.people.get(id);
    const password = known ? known.password : passwordOf(email);
    const present: Person = { id, email, password, accessToken, refreshToken };
    corpus.people.set(id, Object.assign(known ?? {}, present));
    corpus.former.push(present);
    if (corpus.former.length > MAX_FORMER) corpus.former.shift();
    return;
  }
  if (component === 'User' || component === 'Me') {
    const known = corpus.people.get(String(found.id));
    if (known) known.email = String(found.email);
    return;
  }
  const kind = ALIASES[component] ?? component;
  const id = component === 'Member' ? found.userId : found.id;
  if (typeof id !== 'string') return;
  const scope = kind === 'Workspace' ? id : String(found.workspaceId ?? params.workspace_id ?? person.id);
  corpus.learn({ kind, id, scope, fields: found });
}

/** Passwords and addresses, which no response tells. */
function absorbAccount(
  corpus: Corpus,
  { operation, person, body = {}, secret }: Attempt,
  status: number,
): void {
  const addressee = secret && personAt(corpus, secret.to);
  if (operation.name === 'POST /auth/login' && status === 401) person.password = undefined;
  if (status >= 300) return;
  switch (operation.name) {
    case 'POST /me/password':
      person.password = String(body.newPassword);
      break;
    case 'POST /auth/password/reset/confirm':
      if (addressee) addressee.password = String(body.newPassword);
      break;
    case 'DELETE /auth/me':
      corpus.people.delete(person.id);
      break;
  }
}

function forgetThingsOf(corpus: Corpus, params: Record<string, string>): void {
  for (const [name, id] of Object.entries(params)) if (name !== 'workspace_id') corpus.forget(id);
}
