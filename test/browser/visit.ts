import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { App } from '../../src/app.ts';
import { listen } from '../../src/http/listen.ts';
import type { Person } from '../world.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No other host is found, whatever a page asks for.
  '--host-resolver-rules=MAP errand.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Debian's Chromium, or the one that `CHROMIUM` names; with a fresh profile. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });

/**
 * Puts the session of a person into the cookies of a device, in place of the one that is there. The server may close a
 * connection that was kept just as the driver uses it again: then it asks once more.
 */
export async function signInOn(
  context: BrowserContext,
  origin: string,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  const response = await context.request.post(`${origin}/api/auth/login`, {
    data: { email, password, session: 'cookie' },
    headers: { Origin: origin },
    maxRetries: 1,
  });
  expect(response.status()).toBe(200);
}

/** Waits until the service worker serves the page. */
export const isServedByWorker = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((done) => {
    const { serviceWorker } = navigator;
    if (serviceWorker.controller) done();
    else serviceWorker.addEventListener('controllerchange', () => done(), { once: true });
  })`);

/** Waits until the screen of the web client is drawn, and holds what it asked for. */
export async function isReady(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // On a phone, the screen below a task stays, hidden.
  await page.locator('main:visible:not([data-left], [aria-busy="true"])').first().waitFor();
  await page.locator('[aria-busy="true"]').filter({ visible: true }).waitFor({ state: 'detached' });
}

/** The frame says that nothing is left to send or to load. */
export const synced = (page: Page): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('status').filter({ hasText: 'Synced' }).waitFor();

/** Follows a link inside the web client to an address below `/app`, and waits for its screen. */
export async function goTo(page: Page, address: string): Promise<void> {
  const [path = ''] = address.split('?');
  // The same path would leave the same screen, and nothing to wait for.
  if (new URL(page.url()).pathname.endsWith(path)) await goTo(page, '/nowhere');
  await page.evaluate(`(() => {
    for (const main of document.querySelectorAll('main')) main.dataset.left = '';
    const link = document.createElement('a');
    link.href = document.documentElement.dataset.app + ${JSON.stringify(address.slice(1))};
    document.body.append(link);
    link.click();
    link.remove();
  })()`);
  await isReady(page);
}

/** Waits until what was changed has been laid out and painted. */
export const painted = (page: Page): Promise<void> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

/** Waits until the device has a note of the person; what is kept by itself shows nothing that could be waited for. */
export const isNoted = (page: Page, userId: string, name: string, value: string): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(`new Promise((resolve, reject) => {
        const opening = indexedDB.open('errand-${userId}');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const db = opening.result;
          const note = db.transaction('notes').objectStore('notes').get(${JSON.stringify(name)});
          note.onsuccess = () => { db.close(); resolve(note.result); };
        };
      })`),
    )
    .toBe(value);

/** A page of another host that sends the browser on, once all of it is read: before, its request would have failed. */
export const leadingTo = (address: string) => ({
  contentType: 'text/html',
  body: `<link rel="icon" href="data:,"><script>onload = () => location.replace(${JSON.stringify(address)})</script>`,
});

/** A person at a browser, before one application at a time that really listens. */
export interface Visit {
  origin: string;
  page: Page;
  /** The requests to the API that may change something, as `POST /api/auth/login`. */
  calls: string[];
  /** Opens the path and fragment of a mailed link here. */
  follow(link: string | undefined): Promise<void>;
  /** Puts another application in place of the one that was visited. */
  serve(app: Pick<App, 'fetch'>): void;
  /** Leaves, and empties the device for who comes next; fails when another host was asked for anything, or a policy or a script broke. */
  leave(): Promise<void>;
  /** Leaves for good; fails as `leave` does. */
  end(): Promise<void>;
}

/** What a visit begins with that is served something else in each test. */
export const NOBODY: Pick<App, 'fetch'> = { fetch: () => new Response(null, { status: 503 }) };

/** What every visit has that does not say otherwise. */
const STEADY = { reducedMotion: 'reduce', timezoneId: 'UTC' } as const;

/** The window of most visits; whoever makes it narrower says so. */
export const DESKTOP = { ...STEADY, viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** Denies a page storage as a browser does that blocks cookies. */
export const DENY_STORAGE = `{
  const deny = (name) => () => { throw new DOMException('', name); };
  IDBFactory.prototype.open = IDBFactory.prototype.databases = deny('UnknownError');
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(globalThis, name, { get: deny('SecurityError') });
}`;

/** A page of every origin here that nothing of an application runs in. */
const BLANK = '/blank';

/** Far from midnight, which would part the day of a world from that of its browser. */
export const NOON = new Date().setUTCHours(12, 0, 0, 0);

/** Lets the clock of pages start at an instant; it goes on as theirs does. */
const startClockAt = (instant: number) => `(() => {
  const RealDate = Date;
  const now = () => RealDate.now() + ${instant - Date.now()};
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      super(...(parts.length === 0 ? [now()] : parts));
    }
    static now = now;
  };
})()`;

/** `at`: when its clock starts, in place of now. `hasWorker`: the service worker is there, which first fetches every file of the client. */
export async function startVisit(
  browser: Browser,
  app: Pick<App, 'fetch'>,
  options: BrowserContextOptions & { under?: string; host?: string; hasWorker?: boolean; at?: number } = {},
): Promise<Visit> {
  const { under = '', host = '127.0.0.1', hasWorker = false, at, ...contextOptions } = options;
  let served = app;
  const front: Pick<App, 'fetch'> = {
    fetch: (request, ...rest) =>
      new URL(request.url).pathname === BLANK
        ? new Response('<!doctype html><link rel="icon" href="data:,">', {
            headers: { 'Content-Type': 'text/html' },
          })
        : served.fetch(request, ...rest),
  };
  const server = await listen(front as App, { host: '127.0.0.1', port: 0 });
  const origin = `http://${host}:${server.port}`;
  const serviceWorkers = hasWorker ? 'allow' : 'block';
  const context = await browser.newContext({ serviceWorkers, ...STEADY, ...contextOptions });
  context.setDefaultTimeout(60_000);
  if (at !== undefined) await context.addInitScript(startClockAt(at));
  const faults: string[] = [];
  const calls: string[] = [];
  // What a test fulfils itself does not fail.
  context.on('requestfailed', (request) => {
    const { origin: asked } = new URL(request.url());
    if (asked !== origin) faults.push(`asked ${asked}`);
  });
  const page = await context.newPage();
  page.on('request', (request) => {
    const call = `${request.method()} ${new URL(request.url()).pathname}`;
    const isReading = request.method() === 'GET' || call.endsWith('/auth/links/read');
    if (!isReading) calls.push(call);
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  return {
    origin,
    page,
    calls,
    follow: async (link) => {
      const { pathname, hash } = new URL(link ?? '', origin);
      await page.goto(origin + under + pathname + hash);
    },
    serve: (next) => {
      served = next;
    },
    leave: async () => {
      for (const other of context.pages()) if (other !== page) await other.close();
      await context.setOffline(false);
      await page.unrouteAll();
      await page.goto(origin + BLANK);
      await page.evaluate('sessionStorage.clear()');
      const device = await context.newCDPSession(page);
      await device.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
      await device.detach();
      await context.clearCookies();
      calls.length = 0;
      expect(faults.splice(0)).toEqual([]);
    },
    end: async () => {
      await context.close();
      await server.drain(0);
      expect(faults).toEqual([]);
    },
  };
}

/** The browser of a file of tests, and the visit that all of them share. */
export let browser: Browser;
export let visit: Visit;

/** To be called by a file of tests, which has a browser of its own. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
}

/** The same with a visit, which each test leaves; it is served nothing before a test says by what. */
export function useVisit(options?: Parameters<typeof startVisit>[2]): void {
  useBrowser();
  beforeAll(async () => {
    visit = await startVisit(browser, NOBODY, options);
  });
  afterEach(() => visit.leave());
  afterAll(() => visit.end());
}
