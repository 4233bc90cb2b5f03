import type { Db } from '../db/connection.ts';
import type { Keys } from '../kernel/keys.ts';
import {
  changesAfter,
  findChange,
  newestChange,
  newestUntil,
  userIdOf,
  workspaceKeyOf,
} from '../storage/changes.ts';
import { epochOf } from '../storage/meta.ts';
import type { ChangeRow } from '../storage/tables.ts';
import { itemsOf } from './changes.ts';
import { cursorsOf, type Position } from './cursor.ts';

/** An event with more things, or longer, tells only that something changed. */
const MAX_ITEMS = 20;
const MAX_ITEM_CHARACTERS = 64 * 1024;
/** So many rows, and characters, are told one by one in a turn; of what follows, only that it is there. */
const MAX_ROWS_IN_TURN = 100;
const MAX_CHARACTERS_IN_TURN = 256 * 1024;

/** Rows of one workspace, author and client that follow each other: one event. */
export type Run = readonly [ChangeRow, ...ChangeRow[]];

/** A row of the journal of any workspace: where a stream stands. */
export interface StreamPosition extends Position {
  workspaceKey: number;
}

/** A `change` event, serialized once for everyone who is told of it. */
interface ChangeEvent {
  at: Position;
  actorId: string | null;
  clientId: string | null;
  /** Its data as JSON, up to the client id. */
  json: string;
}

/** An event as bytes. */
export const frame = (event: string, id: string, json: string): Buffer =>
  Buffer.from(`event: ${event}\nid: ${id}\ndata: ${json}\n\n`);

/** A `change` event as the streams of one user get it: their own with its client id. */
export const frameOfChange = (id: string, event: ChangeEvent, isOwn: boolean): Buffer =>
  frame('change', id, `${event.json},"clientId":${JSON.stringify(isOwn ? event.clientId : null)}}`);

