import type { Hono } from 'hono';
import { schemaOf, setMeta } from '../db/meta.ts';
import type { Deps } from '../deps.ts';
import { keptFor } from '../kernel/clock.ts';
import { unavailable } from '../kernel/errors.ts';
import { SECOND, toInstant } from '../kernel/instants.ts';
import { answer } from './answer.ts';
import { type Environment, requestIdOf } from './request.ts';

const READINESS_MS = 5 * SECOND;

/**
 * `/healthz`: the process answers. `/readyz`: the database takes writes and has the schema it began with; asked of it at
 * most every 5 seconds.
 */
export function mountHealth(app: Hono<Environment>, deps: Deps): void {
  const schema = schemaOf(deps.read);
  const isReady = keptFor(READINESS_MS, deps.clock, () => canServe(deps, schema));
  app.get('/healthz', (context) => answer(requestIdOf(context), 200, { status: 'ok' }));
  app.get('/readyz', async (context) => {
    const couldServe = await isReady();
    if (deps.stopping.aborted || !couldServe) throw unavailable('Not ready');
    return answer(requestIdOf(context), 200, { status: 'ready' });
  });
}

const canServe = ({ write, clock }: Deps, schema: string | undefined): Promise<boolean> =>
  write((tx) => {
    setMeta(tx, 'checked_at', toInstant(clock.now()));
    return schemaOf(tx) === schema;
  }).catch(() => false);
