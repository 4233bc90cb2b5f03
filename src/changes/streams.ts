import type { Db } from '../db/connection.ts';
import type { PersonalChange } from '../db/journal.ts';
import type { Deps } from '../deps.ts';
import { AppError, tooManyRequests, unavailable } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';
import type { Actor } from '../sessions/actor.ts';
import { requireSession } from '../sessions/authentication.ts';
import {
  changesAfter,
  codeOfWorkspace,
  findChange,
  lastSeqOf,
  newestChange,
  newestUntil,
  userIdOf,
  workspaceIdOf,
} from '../storage/changes.ts';
import { epochOf } from '../storage/meta.ts';
import { countUnread } from '../storage/notifications.ts';
import type { ChangeRow } from '../storage/tables.ts';
import { findStanding, idsOfWorkspacesWith } from '../storage/workspaces.ts';
import { itemsOf } from './changes.ts';
import { cursorsOf, type Position } from './cursor.ts';
import type { Streams } from './listening.ts';

export const HEARTBEAT_MS = 15 * SECOND;
export const POLL_MS = SECOND;
const RETRY_MS = 3 * SECOND;
const MAX_STREAMS = 2_000;
/** Longer ones end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_STREAMS_OF_USER = 8;
/** A reader further behind is cut off; and the furthest of them where all together are. */
/** Each stream told is a write to a socket: what goes to many goes to so many in one turn of the event loop. */
const LEAST_PER_TURN = 32;
/** Of those that still wait, one in so many goes in the next turn: under load turns are few. */
const TURNS_TO_TELL = 64;
const MAX_BYTES_BEHIND = 1024 * 1024;
const MAX_BYTES_BEHIND_IN_ALL = 128 * 1024 * 1024;
/** An event with more things, or longer, tells only that something changed. */
const MAX_ITEMS = 20;
const MAX_ITEM_CHARACTERS = 64 * 1024;
/** So many rows are told one by one to a stream that resumes; beyond, it is only told that something changed. */
const MAX_RESUMED_ROWS = 200;

interface Stream {
  who: Actor;
  clientId: string | null;
  controller: ReadableStreamDefaultController<Uint8Array>;
  workspaceIds: ReadonlySet<string>;
  unread: number;
  /** Of the last event. */
  id: string;
  expiry: ReturnType<typeof setTimeout> | undefined;
}

/** A row of the journal of any workspace: where a stream stands. */
interface StreamPosition extends Position {
  workspaceKey: number;
}

const encoder = new TextEncoder();

const frame = (event: string, id: string, data: unknown): Uint8Array =>
  encoder.encode(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);

const COMMENT = encoder.encode(':\n\n');

