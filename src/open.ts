import { setTimeout as pause } from 'node:timers/promises';
import { recordRejection } from './audit/trail.ts';
import { createGoogleKeys } from './auth/providers/google/google-keys.ts';
import { createGoogleTokens } from './auth/providers/google/google-tokens.ts';
import { version } from './build-info.ts';
import { notePosition, openEpoch } from './changes/epoch.ts';
import { createStreams } from './changes/streams.ts';
import type { Config } from './config.ts';
import { createCheckpoints, emptyLogOf } from './db/checkpoints.ts';
import { networkFileSystem } from './db/file-system.ts';
import { BUSY_MILLISECONDS, openStorage, type Storage } from './db/open.ts';
import { openSnapshot } from './db/snapshot.ts';
import { createWalSync, type WalSync } from './db/wal-sync.ts';
import { createWriter, type Writer } from './db/writer.ts';
import type { Deps } from './deps.ts';
import { createBytesUnderWay } from './http/bytes-under-way.ts';
import { type AddressOf, clientAddress, rangesIn, trustedProxies } from './http/client-address.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { createSecurityLog } from './http/security-log.ts';
import { createSessionCookie } from './http/session-cookie.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { MINUTE } from './kernel/instants.ts';
import { keyFileOf, openKeys } from './kernel/keys.ts';
import type { Log } from './kernel/log.ts';
import { once } from './kernel/once.ts';
import { transportOf } from './mail/transport.ts';
import { createMailer, noopMailer, type Transport } from './mail/worker.ts';
import { createMetrics } from './metrics/metrics.ts';
import { clientBuildId } from './pages/client.ts';
import { onInstanceClosed } from './recurring/lifecycle.ts';
import { createAccessTokens } from './sessions/access-token.ts';
import { createJournal, type OnChanges } from './storage/changes.ts';
import { createSearches } from './tasks/searches.ts';
import { bringUpToDate, rejectOldSchema } from './upgrade.ts';
import { argon2Passwords, type Passwords } from './users/passwords.ts';

const MAIL_PAUSE_MS = 25;
/** In which a server beside a command that commits step by step gets its turn: it tries again more often. */
const COMMAND_PAUSE_MS = 20;
/** For the responses of those who wait. */
const END_PAUSE_MS = 300;

/** What a test may put in place of the outside world. */
interface Doubles {
  clock?: Clock;
  passwords?: Passwords;
  transport?: Transport;
  mailPauseMs?: number;
  walSync?: WalSync;
  endProcess?: () => void;
}

