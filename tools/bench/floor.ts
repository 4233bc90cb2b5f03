/**
 * The floor: what one would write by hand for only the requests that are measured, with the same responses, checks per
 * request and durability. Its schema is in `floor-schema.ts`, its seed in `data.ts`.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import SqliteDatabase from 'better-sqlite3';
import { type Context, Hono } from 'hono';
import { jwtVerify } from 'jose';

const { FLOOR_PATH = '', FLOOR_PORT = '', FLOOR_SECRET = '', FLOOR_COMMITS = '' } = process.env;
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'];
const LABELS = ['No priority', 'Low', 'Medium', 'High', 'Urgent'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const db = new SqliteDatabase(FLOOR_PATH, { fileMustExist: true });
for (const setting of [
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  'temp_store = memory',
  'cache_size = -65536',
  'wal_autocheckpoint = 8000',
]) {
  db.pragma(setting);
}

interface Row {
  id: string;
  workspace_id: string;
  space_id: string;
  list_id: string;
  status_id: string;
  priority: number;
  assignee_id: string | null;
  creator_id: string | null;
  start_date: string | null;
  due_date: string | null;
  completed_at: string | null;
  position: number;
  created_at: string;
  updated_at: string;
  title: string;
  description: string | null;
  number: number;
  label_ids: string | null;
  checklist: string | null;
  comment_count: number;
  version: number;
}

const etagOf = ({ version }: Row) => `"floor-${version}"`;
const isDay = (date: string | null) => date?.length === 10;

const task = (row: Row) => ({
  id: row.id,
  number: row.number,
  workspaceId: row.workspace_id,
  spaceId: row.space_id,
  listId: row.list_id,
  title: row.title,
  description: row.description,
  priority: PRIORITIES[row.priority],
  statusId: row.status_id,
  assigneeId: row.assignee_id,
  creatorId: row.creator_id,
  startDate: isDay(row.start_date) ? null : row.start_date,
  startDay: isDay(row.start_date) ? row.start_date : null,
  dueDate: isDay(row.due_date) ? null : row.due_date,
  dueDay: isDay(row.due_date) ? row.due_date : null,
  completedAt: row.completed_at,
  position: row.position,
  labelIds: row.label_ids === null ? [] : JSON.parse(row.label_ids),
  checklist: row.checklist === null ? [] : JSON.parse(row.checklist),
  commentCount: row.comment_count,
  recurrence: null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
});

const COLUMNS = `tasks.id, tasks.workspace_id, space_id, list_id, status_id, priority, assignee_id, creator_id, start_date, due_date,
  completed_at, position, created_at, updated_at, tasks.title, tasks.description,
  tasks.number, label_ids, tasks.checklist, comment_count, version`;
const sessionUser = db.prepare('select user_id from sessions where id = ? and expires_at > ?').pluck();
const memberRole = db.prepare('select role from members where workspace_id = ? and user_id = ?').pluck();
const workspaceExists = db.prepare('select 1 from workspaces where id = ?').pluck();
const one = db.prepare(`select ${COLUMNS} from tasks where workspace_id = ? and id = ?`);
const page = db.prepare(`select ${COLUMNS} from tasks where workspace_id = ? order by id limit ? offset ?`);
const deepPage = db.prepare(
  `select ${COLUMNS} from (select seq as hit from tasks where workspace_id = ? order by id limit ? offset ?)
    join tasks on seq = hit order by tasks.id`,
);
const total = db.prepare('select ifnull(sum(n), 0) from counts where workspace_id = ?').pluck();
const totals = db.prepare(
  'select priority, sum(n) as n from counts where workspace_id = ? group by priority',
);
const totalsOf = db.prepare('select priority, n from counts where workspace_id = ? and assignee_id = ?');
const byPriority = db.prepare(
  `select ${COLUMNS} from tasks where workspace_id = ? order by priority desc, id limit ? offset ?`,
);
const byPriorityOf = db.prepare(
  `select ${COLUMNS} from tasks where workspace_id = ? and assignee_id = ? order by priority desc, id limit ? offset ?`,
);
const matches = db
  .prepare(
    'select count(*) from task_search join tasks on seq = task_search.rowid where task_search match ? and workspace_id = ?',
  )
  .pluck();
const matching = db.prepare(
  `select ${COLUMNS} from task_search join tasks on seq = task_search.rowid
    where task_search match ? and workspace_id = ? order by task_search.rowid desc limit ? offset ?`,
);
const list = db.prepare(
  'select space_id, status_template_id as template from lists where workspace_id = ? and id = ?',
);
const statuses = db.prepare('select id, type from statuses where template_id = ? order by position, id');
const lastPosition = db
  .prepare('select max(position) from tasks where workspace_id = ? and list_id = ?')
  .pluck();
const insert = db.prepare(
  `insert into tasks (id, workspace_id, space_id, list_id, status_id, priority, assignee_id, creator_id, start_date,
    due_date, completed_at, position, created_at, updated_at, title, title_key, description, number, comment_count,
    version)
    values (:id, :workspace_id, :space_id, :list_id, :status_id, :priority, :assignee_id, :creator_id, :start_date,
    :due_date, :completed_at, :position, :created_at, :updated_at, :title, lower(:title), :description, :number, 0, 1)`,
);
const nextNumber = db
  .prepare('insert into numbers values (?, 1) on conflict do update set last = last + 1 returning last')
  .pluck();
const count = db.prepare('insert into counts values (?, ?, ?, 1) on conflict do update set n = n + 1');
const index = db.prepare('insert into task_search (rowid, title, description) values (?, ?, ?)');

/** The jobs of one turn of the event loop share a commit, or each has its own. */
const waiting: { run: () => unknown; resolve: (value: never) => void; reject: (reason: unknown) => void }[] =
  [];
