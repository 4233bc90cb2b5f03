import type { Compilable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import type { Tx } from '../../src/db/tx.ts';
import type { Route } from '../../src/http/route.ts';
import { MINUTE } from '../../src/kernel/instants.ts';
import { routes } from '../../src/routes.ts';
import { GROUPINGS } from '../../src/tasks/query-schema.ts';
import { UNKNOWN_IDS } from '../../tools/fuzz/texts.ts';
import { as, joined, pathsOf, signInAgain } from '../people.ts';
import { type Call, openWorld, type Person, type TestResponse, type World } from '../world.ts';
import { furnish, samples, type Things } from './sample-requests.ts';

// Every mounted route is rejected in every way there is, and after each error nothing has changed and no mail was
// sent. A route whose body has no sample below fails here.

/** Body fields that name a thing of the workspace: one of another workspace is no such thing. */
const REFERENCES: Record<string, keyof Things> = {
  listId: 'list_id',
  spaceId: 'space_id',
  statusTemplateId: 'template_id',
  statusId: 'status_id',
  assigneeId: 'user_id',
};

const REQUIRED: Record<string, string> = { q: 'task', from: '2026-03-28', to: '2026-04-28' };

/** What a query has to have beside a field of it. */
const requiredOf = (route: Route, beside?: string): string =>
  Object.keys(route.query?.shape ?? {})
    .filter((field) => field in REQUIRED && field !== beside)
    .map((field) => `&${field}=${REQUIRED[field]}`)
    .join('');

/** What a query filters by. */
const FILTERS: Record<string, keyof Things> = {
  ...REFERENCES,
  creatorId: 'user_id',
  recurringTaskId: 'job_id',
};

let world: World;
let ada: Person;
let bob: Person;
let people: Record<'viewer' | 'member' | 'admin' | 'owner', Person>;
let own: Things;
let foreign: Things;
let expired: string;

beforeAll(async () => {
  world = await openWorld();
  [ada, bob] = await Promise.all([world.signUp('ada@example.com'), world.signUp('bob@example.com')]);
  expired = ada.accessToken;
  world.clock.advance(16 * MINUTE);
  await Promise.all([signInAgain(world, ada), signInAgain(world, bob)]);
  [own, foreign] = await Promise.all([furnish(world, ada), furnish(world, bob)]);
  // Numbers count in each workspace: one of another is one that is not there.
  foreign.number = '9';
  const join = (role: string) => joined(world, ada, own.workspace_id, role);
  const [admin, member, viewer] = await Promise.all(['admin', 'member', 'viewer'].map(join));
  if (!admin || !member || !viewer) throw new Error('Nobody joined');
  people = { owner: ada, admin, member, viewer };
  own.user_id = member.id;
  await world.untilIdle();
});
afterAll(() => world.close());

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
const paramsOf = ({ path }: Route) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name as keyof Things);
const slotOf = (route: Route, name: keyof Things): keyof Things =>
  name === 'task_id' && route.path.includes('/instances/') ? 'instance_id' : name;
const pathOf = (route: Route, things: Partial<Things> = {}) =>
  route.path.replaceAll(/\{(\w+)\}/g, (_all, name: keyof Things) => things[name] ?? own[slotOf(route, name)]);

const all = routes.map((route): [string, Route] => [nameOf(route), route]);
const bearer = all.filter(([, { guard }]) => guard.bearer);
const inWorkspace = all.filter(([, { path }]) => path.includes('{workspace_id}'));

function sampleFor(route: Route): object | undefined {
  if (!route.body) return undefined;
  const sample = samples(own)[nameOf(route)];
  if (!sample) throw new Error(`${nameOf(route)} has no sample body`);
  return sample;
}

const callTo = (route: Route, call: Call & { things?: Partial<Things>; query?: string } = {}) => {
  const body = call.body === undefined ? sampleFor(route) : call.body;
  const path = pathOf(route, call.things) + (call.query === undefined ? '' : `?${call.query}`);
  return world.call(route.method.toUpperCase(), path, { ...call, ...(body !== undefined && { body }) });
};

/** Makes a request and expects this status, an error body, and that nothing changed. */
async function rejected(status: number, request: () => Promise<TestResponse>): Promise<TestResponse> {
  const before = dump();
  const mails = world.mails.length;
  const response = await request();
  expect([response.status, response.body]).toEqual([
    status,
    expect.objectContaining({ error: expect.any(String), message: expect.any(String) }),
  ]);
  await world.untilIdle();
  expect(dump()).toEqual(before);
  expect(world.mails.length).toBe(mails);
  return response;
}

