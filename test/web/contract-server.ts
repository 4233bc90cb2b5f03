import type { Kind, Row } from '../../src/web/data/rows.ts';
import type { Reply, SentRequest, Timeline } from './simulation.ts';

const DAY_MS = 86_400_000;
/** In place of 1,000, so that scopes are fetched again now and then. */
const MAX_ROWS = 8;
const MAX_EVENT_ITEMS = 4;

interface Thing {
  kind: Kind;
  workspaceId: string;
  maker: string | null;
  value: Row;
}

interface JournalRow {
  seq: number;
  tag: number;
  workspaceId: string;
  kind: Kind;
  id: string;
  op: 'put' | 'delete' | 'refetch';
  at: number;
}

interface State {
  things: Record<string, Thing>;
  /** What lies in the trash, under the id of the thing that was deleted. */
  trash: Record<string, Thing[]>;
  /** Ids that were given once: never again to another thing. */
  used: Record<string, string>;
  members: Record<string, Record<string, string>>;
  journal: JournalRow[];
  seq: number;
  epoch: number;
  numbers: Record<string, number>;
  /** Of each series: the instances that were advanced from, with their statuses, newest last. */
  steps: Record<string, { task: Thing | null; id: string; statusId: string }[]>;
}

interface Stream {
  userId: string;
  clientId: string;
  send: (event: string, data: unknown) => void;
  end: () => void;
}

interface Failure {
  status: number;
  error: string;
  path?: string;
}

class Rejected extends Error {
  readonly failure: Failure;
  constructor(status: number, error: string, path?: string) {
    super(error);
    this.failure = { status, error, ...(path !== undefined && { path }) };
  }
}

const invalid = (path: string): Rejected => new Rejected(400, 'ValidationError', path);
const missing = (): Rejected => new Rejected(404, 'NotFoundError');
const forbidden = (): Rejected => new Rejected(403, 'ForbiddenError');

const PATHS: Record<string, Kind> = {
  spaces: 'space',
  lists: 'list',
  labels: 'label',
  'recurring-tasks': 'recurringTask',
};
const SECTIONS: readonly Kind[] = [
  'workspace',
  'member',
  'statusTemplate',
  'space',
  'list',
  'label',
  'recurringTask',
  'task',
];
const STATUSES = [
  { id: 'todo', title: 'To Do', type: 'unstarted', color: '#888888', position: 1 },
  { id: 'doing', title: 'In Progress', type: 'started', color: '#0000ff', position: 2 },
  { id: 'done', title: 'Done', type: 'completed', color: '#00ff00', position: 3 },
];

