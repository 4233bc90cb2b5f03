import { migrations } from '../migrations/index.ts';
import { createGoogleKeys } from './auth/google-keys.ts';
import { createGoogleTokens } from './auth/google-tokens.ts';
import { createUndecided } from './auth/undecided.ts';
import type { Config } from './config.ts';
import { createCheckpoints } from './db/checkpoints.ts';
import { networkFileSystem } from './db/file-system.ts';
import { migrate, schemaStatus, snapshot } from './db/migrate.ts';
import { openStorage, type Storage, StorageError } from './db/open.ts';
import { openSnapshot } from './db/snapshot.ts';
import { createWriter, type Writer } from './db/writer.ts';
import type { Deps } from './deps.ts';
import { type AddressOf, clientAddress } from './http/client-address.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { createRefusalLog } from './http/refusal-log.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { MINUTE, toInstant } from './kernel/instants.ts';
import { keyFileOf, openKeys } from './kernel/keys.ts';
import type { Log } from './kernel/log.ts';
import type { OnDone } from './kernel/progress.ts';
import { transportOf } from './mail/transport.ts';
import { createMailer, restingMailer, type Transport } from './mail/worker.ts';
import { createMetrics } from './metrics/metrics.ts';
import { instanceLeft } from './recurring/lifecycle.ts';
import { createAccessTokens } from './sessions/access-token.ts';
import { argon2Passwords, type Passwords } from './users/passwords.ts';

const MAIL_PAUSE_MS = 25;

/** What a test may put in place of the outside world. */
interface Doubles {
  clock?: Clock;
  passwords?: Passwords;
  transport?: Transport;
  mailPauseMs?: number;
}

export interface Opened {
  deps: Deps;
  storage: Storage;
  writer: Writer;
  /** Turns readiness off; requests are still answered. */
  beginStop(): void;
  /** Finishes what is under way and closes the files. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens the data and builds what verbs need. With `create` a missing database is made and an old schema brought up
 * to date, after a snapshot; without it both are a StorageError, and mails are left to the server.
 */
export async function openDeps(
  config: Config,
  log: Log,
  options: { create: boolean; doubles?: Doubles },
): Promise<Opened> {
  const clock = options.doubles?.clock ?? systemClock;
  const storage = openStorage({ ...config.database, create: options.create });
  try {
    if (options.create) {
      warnOfNetwork(storage.path, log);
      await bringUpToDate(config, log, storage, clock);
    } else {
      refuseOldSchema(storage);
    }
    const checkpoints =
      options.create && !config.database.external_replication
        ? createCheckpoints(storage, (err) =>
            log.warn({ err }, 'checkpoints hold up requests: their thread failed'),
          )
        : undefined;
    const writer = createWriter(
      storage,
      (err) => log.error({ err }, 'what goes with a commit failed'),
      checkpoints?.consider,
    );
    const tokenMs = config.auth.access_token_minutes * MINUTE;
    const keys = openKeys(keyFileOf(storage.path), tokenMs, (message) => log.warn(message));
    const mailer = options.create
      ? createMailer({
          writer,
          keys,
          clock,
          log,
          transport: options.doubles?.transport ?? transportOf(config),
          pauseMs: options.doubles?.mailPauseMs ?? MAIL_PAUSE_MS,
        })
      : restingMailer;
    const { read, counts } = writer;
    const metrics =
      options.create && config.metrics.enabled
        ? await createMetrics({ config, clock, read, counts })
        : undefined;
    const refusals = createRefusalLog(log);
    const stopping = new AbortController();
    const deps: Deps = {
      config,
      clock,
      log,
      read,
      write: writer.write,
      writeInSteps: writer.writeInSteps,
      emptyLog: async () => {
        await checkpoints?.copyAll();
        return writer.emptyLog();
      },
      openSnapshot: () => openSnapshot(storage.path),
      removals: new Map(),
      exports: new Set(),
      keys,
      limits: createRateLimits(config.rate_limits),
      refusals,
      addressOf: tellingOfProxies(config.server.trusted_proxies, log),
      mailer,
      metrics,
      passwords: options.doubles?.passwords ?? argon2Passwords(),
      undecided: createUndecided(),
      accessTokens: createAccessTokens({
        keys,
        clock,
        issuer: config.server.public_url,
        audience: config.server.public_url + config.server.base_path,
        minutes: config.auth.access_token_minutes,
      }),
      google: createGoogleTokens({
        clientIds: config.auth.google_client_ids,
        keys: createGoogleKeys({ url: config.auth.google_certs_url, clock, log }),
        clock,
      }),
      instanceLeft,
      stopping: stopping.signal,
    };
    const close = async () => {
      refusals.sumUp();
      metrics?.close();
      await mailer.stop();
      await writer.idle();
      await checkpoints?.stop();
      storage.close();
    };
    const beginStop = () => stopping.abort();
    return { deps, storage, writer, beginStop, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    storage.close();
    throw error;
  }
}

/**
 * Runs every pending migration, after a snapshot of a file that holds data already; answers their names. `onDone`
 * hears how many are done.
 */
export async function bringUpToDate(
  config: Config,
  log: Log,
  storage: Storage,
  clock: Clock,
  onDone?: OnDone,
): Promise<string[]> {
  const { done, pending } = schemaStatus(storage, migrations);
  if (pending.length === 0) return [];
  if (done.length > 0 && config.database.snapshot_before_migrate) {
    log.info(
      { snapshot: snapshot(storage, toInstant(clock.now())) },
      'database copied before it is migrated',
    );
  }
  await migrate(storage, migrations, onDone);
  log.info({ migrations: pending }, 'database migrated');
  return pending;
}

function refuseOldSchema(storage: Storage): void {
  if (schemaStatus(storage, migrations).pending.length === 0) return;
  throw new StorageError(
    `${storage.path} has an older schema: run \`errand migrate\` or start the server first`,
  );
}

function warnOfNetwork(path: string, log: Log): void {
  const fileSystem = networkFileSystem(path);
  if (fileSystem === undefined) return;
  log.warn(
    { path, fileSystem },
    'the database is on a network file system, where it may be damaged: move it to a disk of this machine',
  );
}

/** Says once that a proxy seems to stand in front of us, where none is configured: all its clients share one limit. */
function tellingOfProxies(proxies: readonly string[], log: Log): AddressOf {
  const addressOf = clientAddress(proxies);
  let isTold = proxies.length > 0;
  return (peer, forwardedFor) => {
    if (!isTold && forwardedFor !== undefined) {
      isTold = true;
      log.warn(
        { peer },
        'a request came with X-Forwarded-For, but server.trusted_proxies is empty: limits count its sender, not its clients',
      );
    }
    return addressOf(peer, forwardedFor);
  };
}
