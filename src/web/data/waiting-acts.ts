import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Aside, actNamesOf, type Change, isDroppable, setAside } from './change.ts';
import type { Tab } from './tab.ts';

const ASIDE_MS = 90 * 86_400_000;

/** One act of the person that waits, or was set aside. */
export interface WaitingAct {
  act: string;
  name: string;
  at: number;
  changes: readonly Change[];
  /** Why it was set aside; null while it waits. */
  why: Aside | null;
}

/** What waits and what was set aside, an entry for each act; what depends on a failed change belongs to its act. */
function actsOf(outbox: readonly Change[]): WaitingAct[] {
  const acts = new Map<string, Omit<WaitingAct, 'name'> & { names: Set<string>; changes: Change[] }>();
  for (const change of outbox) {
    const root = outbox.find(({ id }) => id === change.aside?.root) ?? change;
    const act = change.aside ? `${root.act} ${change.aside.root}` : root.act;
    const entry = acts.get(act) ?? { act, names: new Set(), at: root.at, changes: [], why: change.aside };
    for (const name of actNamesOf(root)) entry.names.add(name);
    entry.changes.push(change);
    acts.set(act, entry);
  }
  return [...acts.values()].map(({ names, ...entry }) => ({ ...entry, name: [...names].join('; ') }));
}

/** The acts in the outbox, and what a person does with those that were set aside. */
export class WaitingActs {
  readonly all: ReadonlySignal<WaitingAct[]>;
  /** What was set aside last, to be told once: on every page, as the person may be at any. */
  readonly notice: Signal<WaitingAct | null> = signal(null);
  readonly #tab: Tab;
  readonly #onRetry: () => void;

  constructor(tab: Tab, onRetry: () => void) {
    this.#tab = tab;
    this.#onRetry = onRetry;
    this.all = computed(() => actsOf(tab.outbox.value));
    tab.listen((message) => {
      if (message.kind === 'aside') this.#notice(message.changes);
    });
  }

  /** Tries again what was set aside. */
  async retry({ changes }: WaitingAct): Promise<void> {
    await this.#tab.editOutbox(changes, (change) => ({ ...change, aside: null, tries: 0, maxBatch: 100 }));
    this.#onRetry();
  }

  /** Drops an act that waits or was set aside. */
  async drop({ changes }: WaitingAct): Promise<void> {
    await this.#tab.editOutbox(changes, () => null);
  }

  /** Of two versions of a text keeps mine, over what is there now. */
  async keepMine({ changes }: WaitingAct): Promise<void> {
    await this.#tab.editOutbox(changes, ({ text, ...change }) => {
      if (!text) return change;
      const from = change.aside?.theirs?.text ?? null;
      return { ...change, aside: null, tries: 0, text: { ...text, from } };
    });
    this.#onRetry();
  }

  /** Sets all changes of a workspace aside, an entry for each act; where it is no longer ours to read, its rows go as well. */
  async loseWorkspace(workspaceId: string, forgets: boolean): Promise<void> {
    const message = forgets
      ? 'You are no longer a member of this workspace'
      : 'You may only read this workspace';
    let aside: Change[] = [];
    await this.#tab.commitAsLeader(({ outbox }) => {
      const open = outbox.filter((change) => change.workspaceId === workspaceId && !change.aside);
      const why = { status: 403, error: 'ForbiddenError', message, issues: [] };
      const roots = new Map(open.toReversed().map(({ act, id }) => [act, id]));
      aside = open.map((change) =>
        setAside(change, why, roots.get(change.act) ?? change.id, this.#tab.world.now()),
      );
      const remove = aside.filter(isDroppable).map(({ seq }) => seq);
      const put = aside.filter((change) => !isDroppable(change));
      return { changes: { put, remove }, ...(forgets && { forget: [workspaceId] }) };
    });
    if (aside.length > 0) this.tell(aside);
  }

  /** Tells the person of changes that were set aside. */
  tell(changes: readonly Change[]): void {
    this.#tab.tell({ kind: 'aside', changes });
    this.#notice(changes);
  }

  #notice(changes: readonly Change[]): void {
    const [first, ...others] = actsOf(changes);
    const more = others.length > 0 && { name: `${others.length + 1} changes` };
    this.notice.value = first ? { ...first, ...more } : null;
  }

  /** Drops what was set aside long ago. */
  async purge(): Promise<void> {
    await this.#tab.commitAsLeader(({ outbox }) => {
      const now = this.#tab.world.now();
      const old = outbox.filter(({ aside }) => aside && aside.at < now - ASIDE_MS);
      return old.length > 0 ? { changes: { put: [], remove: old.map(({ seq }) => seq) } } : null;
    });
  }
}