/** A server as the contract describes it (sections 16, 17, 19, 20), small, in memory, without mercy for the client. */
export class ContractServer {
  readonly #timeline: Timeline;
  state: State;
  #streams = new Set<Stream>();
  #rows: JournalRow[] = [];
  #actor = { userId: '', clientId: '' };
  /** Users whose session has ended. */
  readonly signedOut = new Set<string>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.state = {
      things: {},
      trash: {},
      used: {},
      members: {},
      journal: [],
      seq: 0,
      epoch: 1,
      numbers: {},
      steps: {},
    };
  }

  /** Makes a workspace with a space and two lists. */
  seed(id: string, members: Record<string, string>): void {
    this.#commit('', '', () => {
      this.state.members[id] = { ...members };
      const at = this.#now();
      const base = { workspaceId: id, createdAt: at, updatedAt: at };
      this.#make('workspace', id, id, {
        id,
        title: id,
        key: 'W',
        ownerId: 'ada',
        createdAt: at,
        updatedAt: at,
      });
      for (const userId of Object.keys(members)) this.#record(id, 'member', userId, 'put');
      const template = `${id}-template`;
      const statuses = STATUSES.map((status) => ({ ...status, id: `${id}-${status.id}` }));
      this.#make('statusTemplate', template, id, {
        ...base,
        id: template,
        title: 'Default',
        isDefault: true,
        statuses,
      });
      this.#make('space', `${id}-space`, id, {
        ...base,
        id: `${id}-space`,
        title: 'General',
        description: null,
        position: 1,
      });
      for (const number of [1, 2]) {
        const list = { spaceId: `${id}-space`, statusTemplateId: template, position: number };
        this.#make('list', `${id}-list${number}`, id, {
          ...base,
          ...list,
          id: `${id}-list${number}`,
          title: `List ${number}`,
        });
      }
    });
  }

  readonly serve = (request: SentRequest, userId: string): Reply => {
    const clientId = request.headers['x-client-id'] ?? '';
    const expected = request.headers['x-user-id'];
    try {
      if (this.signedOut.has(userId) || (expected !== undefined && expected !== userId))
        throw new Rejected(401, 'UnauthorizedError');
      const [path = '', query = ''] = request.path.split('?');
      if (path === 'me/events') return this.#open(userId, clientId);
      const body = this.#commit(userId, clientId, () =>
        this.#route(request, path.split('/'), new URLSearchParams(query), userId),
      );
      return reply(200, body ?? '');
    } catch (error) {
      if (error instanceof Rejected) return replyOf(error.failure);
      throw error;
    }
  };

  // Reading

  /** Every row of a workspace as a fresh client would hold it, comments too. */
  contentsOf(workspaceId: string): { kind: Kind; id: string; value: Row }[] {
    return [
      ...SECTIONS.flatMap((kind) => this.#section(kind, workspaceId)),
      ...this.#things('comment', workspaceId).map(({ value }) => ({
        kind: 'comment' as const,
        id: String(value.id),
        value,
      })),
    ];
  }

  workspacesOf(userId: string): string[] {
    return Object.keys(this.state.members).filter((id) => this.state.members[id]?.[userId] !== undefined);
  }

  #things(kind: Kind, workspaceId: string): Thing[] {
    return Object.values(this.state.things).filter((t) => t.kind === kind && t.workspaceId === workspaceId);
  }

  #thing(kind: Kind, id: unknown, workspaceId: string): Thing | undefined {
    const found = this.state.things[String(id)];
    return found?.kind === kind && found.workspaceId === workspaceId ? found : undefined;
  }

  #valueOf(kind: Kind, id: string, workspaceId: string): Row | undefined {
    if (kind === 'member') {
      const role = this.state.members[workspaceId]?.[id];
      return role === undefined
        ? undefined
        : { userId: id, name: id, email: `${id}@x.test`, role, joinedAt: '' };
    }
    const thing = this.#thing(kind, id, workspaceId);
    if (!thing) return undefined;
    if (kind === 'list') {
      const template = this.state.things[String(thing.value.statusTemplateId)];
      return { ...thing.value, statuses: template?.value.statuses };
    }
    if (kind === 'workspace')
      return { ...thing.value, memberCount: Object.keys(this.state.members[workspaceId] ?? {}).length };
    if (kind === 'task') {
      const commentCount = this.#things('comment', workspaceId).filter(
        ({ value }) => value.taskId === id,
      ).length;
      return { ...thing.value, commentCount };
    }
    return thing.value;
  }

  #isOpen(value: Row): boolean {
    return !String(value.statusId).endsWith('done');
  }

  #section(kind: Kind, workspaceId: string): { kind: Kind; id: string; value: Row }[] {
    const ids =
      kind === 'member'
        ? Object.keys(this.state.members[workspaceId] ?? {})
        : this.#things(kind, workspaceId).map(({ value }) => String(value.id));
    return ids.map((id) => ({ kind, id, value: this.#valueOf(kind, id, workspaceId) ?? {} }));
  }

  /** Where a row stands in a load. */
  #loadKey({ kind, id, value }: { kind: Kind; id: string; value: Row }): (string | number)[] {
    const section = SECTIONS.indexOf(kind);
    if (kind !== 'task') return [section, 0, Number(value.position ?? 0), id];
    if (this.#isOpen(value)) return [section, 0, String(value.dueDate ?? value.dueDay ?? '~'), id];
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
    return this.state.things[String(listId)]?.value.spaceId;
  }

  // The feed

  #changes(workspaceId: string, query: URLSearchParams): Row {
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
      epoch: `e${this.state.epoch}`,
      ...(piece.resume && { resume: this.#text(workspaceId, piece.resume) }),
    };
  }

  #rowsAfter(workspaceId: string, seq: number): JournalRow[] {
    return this.state.journal.filter((row) => row.workspaceId === workspaceId && row.seq > seq);
  }

  #newest(workspaceId: string): { seq: number; tag: number } {
    const row = this.state.journal.findLast((one) => one.workspaceId === workspaceId);
    return { seq: row?.seq ?? 0, tag: row?.tag ?? 0 };
  }

  #text(workspaceId: string, position: Cursor): string {
    return JSON.stringify([this.state.epoch, workspaceId, position]);
  }

  #readCursor(text: string, workspaceId: string): Cursor | null {
    const [epoch, of, position] = JSON.parse(text) as [number, string, Cursor];
    if (epoch !== this.state.epoch || of !== workspaceId) return null;
    const row = this.state.journal.find(({ seq }) => seq === position.seq);
    return row?.tag === position.tag ? position : null;
  }

  #loadCursor(
    workspaceId: string,
    scope: { kind: Kind; id: string },
    from = this.#newest(workspaceId),
  ): Cursor {
    return { ...from, load: { scope, after: null } };
  }

  #load(workspaceId: string, at: Cursor, limit: number): Piece {
    const { load, ...resume } = at;
    const scope = load?.scope ?? { kind: 'workspace', id: workspaceId };
    const rest = SECTIONS.flatMap((kind) => this.#section(kind, workspaceId))
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
      const value = op === 'put' ? this.#valueOf(kind, id, workspaceId) : undefined;
      return value ? { kind, op: 'put', id, value } : { kind, op: 'delete', id };
    });
  }

  // Events

  #open(userId: string, clientId: string): Reply {
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
          cancel = this.#timeline.after(15_000, beat);
        };
        cancel = this.#timeline.after(15_000, beat);
        this.#streams.add(stream);
        const workspaces = Object.fromEntries(
          this.workspacesOf(userId).map((id) => [id, this.#text(id, this.#newest(id))]),
        );
        const epoch = `e${this.state.epoch}`;
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

  #publish(rows: readonly JournalRow[]): void {
    for (const [workspaceId, own] of Map.groupBy(rows, (row) => row.workspaceId)) {
      const [first] = own;
      const last = own.at(-1);
      if (!first || !last) continue;
      const before = this.state.journal.findLast(
        (row) => row.workspaceId === workspaceId && row.seq < first.seq,
      );
      const isBrief = own.length <= MAX_EVENT_ITEMS && own.every(({ op }) => op !== 'refetch');
      const data = {
        workspaceId,
        from: this.#text(workspaceId, { seq: before?.seq ?? 0, tag: before?.tag ?? 0 }),
        cursor: this.#text(workspaceId, { seq: last.seq, tag: last.tag }),
        items: isBrief ? this.#itemsOf(own) : [],
        actorId: this.#actor.userId,
      };
      for (const stream of this.#streams) {
        if (this.state.members[workspaceId]?.[stream.userId] === undefined) continue;
        const isOwn = stream.userId === this.#actor.userId;
        stream.send('change', { ...data, clientId: isOwn ? this.#actor.clientId : null });
      }
    }
  }

  // Writing

  #now(): string {
    return new Date(this.#timeline.now).toISOString();
  }

  #record(workspaceId: string, kind: Kind, id: string, op: JournalRow['op']): void {
    this.#rows.push({ seq: 0, tag: 0, workspaceId, kind, id, op, at: this.#timeline.now });
  }

  /** One commit: all of it or nothing, its rows in the journal, then told. */
  #commit<T>(userId: string, clientId: string, work: () => T): T {
    const before = this.#rows;
    this.#rows = [];
    this.#actor = { userId, clientId };
    try {
      const result = work();
      const rows = [...Map.groupBy(this.#rows, (row) => row.workspaceId)].flatMap(([, own]) =>
        summarize(own),
      );
      for (const row of rows) {
        row.seq = ++this.state.seq;
        row.tag = this.#timeline.below(1_000_000);
        this.state.journal.push(row);
      }
      this.#publish(rows);
      return result;
    } finally {
      this.#rows = before;
    }
  }

  #make(kind: Kind, id: string, workspaceId: string, value: Row): Thing {
    const maker = this.#actor.userId || null;
    const thing = {
      kind,
      workspaceId,
      maker,
      value: { ...value, ...(kind !== 'statusTemplate' && { version: 1 }) },
    };
    this.state.things[id] = thing;
    this.state.used[id] = kind;
    this.#record(workspaceId, kind, id, 'put');
    return thing;
  }

  #change(thing: Thing, fields: Row): void {
    const isSame = Object.entries(fields).every(
      ([name, value]) => JSON.stringify(thing.value[name]) === JSON.stringify(value),
    );
    if (isSame) return;
    Object.assign(thing.value, fields, { updatedAt: this.#now() });
    this.#touch(thing);
  }

  #touch(thing: Thing): void {
    if (thing.kind !== 'statusTemplate') thing.value.version = Number(thing.value.version) + 1;
    this.#record(thing.workspaceId, thing.kind, String(thing.value.id), 'put');
  }

  #within(thing: Thing): Thing[] {
    const { id } = thing.value;
    const all = Object.values(this.state.things);
    const direct = all.filter(
      ({ kind, value }) =>
        (thing.kind === 'space' && kind === 'list' && value.spaceId === id) ||
        (thing.kind === 'list' && (kind === 'task' || kind === 'recurringTask') && value.listId === id) ||
        (thing.kind === 'task' && kind === 'comment' && value.taskId === id),
    );
    return direct.flatMap((one) => [one, ...this.#within(one)]);
  }

  /** Takes a thing away with what it contains; into the trash, where there is one for it. */
  #remove(thing: Thing): void {
    const id = String(thing.value.id);
    const gone = [thing, ...this.#within(thing)];
    for (const one of gone) {
      delete this.state.things[String(one.value.id)];
      if (one.kind === 'list' && one !== thing)
        this.#record(one.workspaceId, 'list', String(one.value.id), 'delete');
    }
    if (['task', 'list', 'space'].includes(thing.kind)) this.state.trash[id] = gone;
    this.#record(thing.workspaceId, thing.kind, id, 'delete');
    if (thing.kind === 'comment') this.#touchTask(thing);
    if (thing.kind === 'label')
      for (const task of this.#things('task', thing.workspaceId)) {
        const labelIds = (task.value.labelIds as string[]).filter((label) => label !== id);
        this.#change(task, { labelIds });
      }
  }

  #touchTask(comment: Thing): void {
    const task = this.#thing('task', comment.value.taskId, comment.workspaceId);
    if (task) this.#touch(task);
  }

  #route(
    { method, body, headers }: SentRequest,
    path: string[],
    query: URLSearchParams,
    userId: string,
  ): unknown {
    const [root, second, third, id, fifth, sixth] = path;
    if (root === 'me' && second === undefined) return { id: userId, name: userId, timezone: 'UTC' };
    if (root === 'me' && second === 'workspaces') {
      const all = this.workspacesOf(userId).map((one) => ({ id: one }));
      return { items: Number(query.get('page') ?? 1) === 1 ? all : [], total: all.length };
    }
    if (root !== 'workspaces' || second === undefined || !this.state.members[second]) throw missing();
    const workspaceId = second;
    const role = this.state.members[workspaceId]?.[userId];
    if (role === undefined) throw forbidden();
    if (method !== 'GET' && role === 'viewer') throw forbidden();
    const fields = (body ?? {}) as Row;
    const ifMatch = headers['if-match'];
    if (third === undefined) return { ...this.#valueOf('workspace', workspaceId, workspaceId), role };
    if (third === 'changes') return this.#changes(workspaceId, query);
    if (third === 'tasks' && id === 'batch') {
      const operations = fields.operations as Row[];
      if (operations.length > 5) throw new Rejected(413, 'PayloadTooLargeError');
      return { results: operations.map((operation) => this.#operate(workspaceId, operation)) };
    }
    if (third === 'trash' && fifth === 'restore') return this.#restore(workspaceId, String(id));
    if (third === 'tasks') {
      const task = this.#thing('task', id, workspaceId);
      if (!task) throw missing();
      if (fifth === undefined && method === 'DELETE') {
        this.#remove(task);
        if (query.get('permanent') === 'true') delete this.state.trash[String(id)];
        return null;
      }
      if (fifth === undefined) return this.#valueOf('task', String(id), workspaceId);
      if (fifth === 'comments') return this.#comments(method, task, sixth, fields, ifMatch);
      return this.#items(method, task, sixth, fields);
    }
    const kind = PATHS[third];
    if (!kind) throw missing();
    if (method === 'POST' && id === undefined)
      return this.#create(kind, workspaceId, String(fields.id), fields);
    const thing = this.#thing(kind, id, workspaceId);
    if (!thing) throw missing();
    if (method === 'GET') return this.#valueOf(kind, String(id), workspaceId);
    if (fifth === 'instances')
      return this.#edit(this.#thing('task', sixth, workspaceId), fields.updates as Row);
    if (fifth !== undefined) return this.#series(thing, fifth, fields);
    if (method === 'DELETE') {
      if (kind === 'recurringTask') this.#removeUpcoming(thing, query.get('keepUpcoming') === 'true');
      this.#remove(thing);
      return null;
    }
    if (fields.title === '') throw invalid('title');
    this.#change(thing, without(fields, 'id'));
    return this.#valueOf(kind, String(id), workspaceId);
  }

  #operate(workspaceId: string, { op, id, ifMatch, ...fields }: Row): Row {
    try {
      const task = this.#operation(
        workspaceId,
        String(op),
        String(id),
        fields,
        ifMatch as string | undefined,
      );
      return { status: op === 'create' ? 201 : op === 'delete' ? 204 : 200, ...(task !== null && { task }) };
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const { status, error: name, path } = error.failure;
      return { status, error: name, message: name, ...(path && { issues: [{ path, message: name }] }) };
    }
  }

  #operation(workspaceId: string, op: string, id: string, fields: Row, ifMatch: string | undefined): unknown {
    if (op === 'create') return this.#create('task', workspaceId, id, fields);
    if (op === 'restore') return this.#restore(workspaceId, id, 'task');
    const task = this.#thing('task', id, workspaceId);
    if (!task) throw missing();
    this.#match(task, ifMatch);
    if (op === 'delete') {
      this.#advance(task, true);
      if (this.state.things[id]) this.#remove(task);
      return null;
    }
    if (op === 'move') {
      const list = this.#thing('list', fields.listId, workspaceId);
      if (!list) throw invalid('listId');
      return this.#edit(task, { ...fields, listId: list.value.id, spaceId: list.value.spaceId });
    }
    return this.#edit(task, fields);
  }

  #match(thing: Thing, ifMatch: string | undefined | null): void {
    if (ifMatch && ifMatch !== `"e${this.state.epoch}-${thing.value.version}"`)
      throw new Rejected(412, 'PreconditionFailedError');
  }

  #checkTask(fields: Row, workspaceId: string, list: Thing | undefined): void {
    if (fields.title === '') throw invalid('title');
    const template = list && this.state.things[String(list.value.statusTemplateId)];
    const statuses = (template?.value.statuses ?? []) as { id: string }[];
    if (fields.statusId !== undefined && !statuses.some(({ id }) => id === fields.statusId))
      throw invalid('statusId');
    for (const name of ['labelIds', 'addLabelIds'])
      for (const label of (fields[name] ?? []) as string[])
        if (!this.#thing('label', label, workspaceId)) throw invalid(name);
  }

  #edit(task: Thing | undefined, given: Row): unknown {
    if (!task) throw missing();
    const { addLabelIds, removeLabelIds, ...fields } = given;
    const list = this.#thing('list', fields.listId ?? task.value.listId, task.workspaceId);
    this.#checkTask({ ...fields, addLabelIds: addLabelIds ?? [] }, task.workspaceId, list);
    const removed = (removeLabelIds ?? []) as string[];
    const labels = ((fields.labelIds ?? task.value.labelIds) as string[]).filter(
      (id) => !removed.includes(id),
    );
    const labelIds = [...new Set([...labels, ...((addLabelIds ?? []) as string[])])];
    const next: Row = { ...fields, labelIds };
    if (fields.dueDay) next.dueDate = null;
    if (fields.dueDate) next.dueDay = null;
    const wasOpen = this.#isOpen(task.value);
    if (fields.statusId !== undefined)
      next.completedAt = this.#isOpen(fields) ? null : (task.value.completedAt ?? this.#now());
    this.#change(task, next);
    if (wasOpen && !this.#isOpen(task.value)) this.#advance(task, false);
    return this.#valueOf('task', String(task.value.id), task.workspaceId);
  }

  #create(kind: Kind, workspaceId: string, id: string, given: Row): unknown {
    const { id: _, reuse, ...fields } = given;
    const used = this.state.used[id];
    if (used !== undefined) {
      const present = this.#thing(kind, id, workspaceId);
      if (!present || present.maker !== this.#actor.userId) throw invalid('id');
      return this.#valueOf(kind, id, workspaceId);
    }
    if (fields.title === '') throw invalid('title');
    const at = this.#now();
    const base = {
      workspaceId,
      createdAt: at,
      updatedAt: at,
      description: null,
      position: this.state.seq,
      ...fields,
      id,
    };
    if (kind === 'label') {
      const same = this.#things('label', workspaceId).find(({ value }) => value.title === fields.title);
      if (same && reuse) return same.value;
      if (same) throw invalid('title');
    }
    if (kind === 'list' && !this.#thing('space', fields.spaceId, workspaceId)) throw invalid('spaceId');
    const list = this.#thing('list', fields.listId, workspaceId);
    if ((kind === 'task' || kind === 'recurringTask') && !list) throw invalid('listId');
    if (kind === 'list') Object.assign(base, { statusTemplateId: `${workspaceId}-template` });
    if (kind === 'task') this.#checkTask(fields, workspaceId, list);
    if (kind === 'task' && list) Object.assign(base, this.#taskFields(workspaceId, list, fields));
    const thing = this.#make(kind, id, workspaceId, base);
    if (kind === 'recurringTask') this.#createSeries(thing, fields.taskId);
    return this.#valueOf(kind, id, workspaceId);
  }

  #taskFields(workspaceId: string, list: Thing, fields: Row): Row {
    const number = (this.state.numbers[workspaceId] ?? 0) + 1;
    this.state.numbers[workspaceId] = number;
    const statusId = fields.statusId ?? `${workspaceId}-todo`;
    return {
      priority: 'none',
      assigneeId: null,
      startDate: null,
      startDay: null,
      dueDate: null,
      dueDay: null,
      labelIds: [],
      checklist: [],
      recurrence: null,
      ...fields,
      statusId,
      completedAt: this.#isOpen({ statusId }) ? null : this.#now(),
      creatorId: this.#actor.userId,
      spaceId: list.value.spaceId,
      number,
    };
  }

  #restore(workspaceId: string, id: string, only?: Kind): unknown {
    const gone = this.state.trash[id];
    const [thing] = gone ?? [];
    if (!gone || !thing || thing.workspaceId !== workspaceId || (only && thing.kind !== only))
      throw missing();
    const parent =
      thing.kind === 'task' ? thing.value.listId : thing.kind === 'list' ? thing.value.spaceId : null;
    if (parent !== null && !this.state.things[String(parent)])
      throw invalid(thing.kind === 'task' ? 'listId' : 'spaceId');
    delete this.state.trash[id];
    const template = this.state.things[`${workspaceId}-template`];
    const statuses = (template?.value.statuses ?? []) as { id: string }[];
    for (const one of gone) {
      if (one.kind === 'task') {
        one.value.labelIds = (one.value.labelIds as string[]).filter((label) => this.state.things[label]);
        if (!statuses.some((status) => status.id === one.value.statusId))
          one.value.statusId = `${workspaceId}-todo`;
        one.value.spaceId = one === thing ? this.#spaceOfList(one.value.listId) : one.value.spaceId;
        one.value.recurrence = null;
      }
      this.state.things[String(one.value.id)] = one;
      this.#touch(one);
    }
    return this.#valueOf(thing.kind, id, workspaceId);
  }

  #items(method: string, task: Thing, itemId: string | undefined, fields: Row): unknown {
    const items = task.value.checklist as Row[];
    const found = items.find(({ id }) => id === itemId);
    if (method === 'POST') {
      const isThere = items.some(({ id }) => id === fields.id);
      if (!isThere) this.#change(task, { checklist: [...items, { isDone: false, ...fields }] });
    } else if (!found) throw missing();
    else if (method === 'DELETE') this.#change(task, { checklist: items.filter((item) => item !== found) });
    else
      this.#change(task, {
        checklist: items.map((item) => (item === found ? { ...item, ...fields } : item)),
      });
    return this.#valueOf('task', String(task.value.id), task.workspaceId);
  }

  #comments(
    method: string,
    task: Thing,
    id: string | undefined,
    fields: Row,
    ifMatch: string | undefined,
  ): unknown {
    const { workspaceId } = task;
    const taskId = task.value.id;
    if (method === 'GET' && id === undefined) {
      const items = this.#things('comment', workspaceId).filter(({ value }) => value.taskId === taskId);
      return { items: items.map(({ value }) => value), total: items.length };
    }
    if (method === 'POST') {
      const given = String(fields.id);
      if (this.state.used[given] !== undefined) {
        const present = this.#thing('comment', given, workspaceId);
        if (!present || present.maker !== this.#actor.userId) throw invalid('id');
        return present.value;
      }
      const more = {
        authorId: this.#actor.userId,
        mentionedUserIds: [],
        editedAt: null,
        createdAt: this.#now(),
      };
      const comment = this.#make('comment', given, workspaceId, { ...fields, ...more, taskId, workspaceId });
      this.#touch(task);
      return comment.value;
    }
    const comment = this.#thing('comment', id, workspaceId);
    if (!comment || comment.value.taskId !== taskId) throw missing();
    if (method === 'GET') return comment.value;
    if (method === 'DELETE') {
      this.#remove(comment);
      return null;
    }
    this.#match(comment, ifMatch);
    this.#change(comment, { body: fields.body, editedAt: this.#now() });
    return comment.value;
  }

  // Series: an upcoming instance, which advances when it is done, skipped or deleted

  #createSeries(series: Thing, taskId: unknown): void {
    Object.assign(series.value, {
      priority: 'none',
      assigneeId: null,
      checklist: [],
      labelIds: [],
      endCondition: { type: 'never' },
      catchUp: 'latest',
      state: 'active',
      stateReason: null,
      nextRunAt: null,
      nextTaskId: null,
      nextOccurrenceNumber: null,
      count: 0,
    });
    this.state.steps[String(series.value.id)] = [];
    const task = taskId ? this.#thing('task', taskId, series.workspaceId) : undefined;
    if (task) {
      series.value.nextTaskId = task.value.id;
      this.#change(task, { recurrence: this.#recurrenceOf(series) });
    } else this.#makeUpcoming(series);
  }

  #recurrenceOf(series: Thing): Row {
    const number = Number(series.value.count) + 1;
    series.value.count = number;
    const at = new Date(Date.UTC(2026, 3, number)).toISOString();
    return { recurringTaskId: series.value.id, occurrenceAt: at, occurrenceNumber: number, overridden: [] };
  }

  #makeUpcoming(series: Thing): void {
    const list = this.#thing('list', series.value.listId, series.workspaceId);
    if (!list) return;
    const id = `${series.value.id}/${Number(series.value.count) + 1}-${this.state.seq}`;
    const at = this.#now();
    const base = {
      id,
      workspaceId: series.workspaceId,
      createdAt: at,
      updatedAt: at,
      description: null,
      position: 0,
    };
    const own = {
      title: series.value.title,
      listId: series.value.listId,
      recurrence: this.#recurrenceOf(series),
    };
    this.#make('task', id, series.workspaceId, {
      ...base,
      ...this.#taskFields(series.workspaceId, list, own),
    });
    series.value.nextTaskId = id;
  }

  #advance(task: Thing, isGoing: boolean): void {
    const { recurringTaskId } = (task.value.recurrence ?? {}) as Row;
    const series = this.#thing('recurringTask', recurringTaskId, task.workspaceId);
    if (!series || series.value.nextTaskId !== task.value.id || series.value.state !== 'active') return;
    const step = {
      id: String(task.value.id),
      statusId: String(task.value.statusId),
      task: isGoing ? structuredClone(task) : null,
    };
    if (isGoing) this.#remove(task);
    this.state.steps[String(series.value.id)]?.push(step);
    this.#makeUpcoming(series);
    this.#touch(series);
  }

  #removeUpcoming(series: Thing, keeps: boolean): void {
    const task = this.#thing('task', series.value.nextTaskId, series.workspaceId);
    if (task && keeps) this.#change(task, { recurrence: null });
    else if (task) this.#remove(task);
  }

  #series(series: Thing, action: string, fields: Row): unknown {
    const { value } = series;
    const upcoming = this.#thing('task', value.nextTaskId, series.workspaceId);
    const occurrenceAt = (upcoming?.value.recurrence as Row | undefined)?.occurrenceAt;
    if (action === 'pause' || action === 'resume') {
      this.#change(series, { state: action === 'pause' ? 'paused' : 'active' });
      return value;
    }
    if (value.state !== 'active') throw new Rejected(400, 'BadRequestError');
    if (fields.occurrenceAt !== occurrenceAt || !upcoming) throw invalid('occurrenceAt');
    if (action === 'skip') {
      this.#advance(upcoming, true);
      return value;
    }
    const step = this.state.steps[String(value.id)]?.pop();
    if (!step) throw new Rejected(400, 'BadRequestError');
    this.#remove(upcoming);
    delete this.state.trash[String(upcoming.value.id)];
    const earlier = this.#thing('task', step.id, series.workspaceId) ?? step.task;
    delete this.state.trash[step.id];
    if (earlier) {
      this.state.things[step.id] = earlier;
      Object.assign(earlier.value, { statusId: `${series.workspaceId}-todo`, completedAt: null });
      this.#touch(earlier);
      value.nextTaskId = step.id;
    }
    value.count = Number(value.count) - 1;
    this.#touch(series);
    return value;
  }

  // What happens to it from outside

  /** A client without a copy of its own. */
  do(userId: string, method: string, path: string, body?: unknown): Reply {
    return this.serve({ method, path, body, headers: {} }, userId);
  }

  setRole(workspaceId: string, userId: string, role: string | null): void {
    const members = this.state.members[workspaceId];
    if (!members) return;
    const before = members[userId];
    this.#commit('owner', '', () => {
      if (role === null) delete members[userId];
      else members[userId] = role;
      this.#record(workspaceId, 'member', userId, role === null ? 'delete' : 'put');
      if ((before === undefined) !== (role === null))
        this.#record(workspaceId, 'workspace', workspaceId, 'put');
    });
    if (before === undefined || role === null)
      for (const stream of this.#streams)
        if (stream.userId === userId) stream.send('me', { workspaces: true });
  }

  /** Takes a status out of the template or puts it back; its tasks get the first one. */
  toggleStatus(workspaceId: string): void {
    const template = this.state.things[`${workspaceId}-template`];
    if (!template) return;
    this.#commit('owner', '', () => {
      const statuses = template.value.statuses as Row[];
      const doing = statuses.find(({ id }) => id === `${workspaceId}-doing`);
      const restored = { ...STATUSES[1], id: `${workspaceId}-doing` };
      this.#change(template, {
        statuses: doing ? statuses.filter((one) => one !== doing) : [...statuses, restored],
      });
      for (const list of this.#things('list', workspaceId)) this.#touch(list);
      if (doing)
        for (const task of this.#things('task', workspaceId))
          if (task.value.statusId === doing.id) this.#change(task, { statusId: `${workspaceId}-todo` });
    });
  }

  /** Puts an older file back. */
  restoreFrom(snapshot: State): void {
    const epoch = this.state.epoch + 1;
    this.state = { ...structuredClone(snapshot), epoch };
    this.endStreams();
  }

  /** Forgets what is older than 30 days, the newest row of each workspace excepted. */
  purge(): void {
    const newest = new Set(Object.keys(this.state.members).map((id) => this.#newest(id).seq));
    const until = this.#timeline.now - 30 * DAY_MS;
    this.state.journal = this.state.journal.filter(({ seq, at }) => newest.has(seq) || at > until);
  }
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

function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? '';
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** Each thing once; too many of them become the workspace as a whole. */
function summarize(rows: readonly JournalRow[]): JournalRow[] {
  const latest = new Map<string, JournalRow>();
  for (const row of rows) latest.set(`${row.kind} ${row.id}`, row);
  const [first] = rows;
  const held = [...latest.values()].filter(({ kind }) => kind !== 'label' && kind !== 'member');
  if (latest.size <= MAX_ROWS || !first) return [...latest.values()];
  const apart = [...latest.values()].filter((row) => !held.includes(row));
  return [...apart, { ...first, kind: 'workspace', id: first.workspaceId, op: 'refetch' }];
}

function without(row: Row, name: string): Row {
  const { [name]: _, ...rest } = row;
  return rest;
}

const reply = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'x-request-id': 'r', 'content-type': 'application/json' },
  text: body === '' ? '' : JSON.stringify(body),
});

const replyOf = ({ status, error, path }: Failure): Reply =>
  reply(status, { error, message: error, ...(path && { issues: [{ path, message: error }] }) });
