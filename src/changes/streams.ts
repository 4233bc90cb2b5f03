import type { PersonalChange } from '../db/journal.ts';
import type { Deps } from '../deps.ts';
import { type EventSink, eventBody } from '../http/event-sink.ts';
import { AppError, tooManyRequests, unavailable } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';
import type { Actor } from '../sessions/actor.ts';
import { requireSession } from '../sessions/authentication.ts';
import { lastSeqOf, workspaceIdOf } from '../storage/changes.ts';
import { readUnread, type Unread } from '../storage/notifications.ts';
import type { ChangeRow } from '../storage/tables.ts';
import { findStanding, idsOfWorkspacesWith } from '../storage/workspaces.ts';
import { createAudience } from './audience.ts';
import type { Streams } from './listening.ts';
import {
  createStreamEvents,
  frame,
  frameOfChange,
  type Run,
  runsOf,
  type StreamPosition,
} from './stream-events.ts';
import { createTurns } from './turns.ts';

export const HEARTBEAT_MS = 15 * SECOND;
export const POLL_MS = SECOND;
const RETRY_MS = 3 * SECOND;
const MAX_STREAMS = 2_000;
const MAX_STREAMS_OF_USER = 8;
/** Longer ones end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A reader further behind is cut off; and the furthest of them where all together are. */
const MAX_BYTES_BEHIND = 1024 * 1024;
const MAX_BYTES_BEHIND_IN_ALL = 128 * 1024 * 1024;

interface Stream {
  who: Actor;
  clientId: string | null;
  sink: EventSink;
  workspaceIds: ReadonlySet<string>;
  unread: Unread;
  /** Of the last event. */
  id: string;
  expiry: ReturnType<typeof setTimeout> | undefined;
}

const COMMENT = Buffer.from(':\n\n');
const RETRY = Buffer.from(`retry: ${RETRY_MS}\n`);

