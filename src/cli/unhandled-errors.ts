import type { Log } from '../kernel/log.ts';

/**
 * Unhandled errors (ASVS 16.5.4). An unhandled rejection has ended one chain of promises between two whole steps: it is
 * logged, and the service goes on for everyone. An uncaught exception has broken off in the midst of a step, after which
 * Node promises nothing of the memory: it is logged, and the process ends with code 1, to be started again by what
 * watches over it. Every response sent is on the disk by then, and the log is written in place. A SIGUSR1 would
 * open Node's inspector, which lets every user of the machine in: it is not obeyed.
 */
export function catchUnhandledErrors(log: Log): void {
  process.on('SIGUSR1', () => {});
  process.on('unhandledRejection', (err) => log.error({ err }, 'a rejection was not handled'));
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'an exception was not caught: the process ends');
    process.exit(1);
  });
}
