import { statSync } from 'node:fs';
import type { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { noteBackup, noteFailure } from '../../src/backup/notes.ts';
import { type Query, query } from '../../src/db/connection.ts';
import { HOUR, MINUTE, SECOND, toInstant } from '../../src/kernel/instants.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { routes } from '../../src/routes.ts';
import { tick } from '../../src/tick.ts';
import { ada, at, call, home, list, listId, openHomeInstead, openInstead, world } from '../ada.ts';
import { DAILY } from '../series-world.ts';
import { collecting, openWorld, type World, type WorldOptions } from '../world.ts';

const TOKEN = 'a token that is long enough'.replaceAll(' ', '-');

const ENABLED = { settings: { metrics: { enabled: true } } };

const open = (metrics: Record<string, unknown> = {}, more: WorldOptions['settings'] = {}) =>
  openInstead({ settings: { metrics: { enabled: true, ...metrics }, ...more } });
const ask = (options: Parameters<World['call']>[2] = {}) => world.call('GET', '//metrics', options);

type Sample = { name: string; labels: Record<string, string>; value: number };

/** Reads the text format to the letter: whatever is no comment, sample or empty line, or has no TYPE, is an error. */
function parse(text: string): { samples: Sample[]; types: Map<string, string> } {
  expect(text.endsWith('\n')).toBe(true);
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const [, kind, about = '', rest = ''] = /^# (HELP|TYPE) ([a-z][a-z0-9_]*) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      expect(helped.has(about), line).toBe(false);
      helped.add(about);
    } else if (kind === 'TYPE') {
      expect(['counter', 'gauge', 'histogram']).toContain(rest);
      types.set(about, rest);
    } else if (line !== '') {
      const [all, name = '', inner = '', value = ''] =
        /^([a-z][a-z0-9_]*)(?:\{((?:[a-z]+="[^"\\\n]*",?)+)\})? (-?[0-9.]+(?:e[+-]?\d+)?)$/.exec(line) ?? [];
      expect([line, all]).toEqual([line, line]);
      const family = types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ''));
      expect([line, family]).toEqual([line, expect.any(String)]);
      const labels = Object.fromEntries(
        [...inner.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, label = '', given = '']) => [label, given]),
      );
      samples.push({ name, labels, value: Number(value) });
    }
  }
  const series = samples.map(({ name, labels }) => JSON.stringify([name, Object.entries(labels).toSorted()]));
  expect(new Set(series).size).toBe(series.length);
  expect([...helped].toSorted()).toEqual([...types.keys()].toSorted());
  return { samples, types };
}

const read = async () => parse((await ask({ token: TOKEN })).body);
const numberOf = async (name: string, labels: Record<string, string> = {}) =>
  (await read()).samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
/** Past what may be kept of the last look. */
const later = () => world.clock.advance(5 * SECOND);