const write = <T>(run: () => T): Promise<T> =>
  new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(commit);
    waiting.push({ run, resolve, reject });
  });

function commit(): void {
  const jobs = waiting.splice(0);
  for (const batch of FLOOR_COMMITS === 'each' ? jobs.map((job) => [job]) : [jobs]) {
    try {
      db.exec('begin immediate');
      const values = batch.map(({ run }) => run());
      db.exec('commit');
      for (const [i, { resolve }] of batch.entries()) resolve(values[i] as never);
    } catch (reason) {
      if (db.inTransaction) db.exec('rollback');
      for (const { reject } of batch) reject(reason);
    }
  }
}

class Rejection extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const response = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: {
      ...headers,
      'X-Request-Id': randomUUID(),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Type': 'application/json; charset=utf-8',
    },
  });

const verified = new Map<string, { userId: string; sessionId: string; expiresAt: number }>();
const key = Buffer.from(FLOOR_SECRET, 'base64url');

/** Who asks, and that they belong to the workspace. */
async function authorize(context: Context): Promise<{ userId: string; workspaceId: string }> {
  const [, token = ''] = /^bearer (\S+)$/i.exec(context.req.header('authorization') ?? '') ?? [];
  let known = verified.get(token);
  if (!known) {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] }).catch(() => {
      throw new Rejection(401, 'Not signed in');
    });
    known = {
      userId: String(payload.sub),
      sessionId: String(payload.sid),
      expiresAt: Number(payload.exp) * 1_000,
    };
    if (verified.size < 10_000) verified.set(token, known);
  }
  const now = Date.now();
  const isLive = sessionUser.get(known.sessionId, new Date(now).toISOString()) === known.userId;
  if (known.expiresAt <= now || !isLive) throw new Rejection(401, 'The session has ended');
  const workspaceId = context.req.param('workspace') ?? '';
  const role = memberRole.get(workspaceId, known.userId);
  if (!role && !workspaceExists.get(workspaceId)) throw new Rejection(404, 'There is no such workspace');
  if (!role || (role === 'viewer' && context.req.method !== 'GET')) throw new Rejection(403, 'Not for you');
  return { userId: known.userId, workspaceId };
}

function pageOf(context: Context): { page: number; limit: number; offset: number } {
  const [page = 1, limit = 50] = [context.req.query('page'), context.req.query('limit')].map((text) =>
    text === undefined ? undefined : /^\d{1,15}$/.test(text) ? Number(text) : 0,
  );
  if (page < 1 || limit < 1) throw new Rejection(400, 'page and limit must be whole numbers from 1');
  const clamped = Math.min(limit, 100);
  return { page, limit: clamped, offset: (page - 1) * clamped };
}

const app = new Hono();

app.get('/api/workspaces/:workspace/tasks', async (context) => {
  const { workspaceId } = await authorize(context);
  const { page: number, limit, offset } = pageOf(context);
  const rows = (offset < 100 ? page : deepPage).all(workspaceId, limit, offset) as Row[];
  return response(200, { items: rows.map(task), page: number, limit, total: total.get(workspaceId) });
});

app.get('/api/workspaces/:workspace/tasks/query', async (context) => {
  const { workspaceId, userId } = await authorize(context);
  const { page: number, limit, offset } = pageOf(context);
  if (context.req.query('groupBy') !== 'priority') throw new Rejection(400, 'Group by priority');
  const asked = context.req.query('assigneeId');
  const assignee = asked === 'me' ? userId : asked;
  const counted = (
    assignee === undefined ? totals.all(workspaceId) : totalsOf.all(workspaceId, assignee)
  ) as { priority: number; n: number }[];
  const rows = (
    assignee === undefined
      ? byPriority.all(workspaceId, limit, offset)
      : byPriorityOf.all(workspaceId, assignee, limit, offset)
  ) as Row[];
  const groups = [...new Set(rows.map(({ priority }) => priority))].map((priority) => ({
    key: PRIORITIES[priority],
    label: LABELS[priority],
    total: counted.find((each) => each.priority === priority)?.n ?? 0,
    taskIds: rows.filter((row) => row.priority === priority).map(({ id }) => id),
  }));
  const all = counted.reduce((sum, { n }) => sum + n, 0);
  return response(200, { items: rows.map(task), page: number, limit, total: all, groups });
});

