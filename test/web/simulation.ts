import { type Disk, MemoryDisk, type Snapshot, type Writes, type Written } from '../../src/web/data/disk.ts';
import { Store } from '../../src/web/data/store.ts';
import type { Channel, Message } from '../../src/web/data/surroundings.ts';
import { seeded } from '../seeded-random.ts';

interface Timer {
  at: number;
  order: number;
  run: () => unknown;
}

/** Time that passes when it is told to: callbacks run in its order, each to the end of what it causes. */
export class Timeline {
  now: number;
  readonly random: () => number;
  readonly #timers: Timer[] = [];
  #order = 0;

  constructor(seed: number, now = Date.parse('2026-03-27T10:00:00.000Z')) {
    this.random = seeded(seed);
    this.now = now;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  after(ms: number, run: () => unknown): () => void {
    const timer = { at: this.now + Math.max(0, ms), order: this.#order++, run };
    const isLater = (other: Timer) => other.at > timer.at;
    const index = this.#timers.findIndex(isLater);
    this.#timers.splice(index === -1 ? this.#timers.length : index, 0, timer);
    return () => {
      const found = this.#timers.indexOf(timer);
      if (found !== -1) this.#timers.splice(found, 1);
    };
  }

  async advance(ms: number): Promise<void> {
    const end = this.now + ms;
    await drain();
    for (;;) {
      const [next] = this.#timers;
      if (!next || next.at > end) break;
      this.#timers.shift();
      this.now = Math.max(this.now, next.at);
      await next.run();
      await drain();
    }
    this.now = end;
  }

  /** Sets the clock ahead; what was due meanwhile comes late, as after a sleep. */
  jump(ms: number): void {
    this.now += ms;
  }
}

/** Everything that promises bring about by themselves has happened. */
const drain = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a network hands on: a response as `fetch` gives it, as far as the client looks. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Of a stream: takes its listener, and returns how to leave. */
  listen?: (onText: (text: string) => void, onEnd: () => void) => () => void;
}

export interface SentRequest {
  method: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
}

type Server = (request: SentRequest) => Reply | Promise<Reply>;

/** How badly things go; 0 to 1 each. */
export interface Weather {
  lost: number;
  doubled: number;
  failing: number;
  slow: number;
}
export const CALM: Weather = { lost: 0, doubled: 0, failing: 0, slow: 0 };

/** One browser profile: what it stores, its pages, its way to the server. */
export class Device {
  readonly timeline: Timeline;
  readonly server: Server;
  readonly userId: string;
  disk = new MemoryDisk(true);
  pages: Page[] = [];
  weather: Weather = CALM;
  isOnline = true;
  /** Whether it says that it has a network, and has none. */
  isLying = false;
  /** Whether its storage takes nothing more: what is there can go. */
  isFull = false;
  /** When a thing's changes were set aside last, which the person is told; kept for 90 days. */
  readonly toldOf = new Map<string, number>();
  /** Whether the page before was left without a network. */
  wasOffline = false;
  readonly maxTasks: number | undefined;

  constructor(timeline: Timeline, server: Server, userId: string, maxTasks?: number) {
    this.timeline = timeline;
    this.server = server;
    this.userId = userId;
    this.maxTasks = maxTasks;
  }

  async open(): Promise<Page> {
    const page = new Page(this);
    this.pages.push(page);
    void page.store.start('/today');
    await this.timeline.advance(20);
    return page;
  }

  /** The pages that were not killed, and whose user did not sign out. */
  get live(): Page[] {
    return this.pages.filter((page) => page.isAlive && !page.store.isSignedOut.value);
  }
}

const putsSomething = ({ lease, rows, positions, changes, notes }: Writes): boolean =>
  !!(lease || rows?.put.length || positions?.length || changes?.put.length || notes);

/** One open page. It can be killed between any two steps, and sleep. */
export class Page {
  readonly device: Device;
  readonly store: Store;
  isAlive = true;
  #wakesAt = 0;
  /** What came for the page while it slept, in order. */
  #held: (() => void)[] = [];
  readonly #listeners = new Set<(message: Message) => void>();
  readonly #inbox: Message[] = [];

