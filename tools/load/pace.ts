import { setTimeout as wait } from 'node:timers/promises';

const STEP_MS = 1;
/** A client that was held up catches up little by little: so many strangers never do something in one and the same moment. */
const BATCH_SIZE = 2;

/** Does something at a steady rate until it is stopped, whether or not the server keeps up. */
export async function atPace(perSecond: number, stop: AbortSignal, act: () => void): Promise<void> {
  const began = performance.now();
  for (let done = 0; !stop.aborted; ) {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    const last = Math.min(due, done + (BATCH_SIZE * perSecond * STEP_MS) / 1_000);
    for (; done < last; done += 1) act();
    await wait(STEP_MS);
  }
}
