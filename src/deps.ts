import type { GoogleTokens } from './auth/google-tokens.ts';
import type { Undecided } from './auth/undecided.ts';
import type { Config } from './config.ts';
import type { Db } from './db/connection.ts';
import type { Snapshot } from './db/snapshot.ts';
import type { TaskRow } from './db/tables.ts';
import type { Tx } from './db/tx.ts';
import type { Write, WriteInSteps } from './db/writer.ts';
import type { AddressOf } from './http/client-address.ts';
import type { RateLimits } from './http/rate-limits.ts';
import type { RefusalLog } from './http/refusal-log.ts';
import type { Clock } from './kernel/clock.ts';
import type { Keys } from './kernel/keys.ts';
import type { Log } from './kernel/log.ts';
import type { Mailer } from './mail/worker.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { AccessTokens } from './sessions/access-token.ts';
import type { Passwords } from './users/passwords.ts';

/** A task that was just completed or deleted, and by whom. */
export interface Leaving {
  task: TaskRow;
  how: 'completed' | 'deleted';
  by: string;
}

/** What verbs need of the world, built once by `open.ts` and handed down. Types only, so any floor may import it. */
export interface Deps {
  config: Config;
  clock: Clock;
  log: Log;
  /** For reads outside a job; never waits. */
  read: Db;
  write: Write;
  writeInSteps: WriteInSteps;
  /** Empties the write-ahead log; false while someone reads from it. */
  emptyLog: () => Promise<boolean>;
  openSnapshot: () => Snapshot;
  /** Deletions under way here, by what is deleted; true once nothing is left. */
  removals: Map<string, Promise<boolean>>;
  /** The exports under way: whose, and how to stop one. */
  exports: Set<{ userId: string; stop: AbortController }>;
  keys: Keys;
  limits: RateLimits;
  refusals: RefusalLog;
  addressOf: AddressOf;
  mailer: Mailer;
  /** None unless `metrics.enabled`. */
  metrics: Metrics | undefined;
  passwords: Passwords;
  /** The proofs by password under way. */
  undecided: Undecided;
  accessTokens: AccessTokens;
  google: GoogleTokens;
  /** Called in the transaction in which a task is completed or deleted: its series, if it has one, may go on. */
  instanceLeft: (deps: Deps, tx: Tx, leaving: Leaving, now: number) => void;
  /** Aborted once the server is about to stop. */
  stopping: AbortSignal;
}
