import type { OpenAPIHono } from '@hono/zod-openapi';
import { query } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { unavailable } from '../kernel/errors.ts';
import { SECOND, toInstant } from '../kernel/instants.ts';
import { answer } from './answer.ts';
import type { Environment } from './request.ts';
import { requestIdOf } from './request.ts';

const READINESS_MS = 5 * SECOND;

/** `/healthz`: the process answers. `/readyz`: the database takes writes; asked of it at most every 5 seconds. */
export function mountHealth(app: OpenAPIHono<Environment>, deps: Deps): void {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isReady: Promise<boolean> = Promise.resolve(false);

  app.get('/healthz', (context) => answer(requestIdOf(context), 200, { status: 'ok' }));
  app.get('/readyz', async (context) => {
    const now = deps.clock.now();
    if (Math.abs(now - checkedAt) >= READINESS_MS) {
      checkedAt = now;
      isReady = canWrite(deps, now);
    }
    if (deps.stopping.aborted || !(await isReady)) throw unavailable('Not ready');
    return answer(requestIdOf(context), 200, { status: 'ready' });
  });
}

const canWrite = (deps: Deps, now: number): Promise<boolean> =>
  deps
    .write((tx) =>
      tx.run(
        query
          .insertInto('meta')
          .values({ key: 'checked_at', value: toInstant(now) })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: toInstant(now) })),
      ),
    )
    .then(
      () => true,
      () => false,
    );