describe('who may read the metrics', () => {
  it('nobody unless they are enabled: then there is no such path, and nothing is counted', async () => {
    await openInstead({ settings: { metrics: { token: TOKEN } } });
    expect((await ask({ token: TOKEN })).status).toBe(404);
    expect(world.deps.metrics).toBeUndefined();
  });

  it('this machine, without a token where none is configured', async () => {
    await open();
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      expect([address, (await ask({ address })).status]).toEqual([address, 200]);
    }
    for (const host of ['127.0.0.1:8080', '[::1]:8080', 'localhost']) {
      expect((await world.app.request(`http://${host}/metrics`)).status).toBe(200);
    }
  });

  it.each([
    ['from another machine', { address: '192.0.2.1' }],
    ['from another machine, in IPv6', { address: '2001:db8::1' }],
    ['by a connection that is gone already', { address: '0.0.0.0' }],
    ...['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Forwarded', 'Via'].map(
      (name): [string, { headers: Record<string, string> }] => [
        `through a proxy that says ${name}`,
        { headers: { [name]: '127.0.0.1' } },
      ],
    ),
  ])('%s only a caller with the token', async (_how, call) => {
    await open({ token: TOKEN });
    expect((await ask({ ...call, token: TOKEN })).status).toBe(200);
    for (const token of [undefined, 'another', `${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase()]) {
      const { status, body, headers } = await ask({ ...call, token });
      expect([token, status, body.error]).toEqual([token, 401, 'UnauthorizedError']);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
    const basic = { Authorization: `Basic ${TOKEN}`, ...('headers' in call && call.headers) };
    expect((await ask({ ...call, headers: basic })).status).toBe(401);
    await open();
    const responses = [
      await ask({ ...call, token: '' }),
      await ask(call),
      await ask({ ...call, token: TOKEN }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  it('no page in a browser of this machine whose name was made to lead here', async () => {
    await open();
    expect((await world.app.request('http://evil.example/metrics')).status).toBe(401);
  });

  it.each([
    ['a token is configured', TOKEN, []],
    ['a proxy on this machine is trusted', TOKEN, ['127.0.0.1']],
    ['a proxy on this machine is trusted, and no token configured', '', ['::1']],
    ['a range with this machine is trusted', '', ['10.0.0.0/8', '127.0.0.0/8']],
    ['a range of everyone is trusted', '', ['0.0.0.0/0']],
  ])('this machine only with the token where %s', async (_where, token, trusted_proxies) => {
    await open({ token }, { server: { trusted_proxies } });
    for (const host of ['127.0.0.1:8080', '[::1]:8080', 'localhost']) {
      expect((await world.app.request(`http://${host}/metrics`)).status).toBe(401);
    }
    expect((await ask({ token: TOKEN })).status).toBe(token === '' ? 401 : 200);
  });

  it('a trusted proxy is no exception, whomever it asks for', async () => {
    await open({ token: TOKEN }, { server: { trusted_proxies: ['127.0.0.1'] } });
    for (const hop of ['127.0.0.1', '192.0.2.1']) {
      expect((await ask({ headers: { 'X-Forwarded-For': hop } })).status).toBe(401);
    }
  });

  it('a token is not guessed: the tries of an address are limited', async () => {
    await open({ token: TOKEN }, { rate_limits: { enabled: true, auth_burst: 3 } });
    const guess = async (address: string) => (await ask({ address, token: 'x' })).status;
    expect([await guess('192.0.2.1'), await guess('192.0.2.1'), await guess('192.0.2.1')]).toEqual([
      401, 401, 401,
    ]);
    expect(await guess('192.0.2.1')).toBe(429);
    expect((await ask({ address: '192.0.2.1', token: TOKEN })).status).toBe(429);
    expect((await ask({ address: '192.0.2.2', token: TOKEN })).status).toBe(200);
  });

  it('is told in the OpenAPI document', async () => {
    await open();
    const { body } = await world.call('GET', '/openapi.json');
    expect(Object.keys(body.paths['/metrics'].get.responses)).toEqual(['200', '401', '404', '429']);
  });
});

