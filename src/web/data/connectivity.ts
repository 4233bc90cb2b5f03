import { type Signal, signal } from '@preact/signals';
import type { Message } from './surroundings.ts';
import type { Tab } from './tab.ts';

/** In place of a leader's fence, which is above it: this tab knows nothing, and asks. */
const ASKS = 0;

/** Whether the device has a network and the server is reached, as far as its tabs know. */
export class Connectivity {
  readonly isOnline: Signal<boolean>;
  /** Null before the first response. */
  readonly isReached: Signal<boolean | null> = signal(null);
  readonly #tab: Tab;
  readonly #onReached: () => void;
  /** What the device said last. Only a change is news: browsers say "online" of a document opened without a network. */
  #said: boolean;

  constructor(tab: Tab, wasOffline: boolean, onReached: () => void) {
    this.#tab = tab;
    this.#onReached = onReached;
    this.#said = tab.world.isOnline();
    this.isOnline = signal(this.#said && !wasOffline);
    tab.listen((message) => {
      if (message.kind === 'sync') this.#hear(message);
    });
  }

  /** Asks the device again, which may just have told that its network came or went; returns whether it is back. */
  refresh(hasTold: boolean): boolean {
    const wasOnline = this.isOnline.value;
    const isOnline = this.#tab.world.isOnline();
    if (hasTold || isOnline !== this.#said) this.isOnline.value = isOnline;
    this.#said = isOnline;
    return this.isOnline.value && (!wasOnline || this.isReached.value === false);
  }

  /** Notes what a request of the leading tab came to, and tells the other tabs. */
  report(isReached: boolean): void {
    if (this.isReached.value === isReached || !this.#tab.lease) return;
    this.#note(isReached);
    this.#tell();
    if (isReached) this.#onReached();
  }

  /**
   * A response proves that there is a network, whatever the device says. It may have been under way when the network
   * went: once one fails, the device is believed again.
   */
  #note(isReached: boolean | null): void {
    if (isReached && !this.isReached.value) this.isOnline.value = true;
    if (isReached === false && !this.#tab.world.isOnline()) this.isOnline.value = this.#said = false;
    this.isReached.value = isReached;
  }

  /** Asks the tab that leads, which tells by itself only what changes. */
  ask(): void {
    this.isReached.value = null;
    this.#tab.tell({ kind: 'sync', isReached: null, fence: ASKS });
  }

  /** The leader knows; a tab that thought it was may say something else. */
  #hear({ isReached, fence }: Extract<Message, { kind: 'sync' }>): void {
    if (fence !== ASKS && fence >= (this.#tab.lease?.fence ?? 0)) this.#note(isReached);
    else if (this.isReached.value !== isReached) this.#tell();
  }

  #tell(): void {
    const { lease } = this.#tab;
    if (lease) this.#tab.tell({ kind: 'sync', isReached: this.isReached.value, fence: lease.fence });
  }
}