app.get('/api/workspaces/:workspace/tasks/search', async (context) => {
  const { workspaceId } = await authorize(context);
  const { page: number, limit, offset } = pageOf(context);
  const asked = (context.req.query('q') ?? '').trim();
  if (asked === '' || asked.length > 200) throw new Rejection(400, 'q must be 1 to 200 characters');
  const words = asked
    .match(/[\p{L}\p{N}]+/gu)
    ?.map((word) => `"${word}" *`)
    .join(' AND ');
  if (!words) return response(200, { items: [], page: number, limit, total: 0 });
  const inTitle = `{title} : (${words})`;
  const found = Number(matches.get(words, workspaceId));
  const rows = matching.all(inTitle, workspaceId, limit, offset) as Row[];
  if (rows.length < limit && offset + rows.length < found) {
    const titles =
      rows.length > 0 || offset === 0 ? offset + rows.length : Number(matches.get(inTitle, workspaceId));
    const rest = `(${words}) NOT (${inTitle})`;
    rows.push(
      ...(matching.all(rest, workspaceId, limit - rows.length, Math.max(offset - titles, 0)) as Row[]),
    );
  }
  return response(200, { items: rows.map(task), page: number, limit, total: found });
});

app.get('/api/workspaces/:workspace/tasks/:task', async (context) => {
  const { workspaceId } = await authorize(context);
  const row = one.get(workspaceId, context.req.param('task')) as Row | undefined;
  if (!row) throw new Rejection(404, 'There is no such task');
  return response(200, task(row), { ETag: etagOf(row) });
});

app.post('/api/workspaces/:workspace/tasks', async (context) => {
  const { workspaceId, userId } = await authorize(context);
  if (!context.req.header('content-type')?.startsWith('application/json'))
    throw new Rejection(415, 'JSON only');
  const body = await context.req.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null) throw new Rejection(400, 'The body must be a JSON object');
  const title = typeof body.title === 'string' ? body.title.trim() : '';
  const description = body.description || null;
  const priority = PRIORITIES.indexOf(body.priority ?? 'none');
  const dates = [body.startDate ?? null, body.dueDate ?? null].map((text) =>
    text === null ? null : INSTANT.test(text) ? new Date(text).toISOString() : undefined,
  );
  const [startDate, dueDate] = dates;
  const isValid =
    title !== '' &&
    title.length <= 500 &&
    (description === null || (typeof description === 'string' && description.length <= 50_000)) &&
    priority >= 0 &&
    !dates.includes(undefined) &&
    UUID.test(body.listId) &&
    (body.position === undefined || Number.isFinite(body.position));
  if (!isValid) throw new Rejection(400, 'The task is not valid');

  const row = await write((): Row | undefined => {
    const place = list.get(workspaceId, body.listId) as { space_id: string; template: string } | undefined;
    if (!place) return undefined;
    const known = statuses.all(place.template) as { id: string; type: string }[];
    const status = known.find(({ id }) => body.statusId === undefined || id === body.statusId);
    const role = body.assigneeId ? memberRole.get(workspaceId, body.assigneeId) : 'member';
    if (!status || !role || role === 'viewer') return undefined;
    const now = new Date();
    const row: Row = {
      id: uuid7(now.getTime()),
      workspace_id: workspaceId,
      space_id: place.space_id,
      list_id: body.listId,
      status_id: status.id,
      priority,
      assignee_id: body.assigneeId ?? null,
      creator_id: userId,
      start_date: startDate ?? null,
      due_date: dueDate ?? null,
      completed_at: status.type === 'completed' ? now.toISOString() : null,
      position: body.position ?? Number(lastPosition.get(workspaceId, body.listId) ?? 0) + 1024,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
      title,
      description,
      number: Number(nextNumber.get(workspaceId)),
      label_ids: null,
      checklist: null,
      comment_count: 0,
      version: 1,
    };
    const { lastInsertRowid } = insert.run(row);
    count.run(workspaceId, row.assignee_id ?? '', priority);
    index.run(lastInsertRowid, title, description);
    return row;
  });
  if (!row) throw new Rejection(400, 'The list, status or assignee is not valid');
  const path = new URL(context.req.url).pathname;
  return response(201, task(row), { ETag: etagOf(row), Location: `${path}/${row.id}` });
});

app.onError((error) =>
  error instanceof Rejection
    ? response(error.status, { error: error.message })
    : response(500, { error: error.message }),
);

let sequence = 0;
function uuid7(now: number): string {
  sequence = (sequence + 1) % 0x1000;
  const time = now.toString(16).padStart(12, '0');
  const random = randomBytes(7).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-8${random.slice(0, 3)}-${random.slice(2, 14)}`;
}

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(FLOOR_PORT) });
process.on('SIGTERM', () => {
  db.close();
  process.exit();
});
