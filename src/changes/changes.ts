import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import type { ChangeKind } from '../kernel/change-kinds.ts';
import { changesAfter } from '../storage/changes.ts';
import { type Owner, type Scope, SECTIONS } from '../storage/contents.ts';
import { epochOf } from '../storage/meta.ts';
import { keyOf, readSection } from '../storage/read-sections.ts';
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
/** Read at once: of things with long texts, even without these, more would hold up the event loop. */
const MAX_ROWS = 256;
/** Their values are read at once; then of twice as many, until a page is full. */
const FIRST_ROWS = 16;

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

/** As many of the rows as a page takes, at least one. */
function withinSize(db: Db, owner: Owner, rows: readonly ChangeRow[], from: Position): Piece {
  const values: Values = new Map();
  let [characters, taken, count] = [0, 0, FIRST_ROWS];
  while (taken < rows.length) {
    const next = rows.slice(taken, taken + count);
    const left = taken === 0 && count === 1 ? Number.POSITIVE_INFINITY : PAGE_CHARACTERS - characters;
    const read = readValues(db, owner, next, values, left);
    if (read !== undefined) {
      characters += read;
      taken += next.length;
      if (count > 1) count = Math.min(2 * count, MAX_ROWS);
    } else if (taken === 0) {
      // Long ones: from the beginning, one by one.
      values.clear();
      count = 1;
    } else break;
  }
  const told = rows.slice(0, taken);
  const last = told.at(-1);
  return { items: itemsIn(told, values), next: { at: last ? { seq: last.seq, tag: last.tag } : from } };
}

type Values = Map<string, ChangeItem>;

const keyOfThing = (kind: ChangeKind, id: string) => `${kind} ${id}`;

/**
 * Each thing once, where it changed last, as it is now: what is gone by now is deleted. Undefined where their values
 * have more characters.
 */
export function itemsOf(
  db: Db,
  owner: Owner,
  rows: readonly ChangeRow[],
  maxCharacters: number,
): ChangeItem[] | undefined {
  const values: Values = new Map();
  return readValues(db, owner, rows, values, maxCharacters) === undefined ? undefined : itemsIn(rows, values);
}

/** Adds to `values` the things of rows that are still there; returns their characters, or undefined where there are more. */
function readValues(
  db: Db,
  owner: Owner,
  rows: readonly ChangeRow[],
  values: Values,
  maxCharacters: number,
): number | undefined {
  const wanted = rows.filter(
    ({ op, kind, thing_id }) => op === 'put' && !values.has(keyOfThing(kind, thing_id)),
  );
  let characters = 0;
  for (const [kind, changed] of Map.groupBy(wanted, (row) => row.kind)) {
    const ids = [...new Set(changed.map(({ thing_id }) => thing_id))];
    for (const item of putsOf(db, owner, kind, ids)) {
      characters += JSON.stringify(item).length;
      if (characters > maxCharacters) return undefined;
      values.set(keyOfThing(kind, item.id), item);
    }
  }
  return characters;
}

function itemsIn(rows: readonly ChangeRow[], values: Values): ChangeItem[] {
  const latest = new Map<string, ChangeRow>();
  for (const row of rows) {
    const key = keyOfThing(row.kind, row.thing_id);
    latest.delete(key);
    latest.set(key, row);
  }
  return [...latest].map(([key, { op, kind, thing_id: id }]) => {
    const put = op === 'put' ? values.get(key) : undefined;
    return put ?? { kind, op: 'delete', id };
  });
}

/** Reads on in a scope, section after section, until the page is full or everything was sent. */
function load(db: Db, owner: Owner, from: Load, limit: number): Piece {
  const items: ChangeItem[] = [];
  let at = from;
  let characters = 0;
  while (items.length < limit && characters <= PAGE_CHARACTERS) {
    const section = SECTIONS[at.section];
    if (!section) return { items, next: { at: from.resume }, resume: from.resume };
    const wanted = Math.min(limit - items.length, MAX_ROWS);
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
