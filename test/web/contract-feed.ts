import type { Kind, Row } from '../../src/web/data/rows.ts';
import { type ContractRows, type JournalRow, SECTIONS } from './contract-rows.ts';
import type { Reply } from './simulation.ts';

const MAX_EVENT_ITEMS = 4;

interface Stream {
  userId: string;
  clientId: string;
  send: (event: string, data: unknown) => void;
  end: () => void;
}

interface Cursor {
  seq: number;
  tag: number;
  load?: { scope: { kind: Kind; id: string }; after: (string | number)[] | null };
}

interface FeedItem {
  kind: Kind;
  op: 'put' | 'delete' | 'refetch';
  id: string;
  value?: Row;
}

interface Piece {
  items: FeedItem[];
  next: Cursor;
  resume?: Cursor;
}

/** The change feed and the event streams of a contract server. */
export class ContractFeed {
  readonly #rows: ContractRows;
  readonly #streams = new Set<Stream>();

  constructor(rows: ContractRows) {
    this.#rows = rows;
  }

  /** Where a row stands in a load. */
  #loadKey({ kind, id, value }: { kind: Kind; id: string; value: Row }): (string | number)[] {
    const section = SECTIONS.indexOf(kind);
    if (kind !== 'task') return [section, 0, Number(value.position ?? 0), id];
    if (this.#rows.isOpen(value)) return [section, 0, String(value.dueDate ?? value.dueDay ?? '~'), id];
    return [section, 1, -Date.parse(String(value.updatedAt)), id];
  }