  constructor(device: Device) {
    this.device = device;
    const { timeline } = device;
    this.store = new Store({
      userId: device.userId,
      fetch: (url, init) => this.#fetch(url, init),
      base: '/api',
      disk: this.#disk(),
      channel: this.#channel(),
      world: {
        now: () => timeline.now,
        random: timeline.random,
        after: (ms, callback) => timeline.after(ms, () => this.#run(callback)),
        isOnline: () => device.isOnline,
        isVisible: () => true,
      },
      wasOffline: device.wasOffline,
      ...(device.maxTasks !== undefined && { maxTasks: device.maxTasks }),
    });
  }

  kill(): void {
    this.isAlive = false;
    this.device.pages = this.device.pages.filter((page) => page !== this);
  }

  /** Does nothing for so long, unless it is woken. */
  sleep(ms: number): void {
    const { timeline } = this.device;
    this.#wakesAt = timeline.now + ms;
    timeline.after(ms, () => timeline.now >= this.#wakesAt && this.wake());
  }

  /** What came meanwhile happens now, one after the other. */
  wake(): void {
    this.#wakesAt = 0;
    for (const callback of this.#held.splice(0)) this.device.timeline.after(0, () => this.#run(callback));
  }

  /** Does nothing for a dead page; waits for a sleeping one. */
  #run(callback: () => void): void {
    if (!this.isAlive) return;
    if (this.device.timeline.now < this.#wakesAt) this.#held.push(callback);
    else callback();
  }

  #later(ms: number): Promise<void> {
    return new Promise((resolve) => this.device.timeline.after(ms, () => this.#run(resolve)));
  }

  #channel(): Channel {
    const { device } = this;
    return {
      post: (message) => {
        for (const other of device.pages) {
          if (other === this) continue;
          other.#inbox.push(structuredClone(message));
          // In the order of sending, also to a page that slept.
          device.timeline.after(1, () =>
            other.#run(() => {
              const first = other.#inbox.shift();
              if (first) for (const listener of other.#listeners) listener(first);
            }),
          );
        }
      },
      listen: (listener) => this.#listeners.add(listener),
      close: () => this.#listeners.clear(),
    };
  }

  /** A page may die before its transaction, or after it without learning of that. */
  #disk(): Disk {
    const { device } = this;
    const pause = () => this.#later(device.timeline.below(3));
    return {
      isDurable: true,
      read: async (): Promise<Snapshot> => {
        await pause();
        const snapshot = await device.disk.read();
        await pause();
        return snapshot;
      },
      readFirst: async (): Promise<Snapshot> => {
        await pause();
        const snapshot = await device.disk.read();
        await pause();
        const rows = snapshot.rows.filter(({ kind }) => kind !== 'task' || device.timeline.below(2) === 0);
        return { ...snapshot, rows };
      },
      write: async (decide: Parameters<Disk['write']>[0]): Promise<Written | null> => {
        await pause();
        const written = await device.disk.write((state): Writes | null => {
          const writes = this.isAlive ? decide(state) : null;
          if (device.isFull && writes && putsSomething(writes)) throw new Error('QuotaExceededError');
          return writes;
        });
        for (const { thing, aside } of written?.writes.changes?.put ?? [])
          if (aside) device.toldOf.set(thing, aside.at);
        await pause();
        return written;
      },
      erase: async (keepOutbox) => {
        await pause();
        await device.disk.erase(keepOutbox);
      },
      destroy: async () => {
        await pause();
        await device.disk.destroy();
      },
      leave: (lease) => device.disk.leave(lease),
      close: () => {},
    };
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    const { device } = this;
    const { timeline } = device;
    const request: SentRequest = {
      method: init.method ?? 'GET',
      path: url.replace(/^\/api\//, ''),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      headers: Object.fromEntries(
        Object.entries(init.headers as Record<string, string>).map(([name, value]) => [
          name.toLowerCase(),
          value,
        ]),
      ),
    };
    return new Promise((resolve, reject) => {
      let isOver = false;
      const fail = (): void => {
        if (isOver) return;
        isOver = true;
        this.#run(() => reject(new TypeError('network')));
      };
      init.signal?.addEventListener('abort', fail);
      const { lost, doubled, failing } = device.weather;
      if (!device.isOnline || device.isLying) return void timeline.after(5, fail);
      const isLost = timeline.random() < lost;
      const isResponseLost = timeline.random() < lost;
      const times = request.method !== 'GET' && timeline.random() < doubled ? 2 : 1;
      if (isLost) return void timeline.after(this.#delay(), fail);
      const fault = timeline.random() < failing ? timeline.pick(FAULTS) : undefined;
      for (let time = 0; time < times; time++) {
        timeline.after(this.#delay(), async () => {
          const reply = fault ?? (await device.server(structuredClone(request)));
          if (isResponseLost) return void timeline.after(this.#delay(), fail);
          if (isOver) return;
          timeline.after(this.#delay(), () => {
            if (isOver) return;
            isOver = true;
            this.#run(() => resolve(this.#response(reply, init.signal ?? undefined)));
          });
        });
      }
    });
  }

  #delay(): number {
    const { timeline, weather } = this.device;
    return timeline.random() < weather.slow ? timeline.below(45_000) : 1 + timeline.below(40);
  }

