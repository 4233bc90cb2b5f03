import type { Issue } from './api.ts';
import type { Base } from './feed.ts';
import type { Kind, Row, ThingKey } from './rows.ts';

type Op =
  | 'create'
  | 'update'
  | 'move'
  | 'delete'
  | 'restore'
  | 'addItem'
  | 'updateItem'
  | 'removeItem'
  | 'skip'
  | 'stepBack'
  | 'pause'
  | 'resume'
  | 'editMode';

/** What a person does to one thing, before it stands in the outbox. */
export interface Intent {
  workspaceId: string;
  kind: Kind;
  thing: string;
  op: Op;
  fields: Row;
  /** Other things that show it at once: the instances that an edit of a series changes. */
  touches?: ThingKey[];
  /** Of a restored thing: what it was, so that it shows at once. */
  before?: Row;
  /** Of a long text: what the edit started from. */
  text?: { field: string; from: string | null };
  /** Milliseconds that it waits unsent, so that it can be taken back. */
  delay?: number;
}

/** Why a change was set aside. */
export interface Aside {
  at: number;
  status: number;
  error: string;
  message: string;
  issues: Issue[];
  /** The change that failed; those that depend on it carry the same. */
  root: string;
  /** Of two versions of a text: the server's. */
  theirs?: { text: string | null };
}

/** An entry of the outbox. */
export interface Change extends Intent {
  /** The order of sending. */
  seq: number;
  id: string;
  /** What the person did as one act, and its name. */
  act: string;
  actName: string;
  /** Of several acts in one entry: the name of each, by the part of the fields that it set last. */
  names?: Record<string, string>;
  at: number;
  /** Of a status: its type, for when the status is gone meanwhile. */
  statusType?: string;
  /** It takes an act back. */
  undoes?: true | undefined;
  /** How often it was sent; above 0 it takes no more in. */
  sent: number;
  /** Responses of 500 so far. */
  tries: number;
  notBefore: number;
  /** Sent by itself, or in batches of at most so many. */
  maxBatch: number;
  aside: Aside | null;
}

/** Whether a change of the upcoming instance of a series may take that on. */
export const mayAdvance = ({ op, fields }: Intent): boolean => op === 'delete' || 'statusId' in fields;

const REFERENCES = ['listId', 'spaceId', 'taskId', 'statusTemplateId'];
const REFERENCE_LISTS = ['labelIds', 'addLabelIds'];

/** The things that a change needs to be there: what it changes, and what it names. */
function needsOf(change: Intent): string[] {
  const needs = change.op === 'create' ? [] : [change.thing];
  for (const name of REFERENCES) if (typeof change.fields[name] === 'string') needs.push(change.fields[name]);
  return [...needs, ...REFERENCE_LISTS.flatMap((name) => idsIn(change.fields[name]))];
}

/** The changes that cannot succeed when `failed` does not: all that need what it was to create, and so on. */
export function dependentsOf(failed: Change, outbox: readonly Change[]): Change[] {
  const missing = new Set(failed.op === 'create' || failed.op === 'restore' ? [failed.thing] : []);
  return outbox.filter((change) => {
    if (change.seq <= failed.seq || change.aside) return false;
    if (!needsOf(change).some((id) => missing.has(id))) return false;
    if (change.op === 'create') missing.add(change.thing);
    return true;
  });
}

const idsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** The later fields over the earlier ones; added and removed labels cancel out. */
function mergeFields(earlier: Row, later: Row): Row {
  const merged = { ...earlier, ...later };
  for (const [one, other] of [
    ['dueDate', 'dueDay'],
    ['startDate', 'startDay'],
  ] as const) {
    if (one in later && !(other in later)) delete merged[other];
    if (other in later && !(one in later)) delete merged[one];
  }
  const added = new Set(idsIn(earlier.addLabelIds));
  const removed = new Set(idsIn(earlier.removeLabelIds));
  const labels = Array.isArray(earlier.labelIds) ? new Set(idsIn(earlier.labelIds)) : null;
  for (const id of idsIn(later.addLabelIds)) {
    removed.delete(id);
    (labels ?? added).add(id);
  }
  for (const id of idsIn(later.removeLabelIds)) {
    if (labels) labels.delete(id);
    else if (!added.delete(id)) removed.add(id);
  }
  delete merged.addLabelIds;
  delete merged.removeLabelIds;
  if (labels) merged.labelIds = [...labels];
  if (!labels && added.size > 0) merged.addLabelIds = [...added];
  if (!labels && removed.size > 0) merged.removeLabelIds = [...removed];
  return merged;
}