describe('the metrics', () => {
  it("are in Prometheus' text format, with names and units as Prometheus has them", async () => {
    await open();
    await world.signUp();
    const { headers } = await ask();
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    const { types, samples } = await read();
    for (const [name, type] of types) {
      expect(name).toMatch(/^(errand|process|nodejs)_[a-z0-9_]+$/);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    }
    const names = new Set(samples.map(({ name }) => name));
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'errand_build_info']) {
      expect([name, names.has(name)]).toEqual([name, true]);
    }
    expect(await numberOf('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(await numberOf('process_start_time_seconds')).toBeGreaterThan(1_600_000_000);
  });

  it('count requests by method, route and status, rejections too', async () => {
    await openHomeInstead(ENABLED);
    for (let i = 0; i < 3; i += 1) await call('GET', `/workspaces/${home}/spaces`);
    await call('GET', `/workspaces/${home}/tasks/search?q=x`);
    await call('GET', `/workspaces/${crypto.randomUUID()}/spaces`);
    await world.call('GET', '/me');
    await world.app.request('/healthz', { method: 'HEAD' });
    const requests = async (method: string, route: string, status: string) =>
      numberOf('errand_http_requests_total', { method, route, status });
    const spaces = '/api/workspaces/{workspace_id}/spaces';
    expect(await requests('GET', spaces, '200')).toBe(3);
    expect(await requests('GET', spaces, '404')).toBe(1);
    expect(await requests('GET', '/api/workspaces/{workspace_id}/tasks/search', '200')).toBe(1);
    expect(await requests('POST', '/api/auth/register', '201')).toBe(1);
    expect(await requests('GET', '/api/me', '401')).toBe(1);
    expect(await requests('HEAD', '/healthz', '200')).toBe(1);
    const duration = 'errand_http_request_duration_seconds';
    expect(await numberOf(`${duration}_count`, { method: 'GET', route: spaces })).toBe(4);
    expect(await numberOf(`${duration}_bucket`, { method: 'GET', route: spaces, le: '+Inf' })).toBe(4);
    expect(await numberOf(`${duration}_sum`, { method: 'GET', route: spaces })).toBeGreaterThan(0);
  });

  it('hold nothing that a client sent, and no more labels than there are routes, whatever is asked for', async () => {
    const server = { cors_origins: ['https://app.example.com'] };
    await openHomeInstead({ settings: { metrics: { enabled: true, token: TOKEN }, server } });
    // A stream does not end by itself.
    for (const [i, { method, path }] of routes.filter(({ isStream }) => !isStream).entries()) {
      const target = path.replace('{workspace_id}', home).replaceAll(/\{\w+\}/g, `needle-${i}`);
      if (method !== 'delete') await call(method.toUpperCase(), `${target}?needle=${i}`);
    }
    for (let i = 0; i < 50; i += 1) {
      await world.call('GET', `//needle/${i}`);
      await world.call('GET', `/needle${i}`, { address: `192.0.2.${i}` });
      await world.call(`NEEDLE${i}`, '/me');
      await world.call('OPTIONS', `/needle/${i}`, {
        headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'GET' },
      });
    }
    const text: string = (await ask({ token: TOKEN })).body;
    for (const word of ['needle', 'NEEDLE', ada.id, home, 'ada@', '192.0.2', TOKEN, 'password of']) {
      expect([word, text.includes(word)]).toEqual([word, false]);
    }
    const known = new Set([
      ...routes.map(({ path }) => `/api${path}`),
      ...['/healthz', '/readyz', '/metrics', '/', '/api/docs', '/api/openapi.json', 'unmatched'],
    ]);
    const { samples } = parse(text);
    for (const { labels } of samples.filter(({ name }) => name.startsWith('errand_http_'))) {
      expect(known).toContain(labels.route);
      expect(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'other']).toContain(labels.method);
    }
    expect(await numberOf('errand_http_requests_total', { method: 'other', status: '405' })).toBe(50);
  });

  it('are of one server: another in the same process has its own', async () => {
    await open();
    const other = await openWorld(ENABLED);
    for (let i = 0; i < 3; i += 1) await other.call('GET', '//healthz');
    expect(await numberOf('errand_http_requests_total', { route: '/healthz' })).toBeUndefined();
  });

  it('tell of commits, and of the jobs in them', async () => {
    await open();
    const { writer } = world.opened;
    await Promise.all(Array.from({ length: 10 }, () => world.deps.write(() => 1)));
    expect(await numberOf('errand_storage_commits_total')).toBe(writer.counts.commits);
    expect(await numberOf('errand_storage_jobs_total')).toBe(writer.counts.jobs);
    expect(writer.counts.jobs - writer.counts.commits).toBe(9);
  });

  it('tell how long the event loop keeps others waiting', async () => {
    await open();
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const held = async () => {
      const until = performance.now() + 60;
      while (performance.now() < until);
      await turn();
      await turn();
      later();
      return numberOf('errand_event_loop_delay_max_seconds');
    };
    await expect.poll(held).toBeGreaterThan(0.045);
  });
});

