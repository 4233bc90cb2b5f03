import { setTimeout as wait } from 'node:timers/promises';
import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { memoizeFor } from '../kernel/clock.ts';
import { unavailable } from '../kernel/errors.ts';
import { SECOND, toInstant } from '../kernel/instants.ts';
import { schemaOf, setMeta } from '../storage/meta.ts';
import { type Environment, requestIdOf } from './request-context.ts';
import { respond } from './response.ts';

const READINESS_MS = 5 * SECOND;
const SLOW_WRITE_MS = 100;

/**
 * `/healthz`: the process responds. `/readyz`: the database takes writes and has the schema it began with; asked of it at
 * most every 5 seconds.
 */
export function mountHealth(app: Hono<Environment>, deps: Deps): void {
  const schema = schemaOf(deps.read);
  const isReady = memoizeFor(READINESS_MS, deps.clock, () => canServe(deps, schema));
  app.get('/healthz', (context) => respond(requestIdOf(context), 200, { status: 'ok' }));
  app.get('/readyz', async (context) => {
    const couldServe = await isReady();
    if (deps.stopping.aborted || !couldServe) throw unavailable('Not ready');
    return respond(requestIdOf(context), 200, { status: 'ready' });
  });
}

/** A mass change under way is a write as well: nobody need wait for its end to know that there can be one. */
async function canServe(deps: Deps, schema: string | undefined): Promise<boolean> {
  const { read, write, clock } = deps;
  const written = write((tx) => {
    setMeta(tx, 'checked_at', toInstant(clock.now()));
    return schemaOf(tx) === schema;
  }).catch(() => false);
  for (;;) {
    const outcome = await Promise.race([written, wait(SLOW_WRITE_MS, undefined, { ref: false })]);
    if (outcome !== undefined) return outcome;
    if (deps.database.isInSteps()) return schemaOf(read) === schema;
  }
}
