import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import type { ChangeKind } from '../kernel/change-kinds.ts';
import { changesAfter } from '../storage/changes.ts';
import { keyOf, type Owner, readSection, type Scope, SECTIONS } from '../storage/contents.ts';
import { epochOf } from '../storage/meta.ts';
import type { ChangeRow } from '../storage/tables.ts';
import type { Member } from '../workspaces/authorization.ts';
import {
  type Cursor,
  cursorsOf,
  isKnown,
  type Load,
  type Position,
  positionsOf,
  presentPosition,
} from './cursor.ts';
import type { ChangeItem, ChangesPage, ChangesQuery } from './schema.ts';
import { putOf, putsOf } from './values.ts';

/** A page ends beyond so many characters of JSON. */
const PAGE_CHARACTERS = 1024 * 1024;

/**
 * The next page of what changed in the workspace since `cursor`; of everything without one, and where it is of no use
 * any more, which `reset` tells. Following the cursors always ends at what a fresh client would get.
 */
export function readChanges(deps: Deps, who: Member, { cursor, limit }: ChangesQuery): ChangesPage {
  const { read } = deps;
  const epoch = epochOf(read);
  const cursors = cursorsOf(deps.keys, epoch, who.workspaceId);
  const given = cursor === undefined ? undefined : cursors.read(cursor);
  const isUsable =
    given !== undefined && positionsOf(given).every((position) => isKnown(read, who.workspaceKey, position));
  const from: Cursor = isUsable
    ? given
    : { load: loadOf({ kind: 'workspace', id: who.workspaceId }, presentPosition(read, who.workspaceKey)) };
  const page = 'at' in from ? follow(read, who, from.at, limit) : load(read, who, from.load, limit);
  // Taken last: another process may write meanwhile.
  const seen = presentPosition(read, who.workspaceKey);
  const { next } = page;
  return {
    items: page.items,
    cursor: cursors.textOf('load' in next ? { load: { ...next.load, seen } } : { ...next, seen }),
    hasMore: 'load' in next || next.at.seq < seen.seq,
    reset: cursor !== undefined && !isUsable,
    epoch,
    ...(page.resume && { resume: cursors.textOf({ at: page.resume, seen }) }),
  };
}

interface Piece {
  items: ChangeItem[];
  next: Cursor;
  /** While a scope is sent as a whole. */
  resume?: Position;
}

const loadOf = (scope: Scope, resume: Position): Load => ({ scope, resume, section: 0 });

/** Reads the rows after a position, up to one that has a scope fetched again: that is a page of its own. */
function follow(db: Db, owner: Owner, from: Position, limit: number): Piece {
  const rows = changesAfter(db, owner.workspaceKey, from.seq, limit);
  const [first] = rows;
  if (first?.op === 'refetch' && isScope(first.kind)) {
    const scope = { kind: first.kind, id: first.thing_id };
    const piece = load(db, owner, loadOf(scope, { seq: first.seq, tag: first.tag }), limit - 1);
    return { ...piece, items: [{ kind: first.kind, op: 'refetch', id: first.thing_id }, ...piece.items] };
  }
  const end = rows.findIndex(({ op, kind }) => op === 'refetch' && isScope(kind));
  return withinSize(db, owner, end === -1 ? rows : rows.slice(0, end), from);
}

const isScope = (kind: ChangeKind): kind is Scope['kind'] =>
  kind !== 'statusTemplate' && kind !== 'label' && kind !== 'comment';

/** As many of the rows as a page takes; their things are read at once, and again where half of them is too much. */
function withinSize(db: Db, owner: Owner, rows: readonly ChangeRow[], from: Position): Piece {
  const items = itemsOf(db, owner, rows);
  const characters = items.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
  if (characters > PAGE_CHARACTERS && rows.length > 1) {
    return withinSize(db, owner, rows.slice(0, Math.ceil(rows.length / 2)), from);
  }
  const last = rows.at(-1);
  return { items, next: { at: last ? { seq: last.seq, tag: last.tag } : from } };
}

/** Each thing once, where it changed last, as it is now: what is gone by now is deleted. */
export function itemsOf(db: Db, owner: Owner, rows: readonly ChangeRow[]): ChangeItem[] {
  const latest = new Map<string, ChangeRow>();
  for (const row of rows) {
    const key = `${row.kind} ${row.thing_id}`;
    latest.delete(key);
    latest.set(key, row);
  }
  const puts = Map.groupBy(
    [...latest.values()].filter(({ op }) => op === 'put'),
    ({ kind }) => kind,
  );
  const values = new Map<string, ChangeItem>(
    [...puts].flatMap(([kind, changed]) =>
      putsOf(
        db,
        owner,
        kind,
        changed.map(({ thing_id }) => thing_id),
      ).map((item) => [`${item.kind} ${item.id}`, item] as const),
    ),
  );
  return [...latest.values()].map(
    (row) => values.get(`${row.kind} ${row.thing_id}`) ?? { kind: row.kind, op: 'delete', id: row.thing_id },
  );
}

/** Reads on in a scope, section after section, until the page is full or everything was sent. */
function load(db: Db, owner: Owner, from: Load, limit: number): Piece {
  const items: ChangeItem[] = [];
  let at = from;
  let characters = 0;
  while (items.length < limit && characters <= PAGE_CHARACTERS) {
    const section = SECTIONS[at.section];
    if (!section) return { items, next: { at: from.resume }, resume: from.resume };
    const wanted = limit - items.length;
    const rows = readSection(db, section, at.scope, owner, at.after, wanted);
    let taken = 0;
    for (const row of rows) {
      const item = putOf(db, section.kind, row as never);
      items.push(item);
      taken += 1;
      characters += JSON.stringify(item).length;
      at = { ...at, after: keyOf(section, row) };
      if (characters > PAGE_CHARACTERS) break;
    }
    if (taken === rows.length && rows.length < wanted) {
      at = { scope: at.scope, resume: at.resume, section: at.section + 1 };
    }
  }
  return { items, next: { load: at }, resume: from.resume };
}