  #response({ status, headers, text, listen }: Reply, signal: AbortSignal | undefined): Response {
    const body = listen ? this.#stream(listen, signal) : null;
    const response = {
      status,
      ok: status < 400,
      headers: { get: (name: string) => headers[name] ?? null, has: (name: string) => name in headers },
      text: () => Promise.resolve(text),
      body,
    };
    // What the client looks at of a response, and nothing else.
    return response as unknown as Response;
  }

  /** In order, late, and cut off now and then. */
  #stream(listen: NonNullable<Reply['listen']>, signal: AbortSignal | undefined): unknown {
    const { timeline } = this.device;
    const chunks: Uint8Array[] = [];
    let isDone = false;
    let wake: () => void = () => {};
    let last = timeline.now;
    const encoder = new TextEncoder();
    const deliver = (step: () => void): void => {
      last = Math.max(last, timeline.now + this.#delay());
      timeline.after(last - timeline.now, () =>
        this.#run(() => {
          step();
          wake();
        }),
      );
    };
    const end = (): void => {
      isDone = true;
      leave();
      wake();
    };
    const leave = listen(
      (text) => {
        if (!this.device.isOnline || timeline.random() < this.device.weather.lost) deliver(end);
        else deliver(() => void chunks.push(encoder.encode(text)));
      },
      () => deliver(end),
    );
    signal?.addEventListener('abort', end);
    return {
      getReader: () => ({
        read: async () => {
          for (;;) {
            const value = chunks.shift();
            if (value) return { done: false, value };
            if (isDone || !this.isAlive) return { done: true, value: undefined };
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        },
        cancel: () => {
          end();
          return Promise.resolve();
        },
      }),
    };
  }
}

const errand = { 'x-request-id': 'r', 'content-type': 'application/json' };
export const failure = (status: number, error: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { ...errand, ...headers },
  text: JSON.stringify({ error, message: error }),
});

/** What comes in place of the server's response, which did nothing. */
const FAULTS: readonly Reply[] = [
  failure(429, 'TooManyRequestsError', { 'retry-after': '2' }),
  failure(503, 'ServiceUnavailableError'),
  failure(500, 'InternalServerError'),
  { status: 200, headers: { 'content-type': 'text/html' }, text: '<h1>Sign in to the network</h1>' },
  { status: 502, headers: { 'content-type': 'text/html' }, text: '<h1>Bad gateway</h1>' },
];