export interface Opened {
  deps: Deps;
  storage: Storage;
  writer: Writer;
  /** Lets nothing more be written or told, and ends the process: what is on the disk is unknown. */
  fail(reason: unknown): void;
  /** Turns readiness off; requests are still served. */
  beginStop(): void;
  /** Finishes what is under way and closes the files. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** As whom the data is opened: as the one server, or as a command that may run beside it. */
type Role = 'server' | 'command';

/**
 * Opens the data and builds what service functions need. For the server a missing database is made and an old schema
 * brought up to date, after a copy; for a command both are a StorageError, and mails are left to the server.
 */
export async function openDeps(
  config: Config,
  log: Log,
  options: { role: Role; doubles?: Doubles },
): Promise<Opened> {
  const clock = options.doubles?.clock ?? systemClock;
  const isServer = options.role === 'server';
  const storage = openStorage({ ...config.database, create: isServer });
  const endProcess = options.doubles?.endProcess ?? (() => setTimeout(() => process.exit(1), END_PAUSE_MS));
  let walSync: WalSync | undefined;
  try {
    if (isServer) {
      warnOfNetwork(storage.path, log);
      await bringUpToDate(config, log, storage, clock);
    } else {
      rejectOldSchema(storage);
    }
    const stopping = new AbortController();
    // What the disk holds is unknown then, and closing the database would be a checkpoint.
    const fail = (err: unknown) => {
      log.fatal({ err }, 'syncing to the disk failed: the process ends');
      stopping.abort();
      writer.fail(err);
      endProcess();
    };
    const ownsWal = isServer && !config.database.external_replication;
    const checkpoints = ownsWal
      ? createCheckpoints(storage, {
          onFailure: fail,
          onFallback: (err) =>
            log.warn({ err }, 'checkpoints hold up requests: their thread could not start'),
        })
      : undefined;
    const setting = config.database.sync;
    if (options.doubles?.walSync) walSync = options.doubles.walSync;
    else if (ownsWal && setting !== 'commit') {
      walSync = createWalSync(storage, setting, {
        onFailure: fail,
        onFallback: (err) => log.warn({ err }, 'syncs hold up requests: their thread could not start'),
      });
    }
    const changeListeners = new Set<OnChanges>();
    // From here on another writer is waited for by timer, while reads are served.
    if (isServer) storage.writing.pragma('busy_timeout = 0');
    const writer = createWriter(
      { ...storage, busyTimeoutMs: isServer ? BUSY_MILLISECONDS.server : 0, walSync },
      (err) => log.error({ err }, 'after-commit hook failed'),
      isServer ? checkpoints?.consider : () => pause(COMMAND_PAUSE_MS),
      createJournal(clock, (rows, personal) => {
        for (const hear of changeListeners) hear(rows, personal);
      }),
    );
    const tokenMs = config.auth.access_token_minutes * MINUTE;
    const keys = openKeys(keyFileOf(storage.path), tokenMs, (message) => log.warn(message));
    const mailer = isServer
      ? createMailer({
          writer,
          keys,
          clock,
          log,
          transport: options.doubles?.transport ?? (await transportOf(config)),
          pauseMs: options.doubles?.mailPauseMs ?? MAIL_PAUSE_MS,
        })
      : noopMailer;
    const { read, counts } = writer;
    if (isServer) await openEpoch(read, writer.write, storage.path);
    const metrics =
      isServer && config.metrics.enabled ? await createMetrics({ config, clock, read, counts }) : undefined;
    const searches = createSearches(storage.path);
    const securityLog = createSecurityLog(log, (rejected) => {
      // Whatever becomes of it: the error stands, and the log has it.
      writer.write((tx) => recordRejection(tx, rejected, clock.now())).catch(() => {});
    });
    const onChanges = (hear: OnChanges) => {
      changeListeners.add(hear);
      return () => changeListeners.delete(hear);
    };
    const deps: Deps = {
      config,
      clock,
      log,
      keys,
      actsAs: isServer ? 'api' : 'command',
      stopping: stopping.signal,
      read,
      write: writer.write,
      writeInSteps: writer.writeInSteps,
      database: {
        whenSynced: writer.whenSynced,
        isInSteps: writer.isInSteps,
        emptyLog: async () => checkpoints?.empty() ?? emptyLogOf(storage.writing),
        runOnThread: async (sql) => {
          // Otherwise others who write would wait for a copy as well.
          await checkpoints?.idle();
          const changed = checkpoints?.runAfterCommit(sql);
          if (changed) await writer.write(() => {});
          return changed;
        },
        openSnapshot: () => openSnapshot(storage.path),
        versionByOthers: writer.versionByOthers,
        onChanges,
      },
      http: {
        limits: createRateLimits(config.rate_limits),
        securityLog,
        addressOf: warnOnceAboutProxy(config.server, log),
        isTrustedProxy: trustedProxies(config.server.trusted_proxies),
        sessionCookie: createSessionCookie(config.server.public_url),
        bytesUnderWay: createBytesUnderWay(),
      },
      signIn: {
        passwords: options.doubles?.passwords ?? argon2Passwords(),
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
      },
      mailer,
      searches,
      // The client compares it with its own build, and offers the new one.
      streams: createStreams(
        { ...writer, keys, clock, log, onChanges, stopping: stopping.signal },
        once(() => clientBuildId() ?? version),
      ),
      metrics,
      onInstanceClosed,
    };
    const noteWhereItStands = () => {
      try {
        notePosition(read, storage.path);
      } catch (err) {
        log.warn({ err }, 'the position of the changes could not be noted');
      }
    };
    const close = async () => {
      securityLog.sumUp();
      metrics?.close();
      await mailer.stop();
      await writer.idle();
      await searches.stop();
      await checkpoints?.stop();
      await walSync?.stop();
      if (isServer) noteWhereItStands();
      storage.close();
    };
    const beginStop = () => stopping.abort();
    return { deps, storage, writer, fail, beginStop, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await walSync?.stop();
    storage.close();
    throw error;
  }
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
function warnOnceAboutProxy(server: Config['server'], log: Log): AddressOf {
  const addressOf = clientAddress(server.trusted_proxies, server.trusted_hops);
  const ranges = rangesIn(server.trusted_proxies);
  if (ranges.length > 0 && server.trusted_hops === 0) {
    log.warn(
      { ranges },
      'server.trusted_proxies has ranges: a client inside one can forge its address, unless server.trusted_hops is set',
    );
  }
  let isTold = server.trusted_proxies.length > 0;
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