  #inScope(scope: { kind: Kind; id: string }, item: { kind: Kind; id: string; value: Row }): boolean {
    const { kind, id, value } = item;
    if (scope.kind === 'workspace') return true;
    if (scope.kind === 'member') return kind === 'member';
    if (scope.kind === kind) return scope.id === id;
    if (scope.kind === 'space')
      return value.spaceId === scope.id || this.#spaceOfList(value.listId) === scope.id;
    if (scope.kind === 'list') return value.listId === scope.id;
    if (scope.kind === 'recurringTask')
      return (value.recurrence as Row | null | undefined)?.recurringTaskId === scope.id;
    return false;
  }

  #spaceOfList(listId: unknown): unknown {
    return this.#rows.state.things[String(listId)]?.value.spaceId;
  }

  changes(workspaceId: string, query: URLSearchParams): Row {
    const limit = Number(query.get('limit') ?? 100);
    const given = query.get('cursor');
    const cursor = given === null ? null : this.#readCursor(given, workspaceId);
    const at = cursor ?? this.#loadCursor(workspaceId, { kind: 'workspace', id: workspaceId });
    const reset = given !== null && cursor === null;
    const piece = at.load ? this.#load(workspaceId, at, limit) : this.#follow(workspaceId, at, limit);
    const isBehind = this.#rowsAfter(workspaceId, piece.next.seq).length > 0;
    return {
      items: piece.items,
      cursor: this.#text(workspaceId, piece.next),
      hasMore: piece.next.load !== undefined || isBehind,
      reset,
      epoch: `e${this.#rows.state.epoch}`,
      ...(piece.resume && { resume: this.#text(workspaceId, piece.resume) }),
    };
  }

  #rowsAfter(workspaceId: string, seq: number): JournalRow[] {
    return this.#rows.state.journal.filter((row) => row.workspaceId === workspaceId && row.seq > seq);
  }

  newest(workspaceId: string): { seq: number; tag: number } {
    const row = this.#rows.state.journal.findLast((one) => one.workspaceId === workspaceId);
    return { seq: row?.seq ?? 0, tag: row?.tag ?? 0 };
  }

  #text(workspaceId: string, position: Cursor): string {
    return JSON.stringify([this.#rows.state.epoch, workspaceId, position]);
  }

  #readCursor(text: string, workspaceId: string): Cursor | null {
    const [epoch, of, position] = JSON.parse(text) as [number, string, Cursor];
    if (epoch !== this.#rows.state.epoch || of !== workspaceId) return null;
    const row = this.#rows.state.journal.find(({ seq }) => seq === position.seq);
    return row?.tag === position.tag ? position : null;
  }

  #loadCursor(
    workspaceId: string,
    scope: { kind: Kind; id: string },
    from = this.newest(workspaceId),
  ): Cursor {
    return { ...from, load: { scope, after: null } };
  }

  #load(workspaceId: string, at: Cursor, limit: number): Piece {
    const { load, ...resume } = at;
    const scope = load?.scope ?? { kind: 'workspace', id: workspaceId };
    const rest = SECTIONS.flatMap((kind) => this.#rows.section(kind, workspaceId))
      .filter((item) => this.#inScope(scope, item))
      .map((item) => ({ item, key: this.#loadKey(item) }))
      .filter(({ key }) => !load?.after || compareKeys(key, load.after) > 0)
      .sort((a, b) => compareKeys(a.key, b.key));
    const page = rest.slice(0, limit);
    const items = page.map(({ item }) => ({ ...item, op: 'put' as const }));
    const isLast = rest.length <= limit;
    const next = isLast ? resume : { ...resume, load: { scope, after: page.at(-1)?.key ?? null } };
    return { items, next, resume };
  }

  #follow(workspaceId: string, at: Cursor, limit: number): Piece {
    const rows = this.#rowsAfter(workspaceId, at.seq).slice(0, limit);
    const [first] = rows;
    if (first?.op === 'refetch') {
      const { kind, id, seq, tag } = first;
      const piece = this.#load(workspaceId, this.#loadCursor(workspaceId, { kind, id }, { seq, tag }), limit);
      return { ...piece, items: [{ kind, op: 'refetch', id }, ...piece.items] };
    }
    const end = rows.findIndex(({ op }) => op === 'refetch');
    const taken = end === -1 ? rows : rows.slice(0, end);
    const last = taken.at(-1);
    return { items: this.#itemsOf(taken), next: last ? { seq: last.seq, tag: last.tag } : at };
  }

  #itemsOf(rows: readonly JournalRow[]): FeedItem[] {
    const latest = new Map<string, JournalRow>();
    for (const row of rows) {
      latest.delete(`${row.kind} ${row.id}`);
      latest.set(`${row.kind} ${row.id}`, row);
    }
    return [...latest.values()].map(({ kind, id, op, workspaceId }) => {
      const value = op === 'put' ? this.#rows.valueOf(kind, id, workspaceId) : undefined;
      return value ? { kind, op: 'put', id, value } : { kind, op: 'delete', id };
    });
  }

  open(userId: string, clientId: string): Reply {
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-request-id': 'r' },
      text: '',
      listen: (onText, onEnd) => {
        for (const other of this.#streams)
          if (other.userId === userId && other.clientId === clientId) other.end();
        const stream: Stream = {
          userId,
          clientId,
          send: (event, data) => onText(`event: ${event}\nid: x\ndata: ${JSON.stringify(data)}\n\n`),
          end: () => {
            if (!this.#streams.delete(stream)) return;
            cancel();
            onEnd();
          },
        };
        let cancel = () => {};
        const beat = () => {
          onText(':\n\n');
          cancel = this.#rows.timeline.after(15_000, beat);
        };
        cancel = this.#rows.timeline.after(15_000, beat);
        this.#streams.add(stream);
        const workspaces = Object.fromEntries(
          this.#rows.workspacesOf(userId).map((id) => [id, this.#text(id, this.newest(id))]),
        );
        const epoch = `e${this.#rows.state.epoch}`;
        stream.send('hello', { userId, workspaces, unread: 0, build: 'b', epoch });
        return () => {
          cancel();
          this.#streams.delete(stream);
        };
      },
    };
  }

  endStreams(userId?: string): void {
    for (const stream of [...this.#streams])
      if (userId === undefined || stream.userId === userId) stream.end();
  }

  publish(rows: readonly JournalRow[]): void {
    for (const [workspaceId, own] of Map.groupBy(rows, (row) => row.workspaceId)) {
      const [first] = own;
      const last = own.at(-1);
      if (!first || !last) continue;
      const before = this.#rows.state.journal.findLast(
        (row) => row.workspaceId === workspaceId && row.seq < first.seq,
      );
      const isBrief = own.length <= MAX_EVENT_ITEMS && own.every(({ op }) => op !== 'refetch');
      const data = {
        workspaceId,
        from: this.#text(workspaceId, { seq: before?.seq ?? 0, tag: before?.tag ?? 0 }),
        cursor: this.#text(workspaceId, { seq: last.seq, tag: last.tag }),
        items: isBrief ? this.#itemsOf(own) : [],
        actorId: this.#rows.actor.userId,
      };
      for (const stream of this.#streams) {
        if (this.#rows.state.members[workspaceId]?.[stream.userId] === undefined) continue;
        const isOwn = stream.userId === this.#rows.actor.userId;
        stream.send('change', { ...data, clientId: isOwn ? this.#rows.actor.clientId : null });
      }
    }
  }

  /** Tells a user that they joined a workspace or left it. */
  tellOfWorkspaces(userId: string): void {
    for (const stream of this.#streams) if (stream.userId === userId) stream.send('me', { workspaces: true });
  }
}

function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? '';
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}
