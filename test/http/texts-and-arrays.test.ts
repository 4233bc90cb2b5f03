import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statement } from '../../src/db/connection.ts';
import { type Call, openHome, pathsOf } from '../people.ts';
import type { World } from '../world.ts';

let world: World;
let call: Call;
let workspace: string;
let list: {
  id: string;
  spaceId: string;
  statusTemplateId: string;
  statuses: { id: string; title: string }[];
};

beforeAll(async () => {
  ({ world, call, home: workspace, list } = await openHome());
});
afterAll(() => world.close());

const at = (method: string, path: string, body?: unknown) =>
  call(method, `/workspaces/${workspace}${path}`, body);
const INTERVAL = { frequency: 'week', timeOfDay: '09:00', timezone: 'Europe/Paris', daysOfWeek: ['monday'] };
const issuesOf = async (method: string, path: string, body: unknown) => {
  const { status, body: rejection } = await at(method, path, body);
  return { status, issues: rejection.issues };
};

describe('a title', () => {
  const CONTROLS = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i)]
    .filter((code) => code !== 0) // NUL is rejected in any text
    .map((code) => String.fromCharCode(code));
  const isMade = async (method: string, path: string, more: object, title: string) => {
    const { status, body } = await at(method, path, { ...more, title });
    expect(body.title, path).toBe(title);
    return status;
  };
  /** Whatever has a title: where it is given, and what else is asked for there. */
  const titled = (): [method: string, path: string, more: object][] => [
    ['POST', '/tasks', { listId: list.id }],
    ['POST', '/lists', { spaceId: list.spaceId }],
    ['PATCH', `/lists/${list.id}`, {}],
    ['POST', '/spaces', {}],
    ['PATCH', `/spaces/${list.spaceId}`, {}],
    ['POST', '/status-templates', {}],
    ['PATCH', `/status-templates/${list.statusTemplateId}`, {}],
    ['POST', '/recurring-tasks', { listId: list.id, interval: INTERVAL }],
    ['PATCH', '', {}],
  ];

  it('has no control character, whatever it is the title of', async () => {
    for (const [method, path, more] of titled()) {
      for (const control of ['\u001b', '\u0007', '\n', '\u007f', '\u009b']) {
        expect(await issuesOf(method, path, { ...more, title: `a${control}b` }), path).toEqual({
          status: 400,
          issues: [{ path: 'title', message: 'Title must not contain control characters' }],
        });
      }
    }
    const statuses = [
      { title: 'To\u001bDo', type: 'unstarted' },
      { title: 'Done', type: 'completed' },
    ];
    expect(await issuesOf('POST', '/status-templates', { title: 'Own', statuses })).toEqual({
      status: 400,
      issues: [{ path: 'statuses.0.title', message: 'Title must not contain control characters' }],
    });
    expect((await call('POST', '/workspaces', { title: 'a\u001bb' })).status).toBe(400);
  });

  it('has none of C0, DEL and C1', async () => {
    for (const control of CONTROLS) {
      const { status } = await at('POST', '/tasks', { listId: list.id, title: `a${control}b` });
      expect(status, JSON.stringify(control)).toBe(400);
    }
  });

  it('may have marks of writing direction, joiners, and everything that is no control character', async () => {
    const title =
      'a\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\u200d\u00a0\u00adb';
    for (const [method, path, more] of titled()) {
      expect(await isMade(method, path, more, title), path).toBeLessThan(300);
    }
  });

  it('may have white space about it, which is taken away', async () => {
    const { status, body } = await at('POST', '/tasks', { listId: list.id, title: '\n\ta b \r\n' });
    expect([status, body.title]).toEqual([201, 'a b']);
  });

  it('that has one from earlier times is read, exported and changed', async () => {
    const { body } = await at('POST', '/tasks', { listId: list.id, title: 'old' });
    await world.deps.write((tx) => {
      tx.run(statement('update tasks set title = ? where id = ?', ['o\u001bld', body.id]));
      tx.run(statement('update lists set title = ? where id = ?', ['l\u0007', list.id]));
    });
    expect((await at('GET', `/tasks/${body.id}`)).body.title).toBe('o\u001bld');
    expect((await at('GET', `/lists/${list.id}`)).body.title).toBe('l\u0007');
    const exported = await call('GET', '/account/export');
    expect([exported.status, JSON.stringify(exported.body)]).toEqual([
      200,
      expect.stringContaining('o\\u001bld'),
    ]);
    const path = `/tasks/${body.id}`;
    expect((await at('PATCH', path, { description: 'new' })).body.title).toBe('o\u001bld');
  });

  it('is no description: that keeps its lines and tabs', async () => {
    const description = 'one\n\ttwo\r\nthree';
    const { body } = await at('POST', '/tasks', { listId: list.id, title: 'Lines', description });
    expect((await at('GET', `/tasks/${body.id}`)).body.description).toBe(description);
  });
});