/** Reads from the journal what the streams tell. */
export function createStreamEvents({ read, keys }: { read: Db; keys: Keys }) {
  const contextOfIds = () => `events ${epochOf(read)}`;

  /** With the key of each; those that are gone are left out. */
  const keyed = (workspaceIds: Iterable<string>): [id: string, key: number][] =>
    [...workspaceIds].flatMap((id) => {
      const key = workspaceKeyOf(read, id);
      return key === undefined ? [] : [[id, key]];
    });

  const cursorText = (workspaceId: string, { seq, tag }: Position): string =>
    cursorsOf(keys, epochOf(read), workspaceId).textOf({ at: { seq, tag } });

  const eventOf = (
    workspaceId: string,
    clientId: string | null,
    {
      before,
      at,
      items,
      actorId,
    }: { before: Position; at: Position; items: object[]; actorId: string | null },
  ): ChangeEvent => {
    const [from, cursor] = [cursorText(workspaceId, before), cursorText(workspaceId, at)];
    const json = JSON.stringify({ workspaceId, from, cursor, items, actorId }).slice(0, -1);
    return { at, actorId, clientId, json };
  };

  /** What of a run goes out: its items, or none where they are too many or too long. */
  const changeOf = (run: Run, workspaceId: string): ChangeEvent => {
    const [first] = run;
    const before = newestUntil(read, first.workspace_code, first.seq - 1) ?? first;
    const owner = { workspaceId, workspaceKey: first.workspace_code };
    const isBrief = run.length <= MAX_ITEMS && run.every(({ op }) => op !== 'refetch');
    const items = (isBrief && itemsOf(read, owner, run, MAX_ITEM_CHARACTERS)) || [];
    const actorId = first.actor_code === null ? null : userIdOf(read, first.actor_code);
    return eventOf(workspaceId, first.client_id, { before, at: run.at(-1) ?? first, items, actorId });
  };

  const idOf = ({ workspaceKey, seq, tag }: StreamPosition): string =>
    keys.sealPosition(
      contextOfIds(),
      [workspaceKey, seq, tag].map((n) => String(n).padStart(16, '0')).join(' '),
    );

  return {
    changeOf,
    idOf,
    epoch: () => epochOf(read),
    /** Undefined for a text that is none of ours, and for a position in another workspace or not known any more. */
    positionOf: (id: string, workspaceIds: Iterable<string>): StreamPosition | undefined => {
      const plain = id.length < 1_000 ? keys.unsealPosition(contextOfIds(), id) : undefined;
      const [workspaceKey = 0, seq = 0, tag = 0] = (plain ?? '').split(' ').map(Number);
      const isTheirs = plain !== undefined && keyed(workspaceIds).some(([, key]) => key === workspaceKey);
      return isTheirs && findChange(read, workspaceKey, seq)?.tag === tag
        ? { workspaceKey, seq, tag }
        : undefined;
    },
    /** The id of the newest row in any of the workspaces; empty where there is none. */
    presentId: (workspaceIds: Iterable<string>): string => {
      let newest: ChangeRow | undefined;
      for (const [, workspaceKey] of keyed(workspaceIds)) {
        const row = newestChange(read, workspaceKey);
        if (row && row.seq > (newest?.seq ?? 0)) newest = row;
      }
      return newest ? idOf({ workspaceKey: newest.workspace_code, seq: newest.seq, tag: newest.tag }) : '';
    },
    /** The rows of a workspace after `seq`; in place of very many, two that tell only that they are there. */
    rowsAfter: (workspaceId: string, seq: number): readonly ChangeRow[] => {
      const workspaceKey = workspaceKeyOf(read, workspaceId);
      if (workspaceKey === undefined) return [];
      const rows = changesAfter(read, workspaceKey, seq, MAX_ROWS_IN_TURN + 1);
      const newest = rows.length > MAX_ROWS_IN_TURN && newestChange(read, workspaceKey);
      if (!newest || !rows[0]) return rows;
      return [rows[0], newest].map((row) => ({ ...row, op: 'refetch', actor_code: null, client_id: null }));
    },
    /** The cursor of each workspace, as of `position`, else as of now. */
    cursorsAt: (
      workspaceIds: Iterable<string>,
      position: StreamPosition | undefined,
    ): Record<string, string> =>
      Object.fromEntries(
        keyed(workspaceIds).map(([workspaceId, workspaceKey]) => {
          const at = (position && newestUntil(read, workspaceKey, position.seq)) ??
            newestChange(read, workspaceKey) ?? { seq: 0, tag: 0 };
          return [workspaceId, cursorText(workspaceId, at)];
        }),
      ),
    /** What followed a position, workspace by workspace; with the last of it a stream stands at `id`. */
    missedSince: (
      from: StreamPosition,
      workspaceIds: Iterable<string>,
    ): { events: ChangeEvent[]; id: string | undefined } => {
      const events: ChangeEvent[] = [];
      let last: ChangeRow | undefined;
      const left = { rows: MAX_ROWS_IN_TURN, characters: MAX_CHARACTERS_IN_TURN };
      for (const [workspaceId, workspaceKey] of keyed(workspaceIds)) {
        const newest = newestChange(read, workspaceKey);
        if (!newest || newest.seq <= from.seq) continue;
        let at: Position | undefined = newestUntil(read, workspaceKey, from.seq);
        if (!at) continue;
        for (const run of runsOf(changesAfter(read, workspaceKey, from.seq, left.rows))) {
          if (left.characters <= 0) break;
          const event = changeOf(run, workspaceId);
          events.push(event);
          left.rows -= run.length;
          left.characters -= event.json.length;
          at = event.at;
        }
        if (at.seq < newest.seq) {
          events.push(eventOf(workspaceId, null, { before: at, at: newest, items: [], actorId: null }));
        }
        if (newest.seq > (last?.seq ?? 0)) last = newest;
      }
      return { events, id: last && idOf({ ...last, workspaceKey: last.workspace_code }) };
    },
  };
}

/** Rows that follow each other and are of one workspace, author and client. */
export function runsOf(rows: readonly ChangeRow[]): Run[] {
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
