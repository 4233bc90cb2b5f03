import { z } from '@hono/zod-openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ApiResponse,
  callsOf,
  type OpenApiDocument,
  type Schema,
} from '../../src/http/openapi-document.ts';
import { ERROR_KINDS } from '../../src/kernel/errors.ts';
import { EndCondition, Interval } from '../../src/recurring/rule-schema.ts';
import { routes } from '../../src/routes.ts';
import { openInstead, useWorld, world } from '../ada.ts';
import { OPERATION_IDS } from '../operation-ids.ts';

let document: OpenApiDocument;
useWorld();
beforeEach(async () => {
  document = (await world.call('GET', '/openapi.json')).body;
});

describe('operations', () => {
  it('have the names that clients were generated with', () => {
    const named = routes.map(({ method, path, operationId }) => [
      `${method.toUpperCase()} ${path}`,
      operationId,
    ]);
    expect(Object.fromEntries(named)).toEqual(OPERATION_IDS);
    expect(new Set(named.map(([, operationId]) => operationId)).size).toBe(named.length);
    for (const { method, path, operationId } of routes)
      expect(document.paths[path]?.[method]?.operationId).toBe(operationId);
  });

  it('have names that are short and good identifiers', () => {
    for (const { operation } of callsOf(document)) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.operationId.length).toBeLessThanOrEqual(24);
    }
  });

  it('are each described', () => {
    for (const { operation } of callsOf(document))
      expect(operation.description, operation.operationId).toMatch(/\w/);
  });
});

describe('the address of the server', () => {
  it.each([
    ['/', ''],
    ['/api', '/api'],
    ['/a/b', '/a/b'],
  ])('has the base path %s, and the paths have not', async (basePath, prefix) => {
    for (const publicUrl of ['https://errand.example.com', 'https://example.com/errand']) {
      await openInstead({ settings: { server: { base_path: basePath, public_url: publicUrl } } });
      document = (await world.call('GET', '/openapi.json')).body;
      expect(document.servers).toEqual([{ url: publicUrl + prefix }]);
      expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/auth/login', '/me']));
      for (const path of ['/healthz', '/readyz', '/metrics'])
        expect(document.paths[path]?.servers).toEqual([{ url: publicUrl }]);
      expect((await world.app.request(`${prefix}/me`)).status).toBe(401);
    }
  });
});

it('no default limit of a page is promised, as the configuration decides it', async () => {
  await openInstead({ settings: { pagination: { default_limit: 20 } } });
  const ada = await world.signUp();
  const { body } = await world.call('GET', '/me/workspaces', { token: ada.accessToken });
  const { parameters = [] } = document.paths['/me/workspaces']?.get ?? {};
  const { default: promised = body.limit } = parameters.find(({ name }) => name === 'limit')?.schema ?? {};
  expect([body.limit, promised]).toEqual([20, 20]);
});

it('the licence is named by its identifier', () => {
  expect(document.info).toMatchObject({ license: { name: 'MIT', identifier: 'MIT' } });
});

it('every array says what it holds, and a type is beside null only, as generators read the first of several', () => {
  const arrays: Schema[] = [];
  JSON.stringify(document, (_, value) => {
    if ([value?.type].flat().includes('array')) arrays.push(value);
    if (Array.isArray(value?.type)) expect(value.type).toEqual([expect.any(String), 'null']);
    return value;
  });
  expect(arrays.length).toBeGreaterThan(50);
  expect(arrays.filter(({ items }) => items === undefined)).toEqual([]);
});

const schemas = () => document.components.schemas;
const isNamed = (schema: Schema | undefined) => schema?.$ref !== undefined;

