import type { Log } from '../kernel/log.ts';
import { networkOf } from './client-address.ts';

/** Beyond so many in a minute they are only counted: a flood from everywhere must not fill the disk. */
const TOLD_APART = 100;

export interface Rejection {
  /** What concerns security about it: `forbidden`, `sign-in-failed`, `limited`, … */
  event: string;
  requestId: string;
  /** Undefined before it is known who it is. */
  userId: string | undefined;
  address: string;
  method: string;
  path: string;
}

/** Rejections that concern security, each kind once a minute for each user or network, and then how many more there were. */
export interface SecurityLog {
  note(level: 'info' | 'warn', rejected: Rejection, message: string): void;
  /** Tells how often what was noted came again, and begins again; called once a minute. */
  sumUp(): void;
}

/** `onNoted` hears of each that gets a line of its own. */
export function createSecurityLog(log: Log, onNoted: (rejected: Rejection) => void = () => {}): SecurityLog {
  const noted = new Map<string, Pick<Rejection, 'event' | 'userId' | 'address'> & { times: number }>();
  let others = 0;
  return {
    note: (level, rejected, message) => {
      const { event, userId, address } = rejected;
      const key = `${event} ${userId ?? networkOf(address)}`;
      const known = noted.get(key);
      if (known) known.times += 1;
      else if (noted.size >= TOLD_APART) others += 1;
      else {
        noted.set(key, { event, userId, address, times: 0 });
        log[level](rejected, message);
        onNoted(rejected);
      }
    },
    sumUp: () => {
      for (const again of noted.values()) if (again.times > 0) log.warn(again, 'rejected again');
      if (others > 0) log.warn({ event: 'rejected', times: others }, 'many were rejected');
      noted.clear();
      others = 0;
    },
  };
}
