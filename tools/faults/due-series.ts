import { join } from 'node:path';
import { createAccount } from '../../src/auth/account/account.ts';
import { createConfig } from '../../src/config.ts';
import { query } from '../../src/db/connection.ts';
import { toInstant } from '../../src/kernel/instants.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type Opened, openDeps } from '../../src/open.ts';
import { createSeries } from '../../src/recurring/create-series.ts';
import { openSession } from '../../src/sessions/tokens.ts';
import { countOf } from '../../src/storage/integrity.ts';
import { member } from '../../src/workspaces/authorization.ts';
import { collecting } from '../../test/world.ts';
import { inDatabase } from './wrong.ts';

/** When the series are made: a day before the first of them is due. */
export const START = Date.parse('2026-03-27T10:00:00.000Z');
export const AT_NINE = Date.parse('2026-03-28T08:00:00.000Z');
export const AT_TEN = Date.parse('2026-03-28T09:00:00.000Z');

const BATCH_SIZE = 1_000;

/** The data of a folder, opened in this process under that clock. */
export const openAt = (folder: string, now: () => number): Promise<Opened> =>
  openDeps(
    createConfig({ database: { path: join(folder, 'errand.db') }, quotas: { series: 0 } }, folder),
    silentLog,
    {
      role: 'server',
      doubles: { clock: { now }, transport: collecting([]) },
    },
  );

/** Daily series of one workspace, so many due at nine and the others at ten in Paris; made through the service function itself. */
export async function addSeries({ deps }: Opened, due: number, later: number): Promise<void> {
  const now = deps.clock.now();
  const requestContext = {
    requestId: '',
    address: '127.0.0.1',
    userAgent: '',
    clientId: null,
    lastEventId: undefined,
    cookie: undefined,
    fetchSite: undefined,
    origin: undefined,
    ownOrigin: undefined,
    expectedUserId: undefined,
    isGone: false,
    response: undefined,
    isHead: false,
  };
  const session = await deps.write((tx) => {
    const ada = { email: 'ada@example.com', name: 'Ada', passwordHash: null };
    const user = createAccount(deps, tx, ada, now);
    return openSession(deps, tx, requestContext, { userId: user.id, by: 'password', mode: 'token' }, now);
  });
  const workspace = deps.read.one(
    query.selectFrom('workspaces').select('id').where('owner_id', '=', session.userId),
  );
  const list = deps.read.one(query.selectFrom('lists').selectAll());
  if (!workspace || !list) throw new Error('An account came without a workspace');
  const authorization = `Bearer ${await deps.signIn.accessTokens.issue(session, now)}`;
  const who = await member('member').authorize(deps, requestContext, {
    authorization,
    workspaceId: workspace.id,
    isRead: true,
    isPrivate: false,
  });
  const make = (timeOfDay: string) =>
    createSeries(deps, who, {
      title: 'Water the plants',
      listId: list.id,
      interval: { frequency: 'day', timeOfDay, timezone: 'Europe/Paris' },
    });
  const times = [
    ...Array.from({ length: due }, () => '09:00'),
    ...Array.from({ length: later }, () => '10:00'),
  ];
  while (times.length > 0) await Promise.all(times.splice(0, BATCH_SIZE).map(make));
}

/** Series that an instant has overtaken. */
export const waitingIn = (folder: string, now: number): number =>
  countIn(folder, `recurring_series where next_run_at <= '${toInstant(now)}'`);

export const tasksIn = (folder: string): number => countIn(folder, 'tasks');

const countIn = (folder: string, source: string): number =>
  inDatabase(folder, (database) => countOf(database, source));