describe('an array that is too long', () => {
  /** Elements that tell when they are looked at: none may be. */
  const TOO_LONG = 25_000;

  it.each([
    ['POST', (elements: unknown[]) => ({ title: 'Own', statuses: elements })],
    ['PATCH', (elements: unknown[]) => ({ statuses: elements })],
  ])('of statuses has one issue, none for its elements: %s', async (method, bodyOf) => {
    const path = `/status-templates${method === 'POST' ? '' : `/${list.statusTemplateId}`}`;
    expect(await issuesOf(method, path, bodyOf(Array(TOO_LONG).fill({})))).toEqual({
      status: 400,
      issues: [{ path: 'statuses', message: 'There may be at most 50 statuses' }],
    });
  });

  it.each(['/recurring-tasks', '/recurring-tasks/preview'])(
    'of days of the week likewise: %s',
    async (path) => {
      const interval = { ...INTERVAL, daysOfWeek: Array(TOO_LONG).fill(0) };
      expect(await issuesOf('POST', path, { title: 'Water', listId: list.id, interval })).toEqual({
        status: 400,
        issues: [
          { path: 'interval.daysOfWeek', message: 'Days of week must name one to seven days in full' },
        ],
      });
    },
  );

  it.each(['statusId', 'assigneeId', 'priority'])('in a query likewise: %s', async (name) => {
    const values = Array.from({ length: 3_000 }, (_, n) => n.toString(36)).join(',');
    const { status, body } = await at('GET', `/tasks?${name}=${values}`);
    expect([status, pathsOf(body)]).toEqual([400, [name]]);
  });

  it('is rejected before an element is parsed, wherever the API takes one', async () => {
    const { routes } = await import('../../src/routes.ts');
    const looked = { times: 0 };
    const element = {
      get title() {
        looked.times += 1;
        return 'x';
      },
    };
    const tooLong = Array.from({ length: 1_000 }, () => element);
    const arrays: string[] = [];
    const visit = (shape: unknown, name: string): void => {
      const { def } = (shape as { _zod?: { def?: Record<string, unknown> } } | undefined)?._zod ?? {};
      if (!def) return;
      if (def.type === 'array') throw new Error(`${name} is an array without a bound`);
      if (def.type === 'pipe' && (def.out as { def?: { type?: string } }).def?.type === 'array') {
        arrays.push(name);
        const { success, error } = (
          shape as { safeParse(value: unknown): { success: boolean; error?: { issues: unknown[] } } }
        ).safeParse(tooLong);
        expect([success, error?.issues.length], name).toEqual([false, 1]);
        return;
      }
      for (const part of [def.innerType, def.in, def.out, def.element]) visit(part, name);
      for (const [field, part] of Object.entries((def.shape as object) ?? {}))
        visit(part, `${name}.${field}`);
      for (const part of (def.options as unknown[]) ?? []) visit(part, name);
    };
    // A document to import is bounded by its bytes, and read by a thread.
    const bounded = routes.filter(({ path }) => path !== '/account/import');
    for (const { method, path, body } of bounded) visit(body, `${method} ${path}`);
    expect(arrays.length).toBeGreaterThan(3);
    expect(looked.times).toBe(0);
  });
});

describe('whatever is made with everything is read as it was made', () => {
  it('a task', async () => {
    const { id: assigneeId } = (await call('GET', '/me')).body;
    const everything = {
      title: 'All of it',
      listId: list.id,
      description: 'Lines\nand more',
      priority: 'urgent',
      statusId: list.statuses[1]?.id,
      assigneeId,
      startDate: '2027-01-01T00:00:00.000Z',
      dueDate: '2027-01-02T00:00:00.000Z',
      position: 12.5,
    };
    await isReadAsMade('/tasks', everything);
  });

  it('a series', async () => {
    const { id: assigneeId } = (await call('GET', '/me')).body;
    await isReadAsMade('/recurring-tasks', {
      title: 'Water',
      listId: list.id,
      description: 'Not the cactus',
      priority: 'high',
      assigneeId,
      interval: { ...INTERVAL, every: 2, firstDayOfWeek: 'sunday' },
      endCondition: { type: 'count', count: 5 },
      startsAt: '2027-01-01T00:00:00.000Z',
      catchUp: 'all',
    });
  });

  it('a list', async () => {
    const { spaceId, statusTemplateId } = list;
    await isReadAsMade('/lists', { title: 'Garden', spaceId, statusTemplateId, position: 7.25 });
  });

  it('a space', async () => {
    await isReadAsMade('/spaces', { title: 'Outside', description: 'The garden', position: 3.5 });
  });

  it('a status template', async () => {
    const statuses = [
      { title: 'Open', type: 'unstarted', color: '#111111', position: 1 },
      { title: 'Shut', type: 'completed', color: '#222222', position: 2.5 },
    ];
    await isReadAsMade('/status-templates', { title: 'Doors', statuses, isDefault: false });
  });

  /** All that was asked for stands in the response, and all of the response is what a later reader gets. */
  async function isReadAsMade(path: string, everything: object): Promise<void> {
    const made = await at('POST', path, everything);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject(everything);
    expect(made.body).toMatchObject((await at('GET', `${path}/${made.body.id}`)).body);
  }
});