/** Publishes what `onChanges` tells to the streams; nothing is done while there are none. */
export function createStreams(
  world: Pick<Deps, 'read' | 'keys' | 'clock' | 'log' | 'stopping'> &
    Pick<Deps['database'], 'onChanges' | 'whenSynced' | 'versionByOthers'>,
  buildId: () => string,
): Streams {
  const { read, clock, log } = world;
  const events = createStreamEvents(world);
  const streams = createAudience<Stream>();
  /** Rows up to here were published, or were there before anyone listened. */
  let publishedSeq = 0;
  let polledVersion: number | undefined;

  const end = (stream: Stream) => {
    if (forget(stream)) stream.sink.end();
  };

  const cut = (stream: Stream) => {
    if (forget(stream)) stream.sink.cut();
  };

  const forget = (stream: Stream): boolean => {
    clearTimeout(stream.expiry);
    return streams.delete(stream);
  };

  const turns = createTurns<Stream>(streams.has, (stream, err) => {
    log.error({ err }, 'a stream of events ended: its changes could not be sent');
    end(stream);
  });

  const isLive = ({ who }: Stream): boolean => {
    if (who.expiresAt <= clock.now()) return false;
    try {
      requireSession(world, read, who);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  };

  /** At the heartbeat at the latest; what a row decides is looked up there alone. */
  const endWhenExpired = (stream: Stream) => {
    const waitMs = Math.max(stream.who.expiresAt - clock.now(), 0);
    if (waitMs <= MAX_TIMER_MS) stream.expiry = setTimeout(() => end(stream), waitMs).unref();
  };

  const send = (stream: Stream, bytes: Buffer) => {
    if (!streams.has(stream)) return;
    stream.sink.write(bytes);
    if (stream.sink.bytesBehind > MAX_BYTES_BEHIND) cut(stream);
  };

  const sendMe = (stream: Stream, data: object) => send(stream, frame('me', stream.id, JSON.stringify(data)));

  const cutFurthestBehind = () => {
    const behind = [...streams].map((stream) => ({ stream, bytes: stream.sink.bytesBehind }));
    let sum = behind.reduce((all, { bytes }) => all + bytes, 0);
    if (sum <= MAX_BYTES_BEHIND_IN_ALL) return;
    for (const { stream, bytes } of behind.sort((a, b) => b.bytes - a.bytes)) {
      sum -= bytes;
      cut(stream);
      if (sum <= MAX_BYTES_BEHIND_IN_ALL) return;
    }
  };

  /** By API token those that it has. */
  const workspacesFor = ({ userId, cap }: Actor): Set<string> => {
    const all = idsOfWorkspacesWith(read, userId);
    return new Set(cap?.workspaceIds ? all.filter((id) => cap.workspaceIds?.includes(id)) : all);
  };

  const isMember = (stream: Stream, workspaceId: string): boolean =>
    (findStanding(read, { workspaceId, userId: stream.who.userId })?.role ?? null) !== null;

  /** Looks again at what is a stream's own, once all that can be read is synced, and tells what is new. */
  const refresh = (stream: Stream, ...parts: ((stream: Stream) => void)[]) =>
    void world
      .whenSynced(() => {
        if (streams.has(stream)) for (const part of parts) part(stream);
      })
      .catch((err) => {
        log.error({ err }, 'a stream of events ended: what changed for its user could not be sent');
        end(stream);
      });

  const refreshWorkspaces = (stream: Stream) => {
    const now = workspacesFor(stream.who);
    if (now.size === stream.workspaceIds.size && stream.workspaceIds.isSubsetOf(now)) return;
    streams.move(stream, now);
    sendMe(stream, { workspaces: true });
  };

  const refreshUnread = (stream: Stream) => {
    const unread = readUnread(read, stream.who.userId, stream.who.cap?.workspaceIds);
    const { count, newestId } = stream.unread;
    if (unread.count === count && unread.newestId === newestId) return;
    stream.unread = unread;
    sendMe(stream, { unread: unread.count });
  };

  const publish = (rows: readonly ChangeRow[]) => {
    publishedSeq = Math.max(publishedSeq, rows.at(-1)?.seq ?? 0);
    if (streams.size === 0) return;
    for (const run of runsOf(rows)) publishRun(run);
  };

  /** What is not published yet in the workspaces that someone listens to: other processes wrote it. */
  const unpublishedRows = () =>
    [...streams.workspaceIds()]
      .flatMap((workspaceId) => events.rowsAfter(workspaceId, publishedSeq))
      .sort((a, b) => a.seq - b.seq);

  /** Serializes a run once for all who hear of it. */
  const publishRun = (run: Run) => {
    const [first] = run;
    const workspaceId = workspaceIdOf(read, first.workspace_code);
    if (workspaceId === undefined) return;
    for (const { kind, thing_id: userId } of run) {
      if (kind !== 'member') continue;
      for (const stream of streams.ofUser(userId))
        turns.ask(stream, () => refresh(stream, refreshWorkspaces));
    }
    const listening = streams.ofWorkspace(workspaceId);
    if (listening.length === 0) return;
    const event = events.changeOf(run, workspaceId);
    const id = events.idOf({ workspaceKey: first.workspace_code, ...event.at });
    const frames = new Map<boolean, Buffer>();
    const tell = (stream: Stream) => {
      if (!isLive(stream)) return end(stream);
      if (!isMember(stream, workspaceId)) return refresh(stream, refreshWorkspaces);
      const isOwn = stream.who.userId === event.actorId;
      const bytes = frames.get(isOwn) ?? frameOfChange(id, event, isOwn);
      frames.set(isOwn, bytes);
      stream.id = id;
      send(stream, bytes);
    };
    for (const stream of listening) turns.ask(stream, tell);
  };

  const tellPeople = (personal: readonly PersonalChange[]) => {
    for (const [userId, told] of Map.groupBy(personal, (each) => each.userId)) {
      const about = new Set(told.map((each) => each.about));
      for (const stream of streams.ofUser(userId)) {
        if (about.has('sessions') && !isLive(stream)) end(stream);
        turns.ask(stream, () => {
          // What is unread of a workspace goes with it.
          if (about.has('workspaces')) refresh(stream, refreshWorkspaces, refreshUnread);
          else if (about.has('unread')) refresh(stream, refreshUnread);
          if (about.has('profile')) sendMe(stream, { profile: true });
        });
      }
    }
  };

  const greet = (stream: Stream, from: StreamPosition | undefined) => {
    const { id, who, workspaceIds, unread } = stream;
    const workspaces = events.cursorsAt(workspaceIds, from);
    const hello = {
      userId: who.userId,
      workspaces,
      unread: unread.count,
      build: buildId(),
      epoch: events.epoch(),
    };
    send(stream, RETRY);
    send(stream, frame('hello', id, JSON.stringify(hello)));
  };

  /** Only with the last of what was missed does the id move on. */
  const catchUp = (stream: Stream, from: StreamPosition) => {
    const missed = events.missedSince(from, stream.workspaceIds);
    missed.events.forEach((event, i) => {
      if (missed.id !== undefined && i === missed.events.length - 1) stream.id = missed.id;
      send(stream, frameOfChange(stream.id, event, event.actorId === stream.who.userId));
    });
  };

  const makeRoom = ({ userId, sessionId, cap }: Actor, clientId: string | null) => {
    const own = streams.ofUser(userId);
    const same = own.find(
      (stream) =>
        stream.who.sessionId === sessionId &&
        stream.who.cap?.tokenId === cap?.tokenId &&
        stream.clientId === clientId,
    );
    if (same && clientId !== null) return end(same);
    if (own.length >= MAX_STREAMS_OF_USER) throw tooManyRequests(RETRY_MS);
    if (streams.size >= MAX_STREAMS) {
      throw new AppError('ServiceUnavailableError', 'Too many people are listening', {
        headers: { 'Retry-After': String(RETRY_MS / SECOND) },
      });
    }
  };

  const endAll = () => {
    for (const stream of streams) end(stream);
  };

  world.stopping.addEventListener('abort', endAll);
  world.onChanges((rows, personal) => {
    const [first] = rows;
    // What another process wrote before comes before it.
    if (first && first.seq > publishedSeq + 1)
      publish(unpublishedRows().filter(({ seq }) => seq < first.seq));
    if (first) publish(rows);
    if (personal.length > 0 && streams.size > 0) tellPeople(personal);
  });

  return {
    open: (who, { cursor, clientId, response }) => {
      if (world.stopping.aborted) throw unavailable('The server is stopping');
      makeRoom(who, clientId);
      if (streams.size === 0) {
        polledVersion = world.versionByOthers();
        publishedSeq = lastSeqOf(read);
      }
      let stream: Stream | undefined;
      const begin = (sink: EventSink) => {
        const workspaceIds = workspacesFor(who);
        const from = cursor === undefined ? undefined : events.positionOf(cursor, workspaceIds);
        const unread = readUnread(read, who.userId, who.cap?.workspaceIds);
        const id = from && cursor !== undefined ? cursor : events.presentId(workspaceIds);
        stream = { who, clientId, sink, workspaceIds, unread, id, expiry: undefined };
        endWhenExpired(stream);
        streams.add(stream);
        greet(stream, from);
        if (cursor !== undefined && !from) send(stream, frame('reset', id, '{}'));
        if (from) catchUp(stream, from);
      };
      return eventBody(response, begin, () => stream && forget(stream));
    },
    poll: () => {
      if (streams.size === 0) return;
      cutFurthestBehind();
      const version = world.versionByOthers();
      if (version === polledVersion) return;
      polledVersion = version;
      publish(unpublishedRows());
      for (const stream of streams) turns.ask(stream, () => refresh(stream, refreshWorkspaces));
      publishedSeq = Math.max(publishedSeq, lastSeqOf(read));
    },
    heartbeat: () => {
      for (const stream of streams) {
        turns.ask(stream, () => {
          if (!isLive(stream)) return end(stream);
          send(stream, COMMENT);
          refresh(stream, refreshWorkspaces, refreshUnread);
        });
      }
    },
    close: endAll,
    get size() {
      return streams.size;
    },
  };
}