describe('names in the document', () => {
  it('are there for every body, every page and every enumeration', () => {
    for (const { operation } of callsOf(document)) {
      if (operation.tags.includes('Server')) continue;
      const bodies = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
        part && 'content' in part && part.content?.['application/json']
          ? [part.content['application/json']]
          : [],
      );
      for (const { schema } of bodies) expect(isNamed(schema), operation.operationId).toBe(true);
    }
    const inline = enumerationsIn(document).filter(
      ({ path, values }) => values.length > 1 && !/^components\.schemas\.\w+$/.test(path),
    );
    // `me` and `none` are no values of their own: they stand beside ids.
    expect(inline.filter(({ values }) => String(values) !== 'me,none')).toEqual([]);
  });

  it('are those that people would give', () => {
    expect(Object.keys(schemas())).toEqual(
      expect.arrayContaining(
        `Priority Role StatusType Frequency Weekday WeekIndex TaskGrouping SortOrder CatchUp EditMode
        NewTask TaskChanges TaskMove TaskPage GroupedTaskPage NewList NewSpace NewWorkspace NewRecurringTask
        RecurringTaskChanges Occurrence OccurrenceNote EndConditionNever EndConditionCount EndConditionDate
        IntervalDay IntervalWeek IntervalMonth IntervalYear ErrorKind`.split(/\s+/),
      ),
    );
  });

  it('say of null beside them, never within', () => {
    for (const { path, values } of enumerationsIn(document)) expect(values, path).not.toContain(null);
    for (const name of ['RecurringTask', 'ImportedRecurringTask'])
      expect(schemas()[name]?.properties?.stateReason?.anyOf, name).toEqual([
        { $ref: '#/components/schemas/StateReason' },
        { type: 'null' },
      ]);
  });

  it('leave the kinds of errors open', () => {
    expect(schemas().Error?.properties?.error?.anyOf).toEqual([
      { $ref: '#/components/schemas/ErrorKind' },
      { type: 'string' },
    ]);
    expect(schemas().ErrorKind?.enum).toEqual([...ERROR_KINDS]);
  });
});

