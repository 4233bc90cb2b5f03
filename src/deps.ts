import type { GoogleTokens } from './auth/providers/google/google-tokens.ts';
import type { Streams } from './changes/listening.ts';
import type { Config } from './config.ts';
import type { Db } from './db/connection.ts';
import type { Snapshot } from './db/snapshot.ts';
import type { Tx } from './db/tx.ts';
import type { WhenSynced } from './db/unsynced.ts';
import type { Write, WriteInSteps } from './db/writer.ts';
import type { BytesUnderWay } from './http/bytes-under-way.ts';
import type { AddressOf } from './http/client-address.ts';
import type { RateLimits } from './http/rate-limits.ts';
import type { SecurityLog } from './http/security-log.ts';
import type { SessionCookie } from './http/session-cookie.ts';
import type { Clock } from './kernel/clock.ts';
import type { Keys } from './kernel/keys.ts';
import type { Log } from './kernel/log.ts';
import type { Mailer } from './mail/worker.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { AccessTokens } from './sessions/access-token.ts';
import type { OnChanges } from './storage/changes.ts';
import type { ShortTask } from './storage/task-fields.ts';
import type { Searches } from './tasks/searches.ts';
import type { Passwords } from './users/passwords.ts';

/** A task that was just completed or deleted, and by whom. */
export interface InstanceClosed {
  /** As it was before. */
  task: ShortTask;
  how: 'completed' | 'deleted';
  by: string;
}

/**
 * What service functions need, built once by `open.ts` and grouped by owner. State that one feature alone keeps in memory
 * is its own (`kernel/own-state.ts`). Types only, so any layer may import it.
 */
export interface Deps {
  config: Config;
  clock: Clock;
  log: Log;
  keys: Keys;
  /** Whether the server acts, for the API, or a command. */
  actsAs: 'api' | 'command';
  /** Aborted once the server is about to stop. */
  stopping: AbortSignal;
  /** For reads outside a transaction; never waits. */
  read: Db;
  write: Write;
  writeInSteps: WriteInSteps;
  database: {
    whenSynced: WhenSynced;
    /** Whether a transaction in steps is under way: writes wait for its end. */
    isInSteps: () => boolean;
    /** Empties the write-ahead log; false while someone reads from it. */
    emptyLog: () => Promise<boolean>;
    /**
     * Runs a statement on a thread, in a transaction of its own between two others; returns how many rows it changed,
     * undefined where it could not be run there.
     */
    runOnThread: (sql: string) => Promise<number | undefined>;
    openSnapshot: () => Snapshot;
    /** Another number whenever another process has written. */
    versionByOthers: () => number;
    /** Calls `hear` with what each commit recorded, once it is on the disk, until the returned function is called. */
    onChanges: (hear: OnChanges) => () => void;
  };
  http: {
    limits: RateLimits;
    securityLog: SecurityLog;
    addressOf: AddressOf;
    isTrustedProxy: (address: string) => boolean;
    sessionCookie: SessionCookie;
    /** Responses that their clients have not taken yet. */
    bytesUnderWay: BytesUnderWay;
  };
  signIn: {
    passwords: Passwords;
    accessTokens: AccessTokens;
    google: GoogleTokens;
  };
  mailer: Mailer;
  searches: Searches;
  /** Everyone who listens to changes. */
  streams: Streams;
  /** None unless `metrics.enabled`. */
  metrics: Metrics | undefined;
  /** Called in the transaction in which a task is completed or deleted: its series, if it has one, may go on. */
  onInstanceClosed: (deps: Deps, tx: Tx, closed: InstanceClosed, now: number) => void;
}