/** Publishes what `onChanges` tells to the streams; nothing is done while there are none. */
export function createStreams(
  world: Pick<Deps, 'read' | 'keys' | 'clock' | 'log' | 'stopping'> & Pick<Deps['database'], 'onChanges'>,
  build: string,
): Streams {
  const { read, keys, clock, log } = world;
  const streams = new Set<Stream>();
  const waiting: { stream: Stream; act: (stream: Stream) => void }[] = [];
  /** Rows up to here were published, or were there before anyone listened. */
  let publishedSeq = 0;

  const idText = (position: StreamPosition): string =>
    keys.sealPosition(
      `events ${epochOf(read)}`,
      [position.workspaceKey, position.seq, position.tag].map((n) => String(n).padStart(16, '0')).join(' '),
    );

  /** Undefined for a text that is none of ours, and for a position that is not known any more. */
  const readId = (text: string): StreamPosition | undefined => {
    const plain = text.length < 1_000 ? keys.unsealPosition(`events ${epochOf(read)}`, text) : undefined;
    const [workspaceKey = 0, seq = 0, tag = 0] = (plain ?? '').split(' ').map(Number);
    return plain !== undefined && findChange(read, workspaceKey, seq)?.tag === tag
      ? { workspaceKey, seq, tag }
      : undefined;
  };

  const end = (stream: Stream) => {
    if (!streams.delete(stream)) return;
    clearTimeout(stream.expiry);
    try {
      stream.controller.close();
    } catch {
      // The client has left already.
    }
  };

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

  /** Does this for each of them that is still there, in the order asked for, many of them in the turns to come. */
  const forEach = (some: readonly Stream[], act: (stream: Stream) => void) => {
    const isUnderWay = waiting.length > 0;
    for (const stream of some) waiting.push({ stream, act });
    if (!isUnderWay) goOn();
  };

  const goOn = () => {
    const count = Math.max(LEAST_PER_TURN, Math.ceil(waiting.length / TURNS_TO_TELL));
    const turn = waiting.splice(0, count);
    if (waiting.length > 0) setImmediate(goOn);
    for (const { stream, act } of turn) {
      try {
        if (streams.has(stream)) act(stream);
      } catch (err) {
        log.error({ err }, 'a stream of events ended: its changes could not be sent');
        end(stream);
      }
    }
  };

  /** At the heartbeat at the latest; what a row decides is looked up there alone. */
  const endWhenExpired = (stream: Stream) => {
    const waitMs = Math.max(stream.who.expiresAt - clock.now(), 0);
    if (waitMs <= MAX_TIMER_MS) stream.expiry = setTimeout(() => end(stream), waitMs).unref();
  };

  const send = (stream: Stream, bytes: Uint8Array) => {
    if (!streams.has(stream)) return;
    stream.controller.enqueue(bytes);
    if ((stream.controller.desiredSize ?? 0) < 0) end(stream);
  };

  const behind = ({ controller }: Stream): number => MAX_BYTES_BEHIND - (controller.desiredSize ?? 0);

  const cutFurthestBehind = () => {
    let sum = 0;
    for (const stream of streams) sum += behind(stream);
    if (sum <= MAX_BYTES_BEHIND_IN_ALL) return;
    for (const stream of [...streams].sort((a, b) => behind(b) - behind(a))) {
      sum -= behind(stream);
      end(stream);
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

  /** Looks which workspaces are the stream's by now, and says when they are others. */
  const refreshWorkspaces = (stream: Stream) => {
    const now = workspacesFor(stream.who);
    if (now.size === stream.workspaceIds.size && stream.workspaceIds.isSubsetOf(now)) return;
    stream.workspaceIds = now;
    send(stream, frame('me', stream.id, { workspaces: true }));
  };

  const refreshUnread = (stream: Stream) => {
    const unread = countUnread(read, stream.who.userId, stream.who.cap?.workspaceIds);
    if (unread === stream.unread) return;
    stream.unread = unread;
    send(stream, frame('me', stream.id, { unread }));
  };

  const publish = (rows: readonly ChangeRow[]) => {
    publishedSeq = rows.at(-1)?.seq ?? publishedSeq;
    if (streams.size === 0) return;
    for (const run of runsOf(rows)) publishRun(run);
  };

  /** Rows of one workspace by one author; serialized once for all who hear of them. */
  const publishRun = (run: readonly [ChangeRow, ...ChangeRow[]]) => {
    const [first] = run;
    const workspaceId = workspaceIdOf(read, first.workspace_code);
    if (workspaceId === undefined) return;
    if (run.some(({ kind }) => kind === 'member' || kind === 'workspace')) {
      const people = new Set(run.filter(({ kind }) => kind === 'member').map(({ thing_id }) => thing_id));
      forEach(
        [...streams].filter(({ who }) => people.has(who.userId)),
        refreshWorkspaces,
      );
    }
    const listening = [...streams].filter((stream) => stream.workspaceIds.has(workspaceId));
    if (listening.length === 0) return;
    const text = eventText(read, run, workspaceId);
    const id = idText({ workspaceKey: first.workspace_code, seq: text.at.seq, tag: text.at.tag });
    const own = new Map<boolean, Uint8Array>();
    forEach(listening, (stream) => {
      if (!isLive(stream)) return end(stream);
      if (!isMember(stream, workspaceId)) return refreshWorkspaces(stream);
      const isOwn = stream.who.userId === text.data.actorId;
      const bytes =
        own.get(isOwn) ?? frame('change', id, { ...text.data, clientId: isOwn ? first.client_id : null });
      own.set(isOwn, bytes);
      stream.id = id;
      send(stream, bytes);
    });
  };

  /** What of a run goes out: its items, or none where they are too many or too long. */
  const eventText = (db: Db, run: readonly [ChangeRow, ...ChangeRow[]], workspaceId: string) => {
    const [first] = run;
    const at = run.at(-1) ?? first;
    const cursors = cursorsOf(keys, epochOf(db), workspaceId);
    const before = newestUntil(db, first.workspace_code, first.seq - 1) ?? first;
    const owner = { workspaceId, workspaceKey: first.workspace_code };
    const isBrief = run.length <= MAX_ITEMS && run.every(({ op }) => op !== 'refetch');
    const items = (isBrief && itemsOf(db, owner, run, MAX_ITEM_CHARACTERS)) || [];
    return {
      at,
      data: {
        workspaceId,
        from: cursors.textOf({ at: { seq: before.seq, tag: before.tag } }),
        cursor: cursors.textOf({ at: { seq: at.seq, tag: at.tag } }),
        items,
        actorId: first.actor_code === null ? null : userIdOf(db, first.actor_code),
      },
    };
  };

  const tellPeople = (personal: readonly PersonalChange[]) => {
    if (streams.size === 0 || personal.length === 0) return;
    const told = Map.groupBy(personal, ({ userId }) => userId);
    const aboutOf = ({ who }: Stream) => new Set(told.get(who.userId)?.map(({ about }) => about));
    for (const stream of [...streams]) if (aboutOf(stream).has('sessions') && !isLive(stream)) end(stream);
    const concerned = [...streams].filter(({ who }) => told.has(who.userId));
    forEach(concerned, (stream) => {
      const about = aboutOf(stream);
      if (about.has('workspaces')) refreshWorkspaces(stream);
      if (about.has('unread')) refreshUnread(stream);
      if (about.has('profile')) send(stream, frame('me', stream.id, { profile: true }));
    });
  };

  const greet = (stream: Stream, position: StreamPosition | undefined) => {
    const cursors = Object.fromEntries(
      [...stream.workspaceIds].flatMap((workspaceId) => {
        const code = codeOfWorkspace(read, workspaceId);
        if (code === undefined) return [];
        const at = (position && newestUntil(read, code, position.seq)) ??
          newestChange(read, code) ?? { seq: 0, tag: 0 };
        const { seq, tag } = at;
        return [[workspaceId, cursorsOf(keys, epochOf(read), workspaceId).textOf({ at: { seq, tag } })]];
      }),
    );
    const { userId } = stream.who;
    const hello = { userId, workspaces: cursors, unread: stream.unread, build, epoch: epochOf(read) };
    send(stream, encoder.encode(`retry: ${RETRY_MS}\n`));
    send(stream, frame('hello', stream.id, hello));
  };

  /** Sends what followed the position, workspace by workspace; only with the last of it does the id move on. */
  const catchUp = (stream: Stream, from: StreamPosition) => {
    const missed = [...stream.workspaceIds].flatMap((workspaceId) => {
      const code = codeOfWorkspace(read, workspaceId);
      const before = code === undefined ? undefined : newestUntil(read, code, from.seq);
      if (code === undefined || !before) return [];
      const rows = changesAfter(read, code, from.seq, MAX_RESUMED_ROWS + 1);
      const newest = newestChange(read, code);
      return rows.length > 0 && newest ? [{ workspaceId, rows, before, newest }] : [];
    });
    const events = missed.flatMap(({ workspaceId, rows, before, newest }) =>
      rows.length > MAX_RESUMED_ROWS
        ? [tooMuch(workspaceId, before, newest)]
        : runsOf(rows).map((run) => {
            const { data } = eventText(read, run, workspaceId);
            return { ...data, clientId: data.actorId === stream.who.userId ? run[0].client_id : null };
          }),
    );
    const last = missed.map(({ newest }) => newest).toSorted((a, b) => b.seq - a.seq)[0];
    events.forEach((data, i) => {
      if (last && i === events.length - 1)
        stream.id = idText({ workspaceKey: last.workspace_code, seq: last.seq, tag: last.tag });
      send(stream, frame('change', stream.id, data));
    });
  };

  const tooMuch = (workspaceId: string, before: Position, newest: Position) => {
    const cursors = cursorsOf(keys, epochOf(read), workspaceId);
    const textOf = ({ seq, tag }: Position) => cursors.textOf({ at: { seq, tag } });
    return {
      workspaceId,
      from: textOf(before),
      cursor: textOf(newest),
      items: [],
      actorId: null,
      clientId: null,
    };
  };

  const presentId = (workspaceIds: Iterable<string>): string => {
    let newest: ChangeRow | undefined;
    for (const workspaceId of workspaceIds) {
      const code = codeOfWorkspace(read, workspaceId);
      const row = code === undefined ? undefined : newestChange(read, code);
      if (row && row.seq > (newest?.seq ?? 0)) newest = row;
    }
    return newest ? idText({ workspaceKey: newest.workspace_code, seq: newest.seq, tag: newest.tag }) : '';
  };

  const makeRoom = ({ userId, sessionId, cap }: Actor, clientId: string | null) => {
    const own = [...streams].filter(({ who }) => who.userId === userId);
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

  world.stopping.addEventListener('abort', () => {
    for (const stream of [...streams]) end(stream);
  });
  world.onChanges((rows, personal) => {
    if (rows.length > 0) publish(rows);
    tellPeople(personal);
  });

  return {
    open: (who, { cursor, clientId }) => {
      if (world.stopping.aborted) throw unavailable('The server is stopping');
      makeRoom(who, clientId);
      if (streams.size === 0) publishedSeq = lastSeqOf(read);
      let stream: Stream | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            const workspaceIds = workspacesFor(who);
            const from = cursor === undefined ? undefined : readId(cursor);
            const opened: Stream = {
              who,
              clientId,
              controller,
              workspaceIds,
              unread: countUnread(read, who.userId, who.cap?.workspaceIds),
              id: from && cursor !== undefined ? cursor : presentId(workspaceIds),
              expiry: undefined,
            };
            stream = opened;
            endWhenExpired(opened);
            streams.add(opened);
            greet(opened, from);
            if (cursor !== undefined && !from) send(opened, frame('reset', opened.id, {}));
            if (from) catchUp(opened, from);
          },
          cancel: () => {
            if (stream) end(stream);
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: MAX_BYTES_BEHIND }),
      );
    },
    poll: () => {
      if (streams.size === 0) return;
      cutFurthestBehind();
      if (lastSeqOf(read) <= publishedSeq) return;
      const codes = new Set(
        [...streams].flatMap(({ workspaceIds }) =>
          [...workspaceIds].map((workspaceId) => codeOfWorkspace(read, workspaceId) ?? 0),
        ),
      );
      const rows = [...codes].flatMap((code) => changesAfter(read, code, publishedSeq, MAX_RESUMED_ROWS));
      publish(rows.sort((a, b) => a.seq - b.seq));
      forEach([...streams], refreshWorkspaces);
      publishedSeq = Math.max(publishedSeq, lastSeqOf(read));
    },
    heartbeat: () => {
      forEach([...streams], (stream) => {
        if (!isLive(stream)) return end(stream);
        refreshWorkspaces(stream);
        refreshUnread(stream);
        send(stream, COMMENT);
      });
    },
    close: () => {
      for (const stream of [...streams]) end(stream);
    },
    get size() {
      return streams.size;
    },
  };
}

/** Rows that follow each other and are of one workspace, author and client. */
function runsOf(rows: readonly ChangeRow[]): [ChangeRow, ...ChangeRow[]][] {
  const runs: [ChangeRow, ...ChangeRow[]][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    const isSame =
      run &&
      run[0].workspace_code === row.workspace_code &&
      run[0].actor_code === row.actor_code &&
      run[0].client_id === row.client_id;
    if (isSame) run.push(row);
    else runs.push([row]);
  }
  return runs;
}