describe('what the metrics tell of the data', () => {
  it('is how large the database and its log are', async () => {
    await open();
    await world.signUp();
    const bytes = (end: string) => statSync(world.deps.config.database.path + end).size;
    expect(bytes('-wal')).toBeGreaterThan(0);
    expect(await numberOf('errand_write_ahead_log_bytes')).toBe(bytes('-wal'));
    expect(await numberOf('errand_database_bytes')).toBe(bytes('') + bytes('-wal'));
  });

  it('is how many mails wait and since when, and how many were given up; decoys are none', async () => {
    await openInstead({
      ...ENABLED,
      transport: { ...collecting([]), deliver: async () => ({ kind: 'delayed', reason: 'not now' }) },
    });
    const outbox = async () => {
      later();
      const named = ['waiting_mails', 'failed_mails', 'oldest_waiting_seconds'];
      return Promise.all(named.map((name) => numberOf(`errand_outbox_${name}`)));
    };
    expect(await outbox()).toEqual([0, 0, 0]);
    const begun = world.clock.now();
    for (const email of ['ada@example.com', 'eve@example.com']) {
      await world.call('POST', '/auth/register', { body: { email, password: 'password one', name: 'A' } });
      world.clock.advance(MINUTE);
    }
    // For an address without an account: a decoy.
    await world.call('POST', '/auth/password/reset/request', { body: { email: 'none@example.com' } });
    await world.untilIdle();
    const [waiting, failed, oldest] = await outbox();
    expect([waiting, failed]).toEqual([2, 0]);
    expect(oldest).toBeGreaterThanOrEqual((world.clock.now() - begun - 15 * SECOND) / SECOND);
    expect(oldest).toBeLessThanOrEqual((world.clock.now() - begun) / SECOND);
    world.clock.advance(25 * HOUR);
    await tick(world.deps);
    expect(await outbox()).toEqual([0, 2, 0]);
  });

  it('is how late the sweep is', async () => {
    await openHomeInstead(ENABLED);
    const series = { title: 'Water', listId, interval: DAILY };
    const { nextRunAt } = (await call('POST', at('/recurring-tasks'), series)).body;
    expect(await numberOf('errand_recurrence_overdue_seconds')).toBe(0);
    world.clock.set(Date.parse(nextRunAt) + 90 * SECOND);
    expect(await numberOf('errand_recurrence_overdue_seconds')).toBe(90);
    await tick(world.deps);
    later();
    expect(await numberOf('errand_recurrence_overdue_seconds')).toBe(0);
  });

  it('is how late notices of due tasks are, of open ones that have someone to tell', async () => {
    await openHomeInstead(ENABLED);
    const due = (minutes: number) => toInstant(world.clock.now() + minutes * MINUTE);
    const add = (more: object) =>
      call('POST', at('/tasks'), { title: 'T', listId, assigneeId: ada.id, ...more });
    const done = list.statuses.find(({ type }) => type === 'completed')?.id;
    await tick(world.deps);
    await add({ dueDate: due(1), assigneeId: null });
    await add({ dueDate: due(2), statusId: done });
    await add({ dueDate: due(3) });
    await add({ dueDate: due(4) });
    await add({ dueDate: due(9) });
    world.clock.advance(5 * MINUTE);
    expect(await numberOf('errand_due_notice_overdue_seconds')).toBe(120);
    await tick(world.deps);
    later();
    expect(await numberOf('errand_due_notice_overdue_seconds')).toBe(0);
  });

  it('is how late the notice of a day is, which is due at nine where its assignee is', async () => {
    await openHomeInstead(ENABLED);
    await call('PATCH', '/me', { timezone: 'Asia/Kathmandu' });
    await tick(world.deps);
    for (const dueDay of ['2026-03-27', '2026-03-28', '2026-03-29'])
      await call('POST', at('/tasks'), { title: 'T', listId, assigneeId: ada.id, dueDay });
    const nineInNepal = Date.parse('2026-03-28T03:15:00.000Z');
    world.clock.advance(nineInNepal - world.clock.now() - MINUTE);
    expect(await numberOf('errand_due_notice_overdue_seconds')).toBe(0);
    later();
    world.clock.advance(nineInNepal - world.clock.now() + 2 * MINUTE);
    expect(await numberOf('errand_due_notice_overdue_seconds')).toBe(120);
    await tick(world.deps);
    later();
    expect(await numberOf('errand_due_notice_overdue_seconds')).toBe(0);
  });

  it('is the age of the last backup, whether the last failed, and whether one is overdue', async () => {
    await open();
    await world.signUp();
    const told = async () => {
      later();
      return Promise.all(
        ['age_seconds', 'failed', 'overdue'].map((name) => numberOf(`errand_backup_${name}`)),
      );
    };
    expect(await told()).toEqual([undefined, 0, 0]);
    const done = () => ({ file: 'backup.db', bytes: 1 });
    await world.deps.write((tx) => noteBackup(tx, done(), world.clock.now()));
    world.clock.advance(HOUR - 5 * SECOND);
    expect(await told()).toEqual([3_600, 0, 0]);
    await world.deps.write((tx) => noteFailure(tx, 'no room', world.clock.now()));
    world.clock.advance(30 * HOUR);
    expect(await told()).toEqual([31 * 3_600 + 5, 1, 1]);
    await world.deps.write((tx) => noteBackup(tx, done(), world.clock.now()));
    expect(await told()).toEqual([5, 0, 0]);
  });

  /** The metrics of the same data, with every statement that they run. */
  const watched = async () => {
    const statements: { sql: string; parameters: readonly unknown[] }[] = [];
    const { read: db, config, clock } = world.deps;
    const noted = <Row>(statement: Query<Row>): CompiledQuery<Row> => {
      const compiled = 'compile' in statement ? statement.compile() : statement;
      statements.push(compiled);
      return compiled;
    };
    const metrics = await createMetrics({
      config,
      clock,
      counts: { commits: 0, jobs: 0 },
      read: {
        all: (statement) => db.all(noted(statement)),
        one: (statement) => db.one(noted(statement)),
        cached: (statement) => db.cached(noted(statement)),
        run: (statement) => db.run(noted(statement)),
        insert: (statement) => db.insert(noted(statement)),
        atOneMoment: (act) => db.atOneMoment(act),
      },
    });
    return { metrics, statements };
  };

  it('is at most 5 seconds old, and asked once in that time however often it is read', async () => {
    await open();
    const { metrics, statements } = await watched();
    await metrics.text();
    const once = statements.length;
    expect(once).toBeGreaterThan(5);
    for (let i = 0; i < 10; i += 1) await metrics.text();
    expect(statements.length).toBe(once);
    later();
    await metrics.text();
    expect(statements.length).toBe(2 * once);
    metrics.close();
  });

  it('is read from indexes: nothing that grows is read through', async () => {
    await open();
    const ada = await world.signUp();
    await tick(world.deps);
    // Some mail that waits, so that its age is asked for too.
    await world.deps.write((tx) =>
      tx.run(
        query.insertInto('outbox').values({
          ...{
            id: ada.id,
            priority: 1,
            kind: 'notice',
            recipient: ada.email,
            content: null,
            secret_id: null,
          },
          ...{ state: 'queued', attempts: 0, next_attempt_at: toInstant(world.clock.now() + HOUR) },
          ...{ expires_at: toInstant(world.clock.now() + HOUR), created_at: toInstant(world.clock.now()) },
          ...{ sent_at: null, last_error: null },
        }),
      ),
    );
    const { metrics, statements } = await watched();
    await metrics.text();
    metrics.close();
    expect(statements.length).toBeGreaterThanOrEqual(7);
    const steps = statements.flatMap(({ sql, parameters }) =>
      world.rows<{ detail: string }>(`explain query plan ${sql}`, ...parameters).map(({ detail }) => detail),
    );
    const scanned = steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step));
    expect([...new Set(scanned)].toSorted()).toEqual([
      // What a bounded statement inside has found.
      'SCAN mail',
      // Of these there are few, and they are counted up to a bound.
      'SCAN outbox USING COVERING INDEX outbox_failed',
      // The first row only, but for series that are being imported or moved into the trash.
      'SCAN recurring_series USING INDEX recurring_series_due',
      'SCAN task',
      'SCAN users USING INDEX sqlite_autoindex_users_1',
    ]);
  });
});
