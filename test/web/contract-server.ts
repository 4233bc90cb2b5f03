import type { Kind, Row } from '../../src/web/data/rows.ts';
import { ContractFeed } from './contract-feed.ts';
import { ContractRows, type JournalRow, type State, type Thing } from './contract-rows.ts';
import type { Reply, SentRequest, Timeline } from './simulation.ts';

const DAY_MS = 86_400_000;
/** In place of 1,000, so that scopes are fetched again now and then. */
const MAX_ROWS = 8;

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
const STATUSES = [
  { id: 'todo', title: 'To Do', type: 'unstarted', color: '#888888', position: 1 },
  { id: 'doing', title: 'In Progress', type: 'started', color: '#0000ff', position: 2 },
  { id: 'done', title: 'Done', type: 'completed', color: '#00ff00', position: 3 },
];

/** A server as the contract describes it (sections 16, 17, 19, 20), small, in memory, without mercy for the client. */
export class ContractServer {
  readonly #timeline: Timeline;
  readonly #rows: ContractRows;
  readonly #feed: ContractFeed;
  /** Users whose session has ended. */
  readonly signedOut = new Set<string>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#rows = new ContractRows(timeline);
    this.#feed = new ContractFeed(this.#rows);
  }

  get state(): State {
    return this.#rows.state;
  }

  contentsOf(workspaceId: string): { kind: Kind; id: string; value: Row }[] {
    return this.#rows.contentsOf(workspaceId);
  }

  workspacesOf(userId: string): string[] {
    return this.#rows.workspacesOf(userId);
  }

  endStreams(userId?: string): void {
    this.#feed.endStreams(userId);
  }

  /** Makes a workspace with a space and two lists. */
  seed(id: string, members: Record<string, string>): void {
    this.#commit('', '', () => {
      this.state.members[id] = { ...members };
      const at = this.#rows.now();
      const base = { workspaceId: id, createdAt: at, updatedAt: at };
      this.#rows.make('workspace', id, id, {
        id,
        title: id,
        key: 'W',
        ownerId: 'ada',
        createdAt: at,
        updatedAt: at,
      });
      for (const userId of Object.keys(members)) this.#rows.record(id, 'member', userId, 'put');
      const template = `${id}-template`;
      const statuses = STATUSES.map((status) => ({ ...status, id: `${id}-${status.id}` }));
      this.#rows.make('statusTemplate', template, id, {
        ...base,
        id: template,
        title: 'Default',
        isDefault: true,
        statuses,
      });
      this.#rows.make('space', `${id}-space`, id, {
        ...base,
        id: `${id}-space`,
        title: 'General',
        description: null,
        position: 1,
      });
      for (const number of [1, 2]) {
        const list = { spaceId: `${id}-space`, statusTemplateId: template, position: number };
        this.#rows.make('list', `${id}-list${number}`, id, {
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
      if (path === 'me/events') return this.#feed.open(userId, clientId);
      const body = this.#commit(userId, clientId, () =>
        this.#route(request, path.split('/'), new URLSearchParams(query), userId),
      );
      return reply(200, body ?? '');
    } catch (error) {
      if (error instanceof Rejected) return replyOf(error.failure);
      throw error;
    }
  };

  /** One commit: all of it or nothing, its rows in the journal, then told. */
  #commit<T>(userId: string, clientId: string, work: () => T): T {
    const before = this.#rows.changed;
    this.#rows.changed = [];
    this.#rows.actor = { userId, clientId };
    try {
      const result = work();
      const rows = [...Map.groupBy(this.#rows.changed, (row) => row.workspaceId)].flatMap(([, own]) =>
        summarize(own),
      );
      for (const row of rows) {
        row.seq = ++this.state.seq;
        row.tag = this.#timeline.below(1_000_000);
        this.state.journal.push(row);
      }
      this.#feed.publish(rows);
      return result;
    } finally {
      this.#rows.changed = before;
    }
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
    if (third === undefined) return { ...this.#rows.valueOf('workspace', workspaceId, workspaceId), role };
    if (third === 'changes') return this.#feed.changes(workspaceId, query);
    if (third === 'tasks' && id === 'batch') {
      const operations = fields.operations as Row[];
      if (operations.length > 5) throw new Rejected(413, 'PayloadTooLargeError');
      return { results: operations.map((operation) => this.#operate(workspaceId, operation)) };
    }
    if (third === 'trash' && fifth === 'restore') return this.#restore(workspaceId, String(id));
    if (third === 'tasks') {
      const task = this.#rows.thing('task', id, workspaceId);
      if (!task) throw missing();
      if (fifth === undefined && method === 'DELETE') {
        this.#rows.remove(task);
        return null;
      }
      if (fifth === undefined) return this.#rows.valueOf('task', String(id), workspaceId);
      if (fifth === 'comments') return this.#comments(method, task, sixth, fields, ifMatch);
      return this.#items(method, task, sixth, fields);
    }
    const kind = PATHS[third];
    if (!kind) throw missing();
    if (method === 'POST' && id === undefined)
      return this.#create(kind, workspaceId, String(fields.id), fields);
    const thing = this.#rows.thing(kind, id, workspaceId);
    if (!thing) throw missing();
    if (method === 'GET') return this.#rows.valueOf(kind, String(id), workspaceId);
    if (fifth === 'instances')
      return this.#edit(this.#rows.thing('task', sixth, workspaceId), fields.updates as Row);
    if (fifth !== undefined) return this.#series(thing, fifth, fields);
    if (method === 'DELETE') {
      if (kind === 'recurringTask') this.#removeUpcoming(thing, query.get('keepUpcoming') === 'true');
      this.#rows.remove(thing);
      return null;
    }
    if (fields.title === '') throw invalid('title');
    this.#rows.change(thing, without(fields, 'id'));
    return this.#rows.valueOf(kind, String(id), workspaceId);
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
    const task = this.#rows.thing('task', id, workspaceId);
    if (!task) throw missing();
    this.#match(task, ifMatch);
    if (op === 'delete') {
      this.#advance(task, true);
      if (this.state.things[id]) this.#rows.remove(task);
      if (fields.permanent) delete this.state.trash[id];
      return null;
    }
    if (op === 'move') {
      const list = this.#rows.thing('list', fields.listId, workspaceId);
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
        if (!this.#rows.thing('label', label, workspaceId)) throw invalid(name);
  }

  #edit(task: Thing | undefined, given: Row): unknown {
    if (!task) throw missing();
    const { addLabelIds, removeLabelIds, ...fields } = given;
    const list = this.#rows.thing('list', fields.listId ?? task.value.listId, task.workspaceId);
    this.#checkTask({ ...fields, addLabelIds: addLabelIds ?? [] }, task.workspaceId, list);
    const removed = (removeLabelIds ?? []) as string[];
    const labels = ((fields.labelIds ?? task.value.labelIds) as string[]).filter(
      (id) => !removed.includes(id),
    );
    const labelIds = [...new Set([...labels, ...((addLabelIds ?? []) as string[])])];
    const next: Row = { ...fields, labelIds };
    if (fields.dueDay) next.dueDate = null;
    if (fields.dueDate) next.dueDay = null;
    const wasOpen = this.#rows.isOpen(task.value);
    if (fields.statusId !== undefined)
      next.completedAt = this.#rows.isOpen(fields) ? null : (task.value.completedAt ?? this.#rows.now());
    this.#rows.change(task, next);
    if (wasOpen && !this.#rows.isOpen(task.value)) this.#advance(task, false);
    return this.#rows.valueOf('task', String(task.value.id), task.workspaceId);
  }

  #create(kind: Kind, workspaceId: string, id: string, given: Row): unknown {
    const { id: _, reuse, ...fields } = given;
    const used = this.state.used[id];
    if (used !== undefined) {
      const present = this.#rows.thing(kind, id, workspaceId);
      if (!present || present.maker !== this.#rows.actor.userId) throw invalid('id');
      return this.#rows.valueOf(kind, id, workspaceId);
    }
    if (fields.title === '') throw invalid('title');
    const at = this.#rows.now();
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
      const same = this.#rows.things('label', workspaceId).find(({ value }) => value.title === fields.title);
      if (same && reuse) return same.value;
      if (same) throw invalid('title');
    }
    if (kind === 'list' && !this.#rows.thing('space', fields.spaceId, workspaceId)) throw invalid('spaceId');
    const list = this.#rows.thing('list', fields.listId, workspaceId);
    if ((kind === 'task' || kind === 'recurringTask') && !list) throw invalid('listId');
    if (kind === 'list') Object.assign(base, { statusTemplateId: `${workspaceId}-template` });
    if (kind === 'task') this.#checkTask(fields, workspaceId, list);
    if (kind === 'task' && list) Object.assign(base, this.#taskFields(workspaceId, list, fields));
    const thing = this.#rows.make(kind, id, workspaceId, base);
    if (kind === 'recurringTask') this.#createSeries(thing, fields.taskId);
    return this.#rows.valueOf(kind, id, workspaceId);
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
      completedAt: this.#rows.isOpen({ statusId }) ? null : this.#rows.now(),
      creatorId: this.#rows.actor.userId,
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
        one.value.spaceId =
          one === thing ? this.state.things[String(one.value.listId)]?.value.spaceId : one.value.spaceId;
        one.value.recurrence = null;
      }
      this.state.things[String(one.value.id)] = one;
      this.#rows.touch(one);
    }
    return this.#rows.valueOf(thing.kind, id, workspaceId);
  }

  #items(method: string, task: Thing, itemId: string | undefined, fields: Row): unknown {
    const items = task.value.checklist as Row[];
    const found = items.find(({ id }) => id === itemId);
    if (method === 'POST') {
      const isThere = items.some(({ id }) => id === fields.id);
      if (!isThere) this.#rows.change(task, { checklist: [...items, { isDone: false, ...fields }] });
    } else if (!found) throw missing();
    else if (method === 'DELETE')
      this.#rows.change(task, { checklist: items.filter((item) => item !== found) });
    else
      this.#rows.change(task, {
        checklist: items.map((item) => (item === found ? { ...item, ...fields } : item)),
      });
    return this.#rows.valueOf('task', String(task.value.id), task.workspaceId);
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
      const items = this.#rows.things('comment', workspaceId).filter(({ value }) => value.taskId === taskId);
      return { items: items.map(({ value }) => value), total: items.length };
    }
    if (method === 'POST') {
      const given = String(fields.id);
      if (this.state.used[given] !== undefined) {
        const present = this.#rows.thing('comment', given, workspaceId);
        if (!present || present.maker !== this.#rows.actor.userId) throw invalid('id');
        return present.value;
      }
      const more = {
        authorId: this.#rows.actor.userId,
        mentionedUserIds: [],
        editedAt: null,
        createdAt: this.#rows.now(),
      };
      const comment = this.#rows.make('comment', given, workspaceId, {
        ...fields,
        ...more,
        taskId,
        workspaceId,
      });
      this.#rows.touch(task);
      return comment.value;
    }
    const comment = this.#rows.thing('comment', id, workspaceId);
    if (!comment || comment.value.taskId !== taskId) throw missing();
    if (method === 'GET') return comment.value;
    if (method === 'DELETE') {
      this.#rows.remove(comment);
      return null;
    }
    this.#match(comment, ifMatch);
    this.#rows.change(comment, { body: fields.body, editedAt: this.#rows.now() });
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
    const task = taskId ? this.#rows.thing('task', taskId, series.workspaceId) : undefined;
    if (task) {
      series.value.nextTaskId = task.value.id;
      this.#rows.change(task, { recurrence: this.#recurrenceOf(series) });
    } else this.#makeUpcoming(series);
  }

  #recurrenceOf(series: Thing): Row {
    const number = Number(series.value.count) + 1;
    series.value.count = number;
    const at = new Date(Date.UTC(2026, 3, number)).toISOString();
    series.value.nextRunAt = at;
    return { recurringTaskId: series.value.id, occurrenceAt: at, occurrenceNumber: number, overridden: [] };
  }

  #makeUpcoming(series: Thing): void {
    const list = this.#rows.thing('list', series.value.listId, series.workspaceId);
    if (!list) return;
    const id = `${series.value.id}/${Number(series.value.count) + 1}-${this.state.seq}`;
    const at = this.#rows.now();
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
    this.#rows.make('task', id, series.workspaceId, {
      ...base,
      ...this.#taskFields(series.workspaceId, list, own),
    });
    series.value.nextTaskId = id;
  }

  #advance(task: Thing, isGoing: boolean): void {
    const { recurringTaskId } = (task.value.recurrence ?? {}) as Row;
    const series = this.#rows.thing('recurringTask', recurringTaskId, task.workspaceId);
    if (!series || series.value.nextTaskId !== task.value.id || series.value.state !== 'active') return;
    const step = {
      id: String(task.value.id),
      statusId: String(task.value.statusId),
      task: isGoing ? structuredClone(task) : null,
    };
    if (isGoing) this.#rows.remove(task);
    this.state.steps[String(series.value.id)]?.push(step);
    this.#makeUpcoming(series);
    this.#rows.touch(series);
  }

  #removeUpcoming(series: Thing, keeps: boolean): void {
    const task = this.#rows.thing('task', series.value.nextTaskId, series.workspaceId);
    if (task && keeps) this.#rows.change(task, { recurrence: null });
    else if (task) this.#rows.remove(task);
  }

  #series(series: Thing, action: string, fields: Row): unknown {
    const { value } = series;
    const upcoming = this.#rows.thing('task', value.nextTaskId, series.workspaceId);
    const occurrenceAt = (upcoming?.value.recurrence as Row | undefined)?.occurrenceAt;
    if (action === 'pause' || action === 'resume') {
      this.state.steps[String(value.id)] = [];
      this.#rows.change(series, { state: action === 'pause' ? 'paused' : 'active' });
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
    this.#rows.remove(upcoming);
    delete this.state.trash[String(upcoming.value.id)];
    const earlier = this.#rows.thing('task', step.id, series.workspaceId) ?? step.task;
    delete this.state.trash[step.id];
    if (earlier) {
      this.state.things[step.id] = earlier;
      Object.assign(earlier.value, { statusId: `${series.workspaceId}-todo`, completedAt: null });
      this.#rows.touch(earlier);
      value.nextTaskId = step.id;
      value.nextRunAt = (earlier.value.recurrence as Row | undefined)?.occurrenceAt ?? null;
    }
    value.count = Number(value.count) - 1;
    this.#rows.touch(series);
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
      this.#rows.record(workspaceId, 'member', userId, role === null ? 'delete' : 'put');
      if ((before === undefined) !== (role === null))
        this.#rows.record(workspaceId, 'workspace', workspaceId, 'put');
    });
    if (before === undefined || role === null) this.#feed.tellOfWorkspaces(userId);
  }

  /** Takes a status out of the template or puts it back; its tasks get the first one. */
  toggleStatus(workspaceId: string): void {
    const template = this.state.things[`${workspaceId}-template`];
    if (!template) return;
    this.#commit('owner', '', () => {
      const statuses = template.value.statuses as Row[];
      const doing = statuses.find(({ id }) => id === `${workspaceId}-doing`);
      const restored = { ...STATUSES[1], id: `${workspaceId}-doing` };
      this.#rows.change(template, {
        statuses: doing ? statuses.filter((one) => one !== doing) : [...statuses, restored],
      });
      for (const list of this.#rows.things('list', workspaceId)) this.#rows.touch(list);
      if (doing)
        for (const task of this.#rows.things('task', workspaceId))
          if (task.value.statusId === doing.id) this.#rows.change(task, { statusId: `${workspaceId}-todo` });
    });
  }

  /** Puts an older file back. */
  restoreFrom(snapshot: State): void {
    const epoch = this.state.epoch + 1;
    this.#rows.state = { ...structuredClone(snapshot), epoch };
    this.endStreams();
  }

  /** Forgets what is older than 30 days, the newest row of each workspace excepted. */
  purge(): void {
    const newest = new Set(Object.keys(this.state.members).map((id) => this.#feed.newest(id).seq));
    const until = this.#timeline.now - 30 * DAY_MS;
    this.state.journal = this.state.journal.filter(({ seq, at }) => newest.has(seq) || at > until);
  }
}

/** Each thing once; too many of them become the workspace as a whole. */
function summarize(rows: readonly JournalRow[]): JournalRow[] {
  const latest = new Map<string, JournalRow>();
  for (const row of rows) latest.set(`${row.kind} ${row.id}`, row);
  const [first] = rows;
  if (latest.size <= MAX_ROWS || !first) return [...latest.values()];
  const apart = [...latest.values()].filter(({ kind }) => kind === 'label' || kind === 'member');
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
