import type { Kind, Row } from '../../src/web/data/rows.ts';
import type { Timeline } from './simulation.ts';

export interface Thing {
  kind: Kind;
  workspaceId: string;
  maker: string | null;
  value: Row;
}

export interface JournalRow {
  seq: number;
  tag: number;
  workspaceId: string;
  kind: Kind;
  id: string;
  op: 'put' | 'delete' | 'refetch';
  at: number;
}

export interface State {
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

export const SECTIONS: readonly Kind[] = [
  'workspace',
  'member',
  'statusTemplate',
  'space',
  'list',
  'label',
  'recurringTask',
  'task',
];
/** The rows of a contract server, and the journal of what changes them. */
export class ContractRows {
  readonly timeline: Timeline;
  state: State = {
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
  /** Who writes. */
  actor = { userId: '', clientId: '' };
  /** What the present commit has changed. */
  changed: JournalRow[] = [];

  constructor(timeline: Timeline) {
    this.timeline = timeline;
  }

  /** Every row of a workspace as a fresh client would hold it, comments too. */
  contentsOf(workspaceId: string): { kind: Kind; id: string; value: Row }[] {
    return [
      ...SECTIONS.flatMap((kind) => this.section(kind, workspaceId)),
      ...this.things('comment', workspaceId).map(({ value }) => ({
        kind: 'comment' as const,
        id: String(value.id),
        value,
      })),
    ];
  }

  workspacesOf(userId: string): string[] {
    return Object.keys(this.state.members).filter((id) => this.state.members[id]?.[userId] !== undefined);
  }

  things(kind: Kind, workspaceId: string): Thing[] {
    return Object.values(this.state.things).filter((t) => t.kind === kind && t.workspaceId === workspaceId);
  }

  thing(kind: Kind, id: unknown, workspaceId: string): Thing | undefined {
    const found = this.state.things[String(id)];
    return found?.kind === kind && found.workspaceId === workspaceId ? found : undefined;
  }

  valueOf(kind: Kind, id: string, workspaceId: string): Row | undefined {
    if (kind === 'member') {
      const role = this.state.members[workspaceId]?.[id];
      return role === undefined
        ? undefined
        : { userId: id, name: id, email: `${id}@x.test`, role, joinedAt: '' };
    }
    const thing = this.thing(kind, id, workspaceId);
    if (!thing) return undefined;
    if (kind === 'list') {
      const template = this.state.things[String(thing.value.statusTemplateId)];
      return { ...thing.value, statuses: template?.value.statuses };
    }
    if (kind === 'workspace')
      return { ...thing.value, memberCount: Object.keys(this.state.members[workspaceId] ?? {}).length };
    if (kind === 'task') {
      const commentCount = this.things('comment', workspaceId).filter(
        ({ value }) => value.taskId === id,
      ).length;
      return { ...thing.value, commentCount };
    }
    return thing.value;
  }

  isOpen(value: Row): boolean {
    return !String(value.statusId).endsWith('done');
  }

  section(kind: Kind, workspaceId: string): { kind: Kind; id: string; value: Row }[] {
    const ids =
      kind === 'member'
        ? Object.keys(this.state.members[workspaceId] ?? {})
        : this.things(kind, workspaceId).map(({ value }) => String(value.id));
    return ids.map((id) => ({ kind, id, value: this.valueOf(kind, id, workspaceId) ?? {} }));
  }

  now(): string {
    return new Date(this.timeline.now).toISOString();
  }

  record(workspaceId: string, kind: Kind, id: string, op: JournalRow['op']): void {
    this.changed.push({ seq: 0, tag: 0, workspaceId, kind, id, op, at: this.timeline.now });
  }

  make(kind: Kind, id: string, workspaceId: string, value: Row): Thing {
    const maker = this.actor.userId || null;
    const thing = {
      kind,
      workspaceId,
      maker,
      value: { ...value, ...(kind !== 'statusTemplate' && { version: 1 }) },
    };
    this.state.things[id] = thing;
    this.state.used[id] = kind;
    this.record(workspaceId, kind, id, 'put');
    return thing;
  }

  change(thing: Thing, fields: Row): void {
    const isSame = Object.entries(fields).every(
      ([name, value]) => JSON.stringify(thing.value[name]) === JSON.stringify(value),
    );
    if (isSame) return;
    Object.assign(thing.value, fields, { updatedAt: this.now() });
    this.touch(thing);
  }

  touch(thing: Thing): void {
    if (thing.kind !== 'statusTemplate') thing.value.version = Number(thing.value.version) + 1;
    this.record(thing.workspaceId, thing.kind, String(thing.value.id), 'put');
  }

  within(thing: Thing): Thing[] {
    const { id } = thing.value;
    const all = Object.values(this.state.things);
    const direct = all.filter(
      ({ kind, value }) =>
        (thing.kind === 'space' && kind === 'list' && value.spaceId === id) ||
        (thing.kind === 'list' && (kind === 'task' || kind === 'recurringTask') && value.listId === id) ||
        (thing.kind === 'task' && kind === 'comment' && value.taskId === id),
    );
    return direct.flatMap((one) => [one, ...this.within(one)]);
  }

  /** Takes a thing away with what it contains; into the trash, where there is one for it. */
  remove(thing: Thing): void {
    const id = String(thing.value.id);
    const gone = [thing, ...this.within(thing)];
    for (const one of gone) {
      delete this.state.things[String(one.value.id)];
      if (one.kind === 'list' && one !== thing)
        this.record(one.workspaceId, 'list', String(one.value.id), 'delete');
    }
    if (['task', 'list', 'space'].includes(thing.kind)) this.state.trash[id] = gone;
    this.record(thing.workspaceId, thing.kind, id, 'delete');
    if (thing.kind === 'comment') this.touchTask(thing);
    if (thing.kind === 'label')
      for (const task of this.things('task', thing.workspaceId)) {
        const labelIds = (task.value.labelIds as string[]).filter((label) => label !== id);
        this.change(task, { labelIds });
      }
  }

  touchTask(comment: Thing): void {
    const task = this.thing('task', comment.value.taskId, comment.workspaceId);
    if (task) this.touch(task);
  }
}
