import { createConfig } from '../../src/config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDeps } from '../../src/open.ts';
import { tick } from '../../src/tick.ts';

/**
 * A process of its own, to be killed or to meet a failing disk: opens the database that it is given, and for each
 * instant that it is sent ticks once, and returns whether that was done.
 */
const [path] = process.argv.slice(2);
let now = Date.now();
const { deps } = await openDeps(createConfig({ database: { path } }), silentLog, {
  role: 'command',
  doubles: { clock: { now: () => now } },
});
process.on('message', (instant) => {
  now = Number(instant);
  tick(deps).then(
    () => process.send?.('done'),
    (error) => process.send?.(String(error)),
  );
});
process.send?.('open');
