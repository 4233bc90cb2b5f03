import type { Config } from '../config.ts';
import type { Log } from '../kernel/log.ts';
import { serve } from '../server.ts';

/** Serves until SIGTERM or SIGINT; a second signal ends it at once. */
export async function serveUntilSignal(config: Config, log: Log): Promise<void> {
  const running = await serve(config, log);
  await new Promise<void>((resolve) => {
    const stop = () => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
      resolve();
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  });
  await running.stop();
}