const nameOf = ({ actName, undoes }: Change): string => (undoes ? `Taken back: ${actName}` : actName);

/** The fields of a change by name, each label by itself. */
const partsOf = ({ fields }: Intent): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (/labelIds$/i.test(name) ? idsIn(value) : name));

const namesOf = (change: Change): Record<string, string> => ({
  ...Object.fromEntries(partsOf(change).map((part) => [part, nameOf(change)])),
  ...change.names,
});

/** The names of the acts that a change consists of. */
export function actNamesOf(change: Change): string[] {
  const names = namesOf(change);
  const parts = partsOf(change);
  return parts.length > 0 ? parts.map((part) => names[part] ?? '') : [nameOf(change)];
}

export const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Drops what an unsent update would not change. */
function withoutUnchanged(fields: Row, base: Row | undefined): Row {
  if (!base) return fields;
  const kept = Object.entries(fields).filter(
    ([name, value]) => !(name in base) || !isEqual(base[name], value),
  );
  return Object.fromEntries(kept);
}

export interface OutboxWrites {
  put: Change[];
  remove: number[];
}

/**
 * Adds a change to the outbox. Unsent changes of one thing become one where that says the same, so that a thing
 * stands once in a batch.
 */
function addToOutbox(change: Change, open: OpenEntries, base: Row | undefined): OutboxWrites {
  const about = open.about(change.thing);
  const own = about.filter(({ kind, thing }) => kind === change.kind && thing === change.thing);
  const last = own.at(-1);
  if (change.op === 'delete') return addDeletion(change, own, open);
  if (change.op === 'restore' && last?.op === 'delete' && last.sent === 0)
    return { put: [], remove: [last.seq] };
  const isField = change.op === 'update' || change.op === 'move';
  const takes = last?.op === 'create' || last?.op === change.op;
  if (!last || last.sent > 0 || !isField || !takes || needsLater(change, last, open))
    return { put: [change], remove: [] };
  const fields = mergeFields(last.fields, change.fields);
  const isAlone = !about.some((other) => other !== last && touches(other, change));
  const merged: Change = {
    ...last,
    fields: last.op === 'update' && isAlone ? withoutUnchanged(fields, base) : fields,
    act: change.act,
    actName: change.actName,
    names: { ...namesOf(last), ...namesOf(change) },
    // What was done does not go with what takes something else back.
    undoes: last.undoes && change.undoes,
    ...(change.statusType && { statusType: change.statusType }),
    ...((last.text ?? change.text) && last.op !== 'create' && { text: last.text ?? change.text }),
  };
  if (last.op === 'update' && Object.keys(merged.fields).length === 0) return { put: [], remove: [last.seq] };
  return { put: [merged], remove: [] };
}

/** Adds changes one after the other, each behind the last entry. */
export function addAllToOutbox(
  changes: readonly Change[],
  present: readonly Change[],
  base: Pick<Base, 'get'>,
  now: number,
): OutboxWrites {
  const open = new OpenEntries(present);
  const written = new Map<number, Change>();
  const removed: number[] = [];
  let seq = present.at(-1)?.seq ?? 0;
  for (const change of changes) {
    seq = Math.max(seq + 1, now);
    const { put, remove } = addToOutbox({ ...change, seq }, open, base.get(change.kind, change.thing));
    for (const gone of remove) {
      open.remove(gone);
      written.delete(gone);
      removed.push(gone);
    }
    for (const entry of put) {
      open.put(entry);
      written.delete(entry.seq);
      written.set(entry.seq, entry);
    }
  }
  return { put: [...written.values()], remove: removed };
}

/** The entries that are not set aside, found by the things they are about: an act may be of thousands. */
class OpenEntries {
  readonly #bySeq = new Map<number, Change>();
  readonly #byThing = new Map<string, Set<number>>();