/** Runs with this happening right before every job that is written. */
async function meanwhile(happens: Compilable<unknown>, run: () => Promise<unknown>): Promise<void> {
  const { write, writeInSteps } = world.deps;
  const andThen =
    <Result>(job: (tx: Tx) => Result) =>
    (tx: Tx) => {
      tx.run(happens);
      return job(tx);
    };
  world.deps.write = (job) => write(andThen(job));
  world.deps.writeInSteps = (job) => writeInSteps(andThen(job));
  await run().finally(() => {
    world.deps.write = write;
    world.deps.writeInSteps = writeInSteps;
  });
}

function dump(except: readonly string[] = []): string {
  const file = world.opened.storage.reading;
  const tables = file
    .prepare<[], { name: string }>(
      // The audit trail tells of errors.
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'audit_log'`,
    )
    .all();
  return JSON.stringify(
    tables
      .filter(
        ({ name }) =>
          !['budgets', 'meta', 'outbox', 'login_codes', ...except].includes(name) &&
          !name.startsWith('task_search'),
      )
      .map(({ name }) => [name, file.prepare(`select * from "${name}"`).all()]),
  );
}

describe('without a token', () => {
  it.each(bearer)('%s is 401, and nothing is looked up', async (_name, route) => {
    const { headers, body } = await rejected(401, () => callTo(route));
    expect(headers.get('www-authenticate')).toBe('Bearer');
    const random = Object.fromEntries(paramsOf(route).map((name) => [name, crypto.randomUUID()]));
    expect((await rejected(401, () => callTo(route, { things: random }))).body).toEqual(body);
  });
});

describe('with an expired token', () => {
  it.each(bearer)('%s is 401', async (_name, route) => {
    await rejected(401, () => callTo(route, { token: expired }));
  });
});

describe('a session that ends after the guard', () => {
  type Case = [name: string, route: Route, more?: object];
  /** Their proof from elsewhere is looked at before anything is written: told in pre-hijacking.test.ts. */
  const elsewhere = ['POST /me/google', 'POST /me/telegram'];
  /** Ends sessions itself, and does nothing else. */
  const ending = ['POST /auth/logout'];
  const writing = bearer.filter(
    ([name, { method, path }]) =>
      method !== 'get' && !path.endsWith('/preview') && ![...elsewhere, ...ending].includes(name),
  );
  const exporting = bearer.filter(([name]) => name === 'GET /account/export');

  beforeEach(async () => {
    await signInAgain(world, ada);
    own.session_id = (await as(world, ada)('GET', '/me/sessions')).body.items[0].id;
  });
  afterAll(() => signInAgain(world, ada));

  const inSteps = writing
    .filter(([name]) => name === 'PATCH /me')
    .map(([name, route]): Case => [`${name} of a time zone`, route, { timezone: 'Asia/Tokyo' }]);
  const cases: Case[] = [...writing, ...exporting, ...inSteps];

  it.each(cases)('%s is 401, and writes nothing', async (name, route, more) => {
    const password = { password: ada.password, currentPassword: ada.password };
    const body = { ...sampleFor(route), ...more, ...(/DELETE .auth.me|password/.test(name) && password) };
    const things = name.includes('/sessions/')
      ? { session_id: own.session_id }
      : { notification_id: own.notification_id };
    const end = query.deleteFrom('sessions').where('user_id', '=', ada.id);
    await meanwhile(end, async () => {
      const before = dump(['sessions', 'refresh_tokens']);
      const request = { token: ada.accessToken, things, ...(route.body && { body }) };
      expect((await callTo(route, request)).status).toBe(401);
      await world.untilIdle();
      expect(dump(['sessions', 'refresh_tokens'])).toBe(before);
    });
  });
});

describe('a right that ends after the guard', () => {
  const writing = inWorkspace.filter(
    ([, { method, path }]) => method !== 'get' && !path.endsWith('/preview'),
  );
  const mine = { workspace_id: () => own.workspace_id, user_id: () => people.admin.id };
  const losses: [string, number, () => Compilable<unknown>][] = [
    [
      'membership',
      403,
      () =>
        query
          .deleteFrom('members')
          .where('workspace_id', '=', mine.workspace_id())
          .where('user_id', '=', mine.user_id()),
    ],
    [
      'role',
      403,
      () =>
        query
          .updateTable('members')
          .set({ role: 'viewer' })
          .where('workspace_id', '=', mine.workspace_id())
          .where('user_id', '=', mine.user_id()),
    ],
    [
      'workspace',
      404,
      () => query.insertInto('removals').values({ kind: 'workspace', id: mine.workspace_id() }),
    ],
  ];
  const cases = writing
    .filter(([, { guard }]) => guard.role !== 'owner')
    .flatMap(([name, route]) =>
      losses
        // Everyone may leave, whatever their role.
        .filter(([loss]) => loss !== 'role' || route.guard.role !== 'viewer')
        .map(([loss, status, lose]) => ({ name, loss, status, lose, route })),
    );
  it.each(cases)('$name is $status when the $loss is lost, and writes nothing', async (one) => {
    await meanwhile(one.lose(), () =>
      rejected(one.status, () => callTo(one.route, { token: people.admin.accessToken })),
    );
  });
});

describe('an outsider', () => {
  it.each(inWorkspace)(
    '%s is 403 in a workspace that exists, 404 in none, whatever the input',
    async (_name, route) => {
      const token = bob.accessToken;
      await rejected(403, () => callTo(route, { token }));
      await rejected(403, () => callTo(route, { token, ...(route.body && { body: { title: [] } }) }));
      for (const workspace_id of [crypto.randomUUID(), 'malformed', '__proto__', '%00']) {
        await rejected(404, () => callTo(route, { token, things: { workspace_id } }));
      }
    },
  );
});

describe('a role too low', () => {
  const cases = inWorkspace.flatMap(([name, route]) =>
    ROLES.slice(0, ROLES.indexOf(route.guard.role as (typeof ROLES)[number])).map(
      (role): [string, string, Route] => [name, role, route],
    ),
  );
  it.each(cases)('%s is 403 for a %s', async (_name, role, route) => {
    const person = people[role as keyof typeof people];
    await rejected(403, () => callTo(route, { token: person.accessToken }));
  });
});

describe('an API token', () => {
  const CAPS = ROLES.slice(0, 3);
  type Cap = (typeof CAPS)[number];
  const tokens = new Map<string, string>();
  /** The token of someone with such a role, capped so. */
  const tokenOf = (role: (typeof ROLES)[number], cap: Cap) => tokens.get(`${role} ${cap}`) ?? '';

  beforeAll(async () => {
    for (const role of ROLES) {
      for (const cap of CAPS) {
        const body = { title: cap, role: cap, workspaceIds: [own.workspace_id] };
        const made = await world.call('POST', '/me/tokens', { token: people[role].accessToken, body });
        expect(made.status).toBe(201);
        tokens.set(`${role} ${cap}`, made.body.token);
        // That it was used is noted the first time.
        await world.call('GET', '/me', { token: made.body.token });
      }
    }
    await world.untilIdle();
  });

  const rankOf = (role: string | undefined) => ROLES.indexOf(role as (typeof ROLES)[number]);
  const isClosed = ({ guard }: Route) => guard.apiTokens === 'rejected';
  const isTooLow = (route: Route, role: string, cap: Cap): boolean =>
    isClosed(route) || Math.min(rankOf(role), rankOf(cap)) < rankOf(route.guard.role);
  it.each(inWorkspace)(
    '%s is 403 where the role or the cap is too low, and for tokens of other workspaces',
    async (_name, route) => {
      const calls = ROLES.flatMap((role) =>
        CAPS.filter((cap) => isTooLow(route, role, cap)).map((cap) => ({ token: tokenOf(role, cap) })),
      );
      const elsewhere = {
        token: tokenOf('owner', 'admin'),
        things: { workspace_id: foreign.workspace_id },
      };
      await rejected(403, async () => {
        for (const call of calls) expect((await callTo(route, call)).status).toBe(403);
        return callTo(route, elsewhere);
      });
    },
  );

  const elsewhere = bearer.filter(([, route]) => !route.path.includes('{workspace_id}') && isClosed(route));
  it.each(elsewhere)('%s is 403 by any token', async (_name, route) => {
    await rejected(403, () => callTo(route, { token: tokenOf('owner', 'admin') }));
  });

  it('may be used for every route that is not closed to it, of which a cap says how much', () => {
    expect(inWorkspace.every(([, { guard }]) => guard.apiTokens !== undefined && guard.role)).toBe(true);
    expect(elsewhere.length).toBeGreaterThan(15);
  });
});

describe('a thing that is not there', () => {
  const cases = all.flatMap(([name, route]) =>
    paramsOf(route)
      .filter((param) => param !== 'workspace_id')
      .map((param): [string, keyof Things, Route] => [name, param, route]),
  );
  it.each(cases)(
    '%s is 404 where %s is of another workspace, unknown or malformed',
    async (_name, param, route) => {
      for (const id of [foreign[slotOf(route, param)], ...UNKNOWN_IDS.map(encodeURIComponent)]) {
        const things = { [param]: id };
        const { body } = await rejected(404, () => callTo(route, { token: ada.accessToken, things }));
        expect(body.message).toMatch(/^No such (?!such )/);
      }
    },
  );

  const references = inWorkspace.flatMap(([name, route]) =>
    Object.keys(route.body?.shape ?? {})
      .filter((field) => field in REFERENCES)
      .map((field): [string, string, Route] => [name, field, route]),
  );
  it.each(references)(
    '%s is 400 where %s is of another workspace or unknown',
    async (_name, field, route) => {
      for (const id of [foreign[REFERENCES[field] ?? 'list_id'], crypto.randomUUID(), 'malformed']) {
        const body = { ...sampleFor(route), [field]: id };
        const response = await rejected(400, () => callTo(route, { token: ada.accessToken, body }));
        expect(pathsOf(response.body)).toContain(field);
      }
    },
  );
});

describe('a filter', () => {
  const cases = inWorkspace.flatMap(([name, route]) =>
    Object.keys(route.query?.shape ?? {})
      .filter((field) => field in FILTERS)
      .map((field): [string, string, Route] => [name, field, route]),
  );
  it.each(cases)(
    '%s finds and counts nothing where %s is of another workspace',
    async (_name, field, route) => {
      const token = ada.accessToken;
      const id = foreign[FILTERS[field] ?? 'list_id'];
      const asked = requiredOf(route);
      const all = await callTo(route, { token, query: asked.slice(1) });
      expect(all.body.total).toBeGreaterThan(0);
      for (const grouped of 'groupBy' in (route.query?.shape ?? {}) ? GROUPINGS : ['']) {
        const groupBy = grouped && `&groupBy=${grouped}`;
        const { status, body } = await callTo(route, { token, query: `${field}=${id}${asked}${groupBy}` });
        expect([status, body.items, body.total, body.groups ?? []]).toEqual([200, [], 0, []]);
      }
    },
  );
});

describe('an edit of one instance', () => {
  it.each([
    ['this', 'listId'],
    ['following', 'listId'],
    ['all', 'listId'],
    ['this', 'statusId'],
    ['this', 'assigneeId'],
    ['following', 'assigneeId'],
    ['all', 'assigneeId'],
  ])('of mode %s is 400 where updates.%s is of another workspace or unknown', async (mode, field) => {
    const [, route] = all.find(([name]) => name.endsWith('/edit-mode')) ?? [];
    for (const id of [foreign[FILTERS[field] ?? 'list_id'], crypto.randomUUID()]) {
      const body = { mode, updates: { title: 'New', [field]: id } };
      const response = await rejected(400, () => callTo(route as Route, { token: ada.accessToken, body }));
      expect(pathsOf(response.body)).toEqual([`updates.${field}`]);
    }
  });
});

describe('a broken field', () => {
  const bodies = all.flatMap(([name, route]) =>
    Object.keys(route.body?.shape ?? {}).map((field): [string, string, Route] => [name, field, route]),
  );
  it.each(bodies)('%s is 400 where %s is broken', async (_name, field, route) => {
    // Each operation of a batch has a 400 of its own.
    const body = { ...sampleFor(route), [field]: field === 'operations' ? [] : [[]] };
    const { body: response } = await rejected(400, () => callTo(route, { token: ada.accessToken, body }));
    expect(response.error).toBe('ValidationError');
    expect(response.issues.map(({ path }: { path: string }) => path.split('.')[0])).toContain(field);
  });

  const queries = all.flatMap(([name, route]) =>
    // The stream rejects no query: a cursor that cannot be used gives `reset`.
    Object.keys(route.takesAnyQuery ? {} : (route.query?.shape ?? {})).map(
      (field): [string, string, Route] => [name, field, route],
    ),
  );
  it.each(queries)('%s is 400 where %s is given twice or is no text', async (_name, field, route) => {
    const token = ada.accessToken;
    const required = requiredOf(route, field);
    for (const query of [`${field}=1&${field}=1${required}`, `${field}=%00${required}`]) {
      const { body } = await rejected(400, () => callTo(route, { token, query }));
      expect(pathsOf(body)).toContain(field);
    }
    await rejected(400, () => callTo(route, { token, query: `${field}=%ff${required}` }));
  });
});

describe('over the limit', () => {
  let limited: World;
  let token: string;
  beforeAll(async () => {
    limited = await openWorld({
      settings: { rate_limits: { enabled: true, auth_burst: 3, refresh_burst: 1, user_burst: 1 } },
    });
    token = (await limited.signUp()).accessToken;
    await limited.call('GET', '/me', { token });
    await limited.call('POST', '/auth/refresh', { body: { refreshToken: 'x' } });
    await limited.call('POST', '/auth/login', { body: {} });
  });
  afterAll(() => limited.close());

  it.each(
    all.filter(([, { path, guard, limit }]) => !path.includes('{workspace_id}') && (guard.bearer || limit)),
  )('%s is 429 with Retry-After, whatever the input', async (_name, route) => {
    const response = await limited.call(route.method.toUpperCase(), pathOf(route), {
      token,
      ...(route.body && { body: '{' }),
    });
    expect([response.status, response.body.error]).toEqual([429, 'TooManyRequestsError']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('every public route has a limit of its address', () => {
    expect(all.filter(([, { guard, limit }]) => !guard.bearer && !limit)).toEqual([]);
  });
});