describe('an interval', () => {
  const ajv = new Ajv2020({ strict: false, formats: { date: true, 'date-time': true, uuid: true } });
  const told = (name: string) =>
    ajv.compile({ $ref: `#/components/schemas/${name}`, components: document.components });

  it('is told by frequency, with the fields that belong to it', () => {
    const { oneOf, discriminator } = schemas().Interval as Schema & { discriminator: object };
    expect(oneOf?.map(({ $ref }) => $ref)).toEqual(
      ['Day', 'Week', 'Month', 'Year'].map((of) => `#/components/schemas/Interval${of}`),
    );
    expect(discriminator).toMatchObject({ propertyName: 'frequency' });
    const fields = (name: string) => Object.keys(schemas()[name]?.properties ?? {}).toSorted();
    const always = ['every', 'frequency', 'timeOfDay', 'timezone'];
    expect(fields('IntervalDay')).toEqual(always);
    expect(fields('IntervalWeek')).toEqual([...always, 'daysOfWeek', 'firstDayOfWeek'].toSorted());
    const monthly = [...always, 'dayOfMonth', 'weekIndex', 'daysOfWeek'];
    expect(fields('IntervalMonth')).toEqual(monthly.toSorted());
    expect(fields('IntervalYear')).toEqual([...monthly, 'month'].toSorted());
  });

  it('has no default that would be added where the server errors it', () => {
    for (const [name, { properties = {} }] of Object.entries(schemas())) {
      for (const [field, property] of Object.entries(properties))
        expect(property, `${name}.${field}`).not.toHaveProperty('default');
    }
  });

  it('is taken by the server where the document allows it, and the other way round', () => {
    const isTold = told('Interval');
    const clock = { timeOfDay: '09:00', timezone: 'Europe/Paris' };
    const some = [
      { frequency: 'day', ...clock },
      { frequency: 'day', ...clock, every: 365 },
      { frequency: 'day', ...clock, every: 366 },
      { frequency: 'day', ...clock, every: 1.5 },
      { frequency: 'hour', ...clock },
      { ...clock },
      { frequency: 'day', timeOfDay: '9:00', timezone: 'UTC' },
      { frequency: 'day', timeOfDay: '09:00' },
      { frequency: 'day', timeOfDay: null, timezone: 'UTC' },
      { frequency: 'week', ...clock, daysOfWeek: ['monday'], firstDayOfWeek: 'sunday' },
      { frequency: 'week', ...clock, daysOfWeek: [] },
      { frequency: 'week', ...clock, daysOfWeek: ['mon'] },
      { frequency: 'week', ...clock, firstDayOfWeek: 'sun' },
      { frequency: 'month', ...clock, dayOfMonth: -1 },
      { frequency: 'month', ...clock, dayOfMonth: 0 },
      { frequency: 'month', ...clock, dayOfMonth: 32 },
      { frequency: 'month', ...clock, weekIndex: 'last', daysOfWeek: ['friday'] },
      { frequency: 'month', ...clock, every: 121 },
      { frequency: 'year', ...clock, month: 2, dayOfMonth: 29 },
      { frequency: 'year', ...clock, month: 13 },
      { frequency: 'year', ...clock, every: 11 },
      { frequency: 'year', ...clock, every: 10, unknown: 'ignored' },
    ];
    for (const interval of some)
      expect([interval, isTold(interval)]).toEqual([interval, Interval.safeParse(interval).success]);
  });

  it('of the series in the specification is what the shapes of clients let through', () => {
    const body = {
      title: 'Water the plants',
      listId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f',
      interval: { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' },
      endCondition: { type: 'never' },
    };
    const filled = structuredClone(body);
    const filling = new Ajv2020({
      strict: false,
      useDefaults: true,
      formats: { 'date-time': true, date: true },
    });
    const schema = { $ref: '#/components/schemas/NewRecurringTask', components: document.components };
    expect(filling.validate(schema, filled)).toBe(true);
    expect(filled).toEqual(body);
  });
});

describe('an end condition', () => {
  it('is one of three kinds that have their own fields only', () => {
    const kinds = ['Never', 'Count', 'Date'].map((of) => schemas()[`EndCondition${of}`]);
    expect(kinds.map((kind) => Object.keys(kind?.properties ?? {}))).toEqual([
      ['type'],
      ['type', 'count'],
      ['type', 'endDate'],
    ]);
    for (const kind of kinds) expect(kind).not.toHaveProperty('additionalProperties');
    expect(schemas().EndCondition).toHaveProperty('discriminator.propertyName', 'type');
  });

  it('errors what belongs to another kind, as before', () => {
    expect(EndCondition.safeParse({ type: 'never', count: 3 }).success).toBe(false);
    expect(EndCondition.safeParse({ type: 'count', count: 3, unknown: 1 }).success).toBe(true);
  });
});

describe('filters that take several values', () => {
  it('are arrays with commas between, of the values there are', () => {
    const parameters = document.paths['/workspaces/{workspace_id}/tasks']?.get?.parameters ?? [];
    const lists = Object.fromEntries(
      parameters
        .filter(({ schema }) => schema.type === 'array')
        .map((parameter) => [parameter.name, parameter]),
    );
    expect(Object.keys(lists).toSorted()).toEqual(
      expect.arrayContaining(
        'assigneeId creatorId listId priority recurringTaskId spaceId statusId statusType'.split(' '),
      ),
    );
    for (const parameter of Object.values(lists))
      expect(parameter).toMatchObject({ style: 'form', explode: false, schema: { minItems: 1 } });
    expect(lists.statusType?.schema.items).toEqual({ $ref: '#/components/schemas/StatusType' });
    expect(lists.priority?.schema.items).toEqual({ $ref: '#/components/schemas/Priority' });
    expect(lists.listId?.schema.items).toEqual({ type: 'string', format: 'uuid' });
  });
});

function enumerationsIn(value: unknown, path = ''): { path: string; values: unknown[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'enum' in value && Array.isArray(value.enum) ? [{ path, values: value.enum }] : [];
  const inner = Object.entries(value).flatMap(([name, part]) =>
    enumerationsIn(part, path === '' ? name : `${path}.${name}`),
  );
  return [...own, ...inner];
}

describe('responses', () => {
  const responsesOf = (path: string, method: 'get' | 'post' | 'patch') =>
    (document.paths[path]?.[method]?.responses ?? {}) as Record<string, ApiResponse>;

  it('each have an X-Request-Id, and a 429 a whole number of seconds', () => {
    const all = callsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
    for (const response of [...all, ...Object.values(document.components.responses)]) {
      if (!('$ref' in response)) expect(response.headers).toHaveProperty('X-Request-Id');
    }
    expect(document.components.responses.TooManyRequestsError?.headers?.['Retry-After']).toMatchObject({
      schema: { type: 'integer' },
    });
  });

  it('that hand over a cookie, clear it or are saved as a file say so', () => {
    const withHeader = (name: string) =>
      callsOf(document).flatMap(({ operation }) =>
        Object.values(operation.responses).some(
          (response) => !('$ref' in response) && response.headers?.[name],
        )
          ? [operation.operationId]
          : [],
      );
    expect(withHeader('Set-Cookie').toSorted()).toEqual(
      routes
        .flatMap(({ signsIn, operationId }) => (signsIn ? [operationId] : []))
        .concat('logout')
        .toSorted(),
    );
    expect(withHeader('Content-Disposition')).toEqual(['exportAccount']);
  });

  it('that HTTP itself may give are known', () => {
    const statuses = Object.keys(responsesOf('/me', 'patch'));
    expect(statuses).toEqual(expect.arrayContaining(['408', '413', '415', '417', '431']));
  });

  it('of what was created lead to reading, changing and deleting it', () => {
    const { links, headers } = responsesOf('/workspaces/{workspace_id}/tasks', 'post')['201'] ?? {};
    expect(headers).toHaveProperty('Location');
    const parameters = { workspace_id: '$request.path.workspace_id', task_id: '$response.body#/id' };
    expect(links).toEqual({
      getTask: { operationId: 'getTask', parameters },
      updateTask: { operationId: 'updateTask', parameters },
      deleteTask: { operationId: 'deleteTask', parameters },
    });
  });

  it('of invitations have no Location, since GET is not a route there', () => {
    const { headers } = responsesOf('/workspaces/{workspace_id}/invitations', 'post')['201'] ?? {};
    expect(headers).not.toHaveProperty('Location');
  });

  it('need no body for a PATCH', async () => {
    for (const { method, operation } of callsOf(document))
      if (method === 'patch') expect(operation.requestBody?.required, operation.operationId).toBe(false);
    const ada = await world.signUp();
    expect((await world.call('PATCH', '/me', { token: ada.accessToken })).status).toBe(200);
  });
});

describe('the Location of what was created', () => {
  it.each(['http://localhost:8080', 'https://example.com/errand'])(
    'is its path as seen from %s, and takes GET',
    async (publicUrl) => {
      await openInstead({ settings: { server: { public_url: publicUrl } } });
      const prefix = new URL(publicUrl).pathname.replace(/\/$/, '');
      const ada = await world.signUp();
      const token = ada.accessToken;
      const [workspace] = (await world.call('GET', '/me/workspaces', { token })).body.items;
      const within = `/workspaces/${workspace.id}`;
      const [list] = (await world.call('GET', `${within}/lists`, { token })).body.items;
      const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' };
      const made: [string, object][] = [
        ['/workspaces', { title: 'Household' }],
        [`${within}/spaces`, { title: 'Home' }],
        [`${within}/lists`, { title: 'Groceries', spaceId: list.spaceId }],
        [`${within}/status-templates`, { title: 'Editorial' }],
        [`${within}/tasks`, { title: 'Buy milk', listId: list.id }],
        [`${within}/recurring-tasks`, { title: 'Water', listId: list.id, interval }],
      ];
      for (const [path, body] of made) {
        const created = await world.call('POST', path, { token, body });
        const location = created.headers.get('location');
        expect([created.status, location]).toEqual([201, `${prefix}/api${path}/${created.body.id}`]);
        const read = await world.call('GET', location?.slice(`${prefix}/api`.length) ?? '', { token });
        expect([read.status, read.body.id]).toEqual([200, created.body.id]);
      }
    },
  );
});

describe('a known parameter in another spelling', () => {
  it('is rejected with the spelling that works, while unknown parameters are ignored', async () => {
    const { accessToken: token } = await world.signUp();
    const [workspace] = (await world.call('GET', '/me/workspaces', { token })).body.items;
    const ask = (query: string) => world.call('GET', `/workspaces/${workspace.id}/tasks?${query}`, { token });
    for (const name of [
      'statusType[]',
      'statusType[0]',
      'status_type',
      'StatusType',
      'statustype',
      'status-type',
    ]) {
      const { status, body } = await ask(`${encodeURIComponent(name)}=started`);
      expect([name, status, body.issues]).toEqual([
        name,
        400,
        [{ path: 'statusType', message: 'Several values have commas between: use statusType=a,b' }],
      ]);
    }
    const { body } = await ask('sort_by=title');
    expect(body.issues).toEqual([{ path: 'sortBy', message: 'The name is sortBy: use sortBy=…' }]);
    expect((await ask('statusTypes=started&_=17&[]=x')).status).toBe(200);
  });

  it('is rejected when it is repeated, with the spelling of several values where it takes some', async () => {
    const { accessToken: token } = await world.signUp();
    const [workspace] = (await world.call('GET', '/me/workspaces', { token })).body.items;
    const ask = (query: string) => world.call('GET', `/workspaces/${workspace.id}/tasks?${query}`, { token });
    const several = await ask('statusType=started&statusType=unstarted');
    expect([several.status, several.body.issues]).toEqual([
      400,
      [
        {
          path: 'statusType',
          message: 'Must be given once only. Several values have commas between: use statusType=a,b',
        },
      ],
    ]);
    const single = await ask('sortBy=title&sortBy=dueDate');
    expect([single.status, single.body.issues]).toEqual([
      400,
      [{ path: 'sortBy', message: 'Must be given once only' }],
    ]);
  });
});

describe('the message of an error', () => {
  const messageOf = async (method: string, path: string, body: object, token?: string) =>
    (await world.call(method, path, { body, ...(token && { token }) })).body;

  it('names the fields that its issues leave out, and says which are missing', async () => {
    const { accessToken: token } = await world.signUp();
    const [workspace] = (await world.call('GET', '/me/workspaces', { token })).body.items;
    const path = `/workspaces/${workspace.id}/tasks`;
    const missing = await messageOf('POST', path, {}, token);
    expect(missing.message.split('; ').toSorted()).toEqual([
      'listId is missing: Must be an id',
      'title is missing: Title must be 1 to 500 characters',
    ]);
    expect(missing.issues).toEqual(
      expect.arrayContaining([
        { path: 'listId', message: 'Must be an id' },
        { path: 'title', message: 'Title must be 1 to 500 characters' },
      ]),
    );
    const wrong = await messageOf('POST', path, { title: '', listId: 'x', dueDate: 'soon' }, token);
    expect(wrong.message).toContain('listId: Must be an id');
    expect(wrong.message).toContain('dueDate: Must be an RFC 3339 timestamp');
    expect(wrong.message).toContain('Title must be 1 to 500 characters');
    expect(wrong.message).not.toContain('title:');
  });

  it('is to the letter where the specification says how it reads', async () => {
    const body = { email: 'nobody', password: 'short', name: 'Ada' };
    expect((await messageOf('POST', '/auth/register', body)).message).toBe(
      'Email must be valid; Password must be at least 8 characters',
    );
  });
});

it('no shape responds in the words of the library that checks it', () => {
  const wrong = [null, true, 0, -1, 1.5, 1e21, '', 'x', 'x'.repeat(60_000), [], [null], [{}], {}, { id: 7 }];
  for (const { method, path, body, query } of routes) {
    for (const shape of [body, query]) {
      if (!shape) continue;
      for (const given of [...wrong, ...spoiled(shape, wrong)]) {
        for (const { message } of shape.safeParse(given).error?.issues ?? [])
          expect(`${method} ${path}: ${message}`).not.toMatch(
            /Invalid|Too (small|big)|Expected|expected|received|Unrecognized|pattern|\/\^|undefined|NaN/,
          );
      }
    }
  }
});

/** Every field of a shape, and those within, with each of the wrong values, one at a time. */
function spoiled(shape: unknown, wrong: readonly unknown[]): unknown[] {
  if (shape instanceof z.ZodArray) return wrong.concat(spoiled(shape.element, wrong)).map((item) => [item]);
  if (shape instanceof z.ZodPipe) return [...spoiled(shape.in, wrong), ...spoiled(shape.out, wrong)];
  if (shape instanceof z.ZodUnion) return shape.options.flatMap((option) => spoiled(option, wrong));
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable || shape instanceof z.ZodDefault)
    return spoiled(shape.unwrap(), wrong);
  if (!(shape instanceof z.ZodObject)) return [];
  const constants = Object.fromEntries(
    Object.entries(shape.shape).flatMap(([name, field]) =>
      field instanceof z.ZodLiteral ? [[name, [...field.values][0]]] : [],
    ),
  );
  return Object.entries(shape.shape).flatMap(([name, field]) =>
    [...wrong, ...spoiled(field, wrong)].map((value) => ({ ...constants, [name]: value })),
  );
}
