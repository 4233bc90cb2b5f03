import type { Outcome } from './api.ts';
import type { RowWrites } from './feed.ts';
import type { Flight } from './flights.ts';
import type { Comment, Held, Row, Task } from './rows.ts';
import type { Tab, Thread } from './tab.ts';

const MAX_THREADS = 50;
/** A response to what was asked before the copy of its workspace started over is dropped, and asked for again. */
const MAX_TRIES = 3;

/** What is asked of the server beside what is held: tasks, and the comments of tasks. */
export class ServerQueries {
  readonly #tab: Tab;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /**
   * Asks the server for tasks that need not be held: `tasks/query?…`, `tasks/search?…`, `tasks/{id}`. They are put beside
   * those held and kept in step. Null where it gives none.
   */
  async run<Body = { items: Task[]; total: number }>(
    workspaceId: string,
    path: string,
  ): Promise<Body | null> {
    const outcome = await this.find<Body>(workspaceId, path);
    return outcome.kind === 'ok' ? outcome.body : null;
  }

  /** Asks as `run` does, and tells what went wrong. */
  async find<Body = Task>(workspaceId: string, path: string): Promise<Outcome<Body>> {
    for (let tries = 1; ; tries++) {
      const flight = this.#tab.flights.start();
      const outcome = await this.#tab.api.request('GET', `workspaces/${workspaceId}/${path}`);
      if (outcome.kind === 'ok') {
        const body = outcome.body as { items: Task[] } | Task;
        await this.#adopt(workspaceId, 'items' in body ? body.items : [body], flight);
      }
      this.#tab.flights.end(flight);
      if (outcome.kind !== 'ok') return outcome;
      if (!flight.reset.has(workspaceId) || tries === MAX_TRIES) return outcome as Outcome<Body>;
    }
  }

  async #adopt(workspaceId: string, tasks: readonly Task[], flight: Flight): Promise<void> {
    await this.#tab.commit(() => {
      if (flight.reset.has(workspaceId)) return null;
      const put = tasks.filter(({ id, version }) => {
        const present = this.#tab.view.get('task', id);
        return present ? Number(present.version) < version : !flight.touched.has(`task:${id}`);
      });
      if (put.length === 0) return null;
      return { rows: { put: put.map((task) => heldAs('task', task, workspaceId)), remove: [] } };
    });
  }

  /** Whether the comments of a task are held whole, and kept in step. */
  holdsComments(taskId: string): boolean {
    this.#tab.noted.value;
    return this.#tab.threads.some((thread) => thread.taskId === taskId && !thread.isLoading);
  }

  /** Grows whenever the copy of a workspace starts over: comments that were loaded before are held no more. */
  loadsOf(workspaceId: string): number {
    this.#tab.noted.value;
    return this.#tab.positions.get(workspaceId)?.loads ?? 0;
  }

  /** Loads the comments of a task, and keeps them in step from then on; returns whether that was possible. */
  async loadComments(workspaceId: string, taskId: string): Promise<boolean> {
    const flight = this.#tab.flights.start();
    await this.#tab.commit(() => this.#noteThreads(taskId, { workspaceId, taskId, isLoading: true }));
    const path = `workspaces/${workspaceId}/tasks/${taskId}/comments`;
    const comments = await this.#tab.api.readAll<Comment>(path);
    this.#tab.flights.end(flight);
    let isLoaded = false;
    await this.#tab.commit(() => {
      if (!Array.isArray(comments) || flight.reset.has(workspaceId)) return this.#noteThreads(taskId, null);
      isLoaded = true;
      const isLate = (id: string): boolean => flight.touched.has(`comment:${id}`);
      const ids = new Set(comments.map(({ id }) => id));
      const put = comments.filter(({ id }) => !isLate(id));
      const gone = [...this.#tab.view.of('comment', workspaceId)].filter(
        ([key, row]) => row.taskId === taskId && !ids.has(key) && !isLate(key),
      );
      const { notes, rows } = this.#noteThreads(taskId, { workspaceId, taskId, isLoading: false });
      const remove = [...rows.remove, ...gone.map(([key]) => ({ kind: 'comment' as const, key }))];
      return { notes, rows: { put: put.map((one) => heldAs('comment', one, workspaceId)), remove } };
    });
    return isLoaded;
  }

  /** The newest threads, and that of a task as given; comments of others are held no more. */
  #noteThreads(taskId: string, thread: Thread | null): { notes: { threads: Thread[] }; rows: RowWrites } {
    const others = this.#tab.threads.filter((other) => other.taskId !== taskId);
    const threads = [...others, ...(thread ? [thread] : [])].slice(-MAX_THREADS);
    const kept = new Set<unknown>(threads.map((one) => one.taskId));
    const remove = this.#tab.view
      .held()
      .filter(({ kind, value }) => kind === 'comment' && !kept.has(value.taskId))
      .map(({ key }) => ({ kind: 'comment' as const, key }));
    return { notes: { threads }, rows: { put: [], remove } };
  }
}

const heldAs = (kind: 'task' | 'comment', row: Task | Comment, workspaceId: string): Held => ({
  kind,
  key: row.id,
  workspaceId,
  value: row as unknown as Row,
});