  constructor(outbox: readonly Change[]) {
    for (const change of outbox) if (!change.aside) this.put(change);
  }

  /** In the order of sending. */
  all(): Change[] {
    return [...this.#bySeq.values()];
  }

  /** Those that change a thing of this id, or touch it. */
  about(id: string): Change[] {
    return [...(this.#byThing.get(id) ?? [])].flatMap((seq) => this.#bySeq.get(seq) ?? []);
  }

  /** Adds an entry behind the others, or in place of its earlier version. */
  put(change: Change): void {
    this.#bySeq.set(change.seq, change);
    for (const id of [
      change.thing,
      ...(change.touches ?? []).map((key) => key.slice(key.indexOf(':') + 1)),
    ]) {
      const known = this.#byThing.get(id);
      if (known) known.add(change.seq);
      else this.#byThing.set(id, new Set([change.seq]));
    }
  }

  remove(seq: number): void {
    this.#bySeq.delete(seq);
  }
}

const touches = (other: Change, { kind, thing }: Intent): boolean =>
  (other.kind === kind && other.thing === thing) || !!other.touches?.includes(`${kind}:${thing}`);

/** Whether a change names a thing that is created behind the entry it would go into. */
function needsLater(change: Change, entry: Change, open: OpenEntries): boolean {
  const isMadeLater = (id: string): boolean =>
    open.about(id).some(({ op, thing, seq }) => op === 'create' && thing === id && seq > entry.seq);
  return needsOf(change).some(isMadeLater);
}

/** The unsent changes of a thing that its deletion takes the place of; of one that never was, all that need it too. */
export function replacedByDeletion(own: readonly Change[], all: () => readonly Change[]): Change[] {
  // An unsent restore must stay: what it brings back is deleted again.
  const unsent = own.filter(({ sent, op }) => sent === 0 && op !== 'restore');
  const creation = unsent.find(({ op }) => op === 'create');
  return creation ? [creation, ...dependentsOf(creation, all())] : unsent;
}

/** A deletion takes the place of what was not sent yet; of a thing that never was, nothing is left. */
function addDeletion(change: Change, own: readonly Change[], open: OpenEntries): OutboxWrites {
  const gone = replacedByDeletion(own, () => open.all());
  const remove = gone.map(({ seq }) => seq);
  if (gone[0]?.op !== 'create') return { put: [change], remove };
  const made = new Set(gone.flatMap(({ op, thing }) => (op === 'create' ? [thing] : [])));
  if (gone.some(({ sent, thing }) => sent > 0 || !made.has(thing))) return { put: [change], remove: [] };
  return { put: [], remove };
}

/** The long text of a change, where it has one. */
export const textOf = (
  change: Change,
): { field: string; from: string | null; mine: string | null } | null => {
  const { text } = change;
  if (!text || !(text.field in change.fields)) return null;
  return { ...text, mine: (change.fields[text.field] ?? null) as string | null };
};

/** Sets a change aside for a reason; it is sent no more and shows no more. */
export function setAside(change: Change, why: Omit<Aside, 'at' | 'root'>, root: string, now: number): Change {
  const { status, error, message, issues, theirs } = why;
  return { ...change, aside: { at: now, status, error, message, issues, root, ...(theirs && { theirs }) } };
}

/** Whether nothing is lost with a rejected change: it takes an act back, and makes again nothing that was never sent. */
export const isDroppable = ({ undoes, op }: Change): boolean => undoes === true && op !== 'create';

/** Edits some entries of the outbox; those that `edit` returns null for go. */
export function editsOf(
  outbox: readonly Change[],
  chosen: readonly Pick<Change, 'id'>[],
  edit: (change: Change) => Change | null,
): OutboxWrites {
  const ids = new Set(chosen.map(({ id }) => id));
  const writes: OutboxWrites = { put: [], remove: [] };
  for (const change of outbox.filter(({ id }) => ids.has(id))) {
    const edited = edit(change);
    if (edited) writes.put.push(edited);
    else writes.remove.push(change.seq);
  }
  return writes;
}
