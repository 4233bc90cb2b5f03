import { effect } from '@preact/signals';
import { type Change, type Intent, mayAdvance } from './change.ts';
import { makeId } from './ids.ts';
import type { Tab } from './tab.ts';
import { inverseOf, madeAgain, type Remade, replacedBy, type Step, stepOf } from './undo.ts';

const MAX_UNDO = 200;
/** How long taking back waits for what the server says of the act. */
const MAX_WAIT_MS = 3_000;

interface Done {
  name: string;
  steps: Step[];
}

/** What `undo` or `redo` came to. */
export interface TakenBack {
  name: string;
  /** False where it was so already, cannot be any more, or cannot be yet: then `isEarly`. */
  isDone: boolean;
  isEarly?: true;
  /** The things it was done to. */
  things: readonly string[];
}

/** What the person does on this page, to be undone and done again. */
export class Acts {
  readonly #tab: Tab;
  readonly #onAdded: () => void;
  readonly #undo: Done[] = [];
  readonly #redo: Done[] = [];
  /** What is being taken back, one after the other. */
  #taking: Promise<unknown> = Promise.resolve();

  constructor(tab: Tab, onAdded: () => void) {
    this.#tab = tab;
    this.#onAdded = onAdded;
  }

  /** Does something at once, as one act that can be undone as one. */
  async do(name: string, intents: readonly Intent[]): Promise<void> {
    this.#redo.length = 0;
    await this.#do(name, intents, this.#undo);
  }

  async #do(
    name: string,
    intents: readonly Intent[],
    stack: Done[],
    more: Pick<Change, 'undoes'> = {},
  ): Promise<void> {
    if (intents.length === 0) return;
    const { view, world } = this.#tab;
    const at = world.now();
    const act = makeId(at);
    const steps: Step[] = [];
    const changes = intents.map((intent): Change => {
      const { delay = 0, ...rest } = intent;
      const id = makeId(at);
      steps.push(stepOf(intent, id, view, this.#tab.outbox.value));
      const start = { sent: 0, tries: 0, notBefore: delay && at + delay, maxBatch: 100, aside: null };
      // For when the status is gone by the time it is sent.
      const statusType = view.status(String(rest.fields.statusId))?.type;
      return {
        ...rest,
        ...(statusType && { statusType }),
        id,
        act,
        actName: name,
        at,
        seq: at,
        ...start,
        ...more,
      };
    });
    // A change of several instances cannot be taken back.
    if (intents.some(({ op }) => op !== 'editMode')) stack.push({ name, steps });
    if (stack.length > MAX_UNDO) stack.shift();
    await this.#tab.add(changes);
    this.#onAdded();
  }

  /** Undoes the last act, as far as things still hold what it set. Null where there is none. */
  undo(): Promise<TakenBack | null> {
    return this.#inOrder(() => this.#takeBack(this.#undo, this.#redo, { undoes: true }));
  }

  /** Does again what was undone last. Null where there is none. */
  redo(): Promise<TakenBack | null> {
    return this.#inOrder(() => this.#takeBack(this.#redo, this.#undo));
  }

  #inOrder(take: () => Promise<TakenBack | null>): Promise<TakenBack | null> {
    const taken = this.#taking.then(take);
    this.#taking = taken.catch(() => {});
    return taken;
  }

  async #takeBack(from: Done[], to: Done[], more?: Pick<Change, 'undoes'>): Promise<TakenBack | null> {
    const done = from.at(-1);
    if (!done) return null;
    if (!(await this.#isDecided(done))) return { name: done.name, isDone: false, isEarly: true, things: [] };
    // Where something was done meanwhile, it is not the last any more.
    from.splice(from.indexOf(done), 1);
    const { view, world } = this.#tab;
    const newId = () => makeId(world.now());
    const outbox = this.#tab.outbox.value;
    const delayed = outbox.filter(({ sent, notBefore }) => sent === 0 && notBefore > 0);
    const intents = new Set<Intent>();
    let isDropped = false;
    const remade: Remade = new Map();
    const unsaved = new Set(outbox.flatMap(({ id, aside }) => (aside ? id : [])));
    for (const step of done.steps.toReversed().filter(({ changeId }) => !unsaved.has(changeId))) {
      const unsent = delayed.filter(({ id }) => id === step.changeId);
      if (unsent.length === 0) {
        const again = inverseOf(step, view, outbox, remade);
        if (again.length === 0 && from === this.#redo) again.push(...madeAgain(step, view, newId, remade));
        for (const intent of again) intents.add(intent);
      } else {
        for (const intent of replacedBy(step, outbox)) intents.add(intent);
        await this.#tab.editOutbox(unsent, () => null);
        isDropped = true;
      }
    }
    await this.#do(done.name, [...intents], to, more);
    const things = done.steps.map(({ intent }) => intent.thing);
    return { name: done.name, isDone: isDropped || intents.size > 0, things };
  }

  /** What took a series on has a way back only once the server said where to; false where it does not say in time. */
  #isDecided({ steps }: Done): Promise<boolean> | boolean {
    const { outbox, world } = this.#tab;
    const things = new Set(
      steps.flatMap(({ intent, seriesId }) =>
        intent.op === 'skip' || (seriesId !== null && mayAdvance(intent)) ? [intent.thing] : [],
      ),
    );
    // Another change that was not sent yet is merged with its inverse.
    const isOpen = () =>
      outbox
        .peek()
        .some(
          (change) =>
            !change.aside &&
            (change.op === 'skip' || (change.sent > 0 && mayAdvance(change))) &&
            things.has(change.thing),
        );
    if (!isOpen()) return true;
    return new Promise((resolve) => {
      const end = (isDecided: boolean) => {
        stop();
        cancel();
        resolve(isDecided);
      };
      const cancel = world.after(MAX_WAIT_MS, () => end(false));
      const stop = effect(() => {
        outbox.value;
        if (!isOpen()) queueMicrotask(() => end(true));
      });
    });
  }
}
