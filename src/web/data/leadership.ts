import type { Locks } from './surroundings.ts';
import type { Tab } from './tab.ts';

// A tab that was killed is replaced within the 5 s that the design allows, without locks too.
const RENEW_MS = 2_000;
const LEASE_MS = 4_500;
// Browsers wake hidden pages once a minute: they would take the lease from each other.
const HIDDEN_MS = 90_000;

/**
 * Lets one tab at a time hold the stream and send. The right is a row on the disk, renewed while the tab lives; locks
 * and messages only make a change of leader quick.
 */
export class Leadership {
  readonly #tab: Tab;
  readonly #onLead: () => void;
  readonly #onLose: () => void;
  #isLeading = false;
  #cancel: () => void = () => {};
  #release: () => void = () => {};

  constructor(tab: Tab, onLead: () => void, onLose: () => void) {
    this.#tab = tab;
    this.#onLead = onLead;
    this.#onLose = onLose;
  }

  /** Begins; resolves once it is known whether this tab leads, and it began to. */
  async start(locks: Locks | null): Promise<void> {
    this.#tab.listen(({ kind }) => {
      if (kind === 'leaving') void this.check();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#release = resolve;
    locks?.hold(`errand-${this.#tab.userId}`, promise).then(
      () => this.check(true),
      () => {},
    );
    await this.check();
  }

  /** Looks at the row now: takes it where it is free or its holder gone, renews it where it is ours. */
  async check(hasLock = false): Promise<void> {
    this.#cancel();
    await this.#claim(hasLock).catch(() => {});
    if (!this.#tab.isClosed) this.#cancel = this.#tab.world.after(RENEW_MS, () => void this.check());
  }

  async #claim(hasLock: boolean): Promise<void> {
    const { id, world } = this.#tab;
    await this.#tab.commit((state) => {
      const now = world.now();
      const { lease } = state;
      const isOurs = this.#tab.leads(state);
      // A clock that was set back would make a lease last forever.
      const free = (lease?.until ?? 0) + (world.isVisible() || lease?.until === 0 ? 0 : HIDDEN_MS);
      const isFree = hasLock || free <= now || free > now + 2 * HIDDEN_MS;
      if (!isOurs && !isFree) {
        this.#tab.lease = null;
        return null;
      }
      const fence = isOurs && lease ? lease.fence : (lease?.fence ?? 0) + 1;
      this.#tab.lease = { tab: id, fence, until: now + LEASE_MS };
      return { lease: this.#tab.lease };
    });
    await this.#follow();
  }

  async #follow(): Promise<void> {
    const leads = this.#tab.lease !== null && !this.#tab.isClosed;
    if (leads === this.#isLeading) return;
    this.#isLeading = leads;
    if (!leads) return this.#onLose();
    await this.#tab.catchUp();
    if (this.#isLeading) this.#onLead();
  }

  /** Gives the right back and closes the disk, as a page does that goes. */
  leave(): void {
    this.#cancel();
    this.#release();
    if (this.#isLeading) this.#onLose();
    this.#isLeading = false;
    this.#tab.leave();
  }
}
