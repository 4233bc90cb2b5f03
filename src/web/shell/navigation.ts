import { computed, signal } from '@preact/signals';
import { addressOf, matchAddress, PUBLIC_SCREENS, type ScreenName } from './addresses.ts';
import { basePathsIn } from './base-paths.ts';
import { withQuery } from './router.ts';

const { app = '/app/', api = '/api', build = '' } = document.documentElement.dataset;

export const basePaths = basePathsIn({ app, api }, location.pathname);
/** The id of the build that runs here. */
export const buildId = build;

/** The present address below `/app`, with its query: `/today?task=…`. */
export const address = signal(readAddress());
export const path = computed(() => address.value.split('?')[0] ?? '/');
export const query = computed(() => new URLSearchParams(address.value.split('?')[1]));
export const match = computed(() => matchAddress(path.value));
/** On phones, where a screen stands below another one that leads to it. */
const UPPER: readonly [RegExp, ScreenName, string][] = [
  [/\/(upcoming|mine|inbox|calendar|recurring|trash)$|\/lists\/./, 'lists', 'Lists'],
  [/\/settings\/./, 'settings', 'Settings'],
  [/^\/(settings|notifications)$/, 'me', 'Me'],
];
/** The screen above the present one, and its title. */
export const upperScreen = computed(() => {
  const [, name, title = ''] = UPPER.find(([below]) => below.test(path.value)) ?? [];
  return name && { name, title };
});
/** Whether the screen is for people who are not signed in. */
export const isPublic = computed(() => PUBLIC_SCREENS.some((name) => name === match.value?.name));

/** Whether the next heading takes the focus: after a navigation, not at the start. */
let headingIsDue = false;

/**
 * What an entry of the history keeps: its place among ours, how many steps back the screen stands without a task beside
 * it, and what is one step back.
 */
interface Entry {
  at?: number;
  beside?: number;
  before?: string;
}

const entry = (): Entry => (history.state as Entry | null) ?? {};

/** The place of the entry that is shown. */
let shownAt = entry().at ?? 0;

/** What is shown when the history has gone back or forth by itself; what is asked for meanwhile comes after it. */
let closing: { to: string; at: number; later: (() => void)[] } | undefined;

function go(to: string, at: number): void {
  closing = { to, at, later: [] };
  history.go(at - (entry().at ?? 0));
}

/** Goes to an address below `/app`. A push is a step that Back undoes; a replacement is none. */
export function navigate(to: string, { replace = false } = {}): void {
  if (closing) {
    closing.later.push(() => navigate(to, { replace }));
    return;
  }
  if (to === readAddress()) return;
  const url = hrefOf(to);
  if (replace) history.replaceState(history.state, '', url);
  else history.pushState({ at: ++shownAt, before: readAddress().split('?')[0], ...besideOf(to) }, '', url);
  arrive();
}

function besideOf(to: string): Entry | null {
  const isSameScreen = withQuery(to, { task: undefined }) === withQuery(address.peek(), { task: undefined });
  if (!isSameScreen || !new URLSearchParams(to.split('?')[1]).has('task')) return null;
  return { beside: (entry().beside ?? 0) + 1 };
}

/** Closes the task beside the screen: takes back the steps that opened it, where it was opened from the screen. */
export function closeBeside(): void {
  if (closing) return;
  const to = withQuery(address.peek(), { task: undefined });
  const { beside = 0 } = entry();
  if (beside === 0) {
    navigate(to, { replace: true });
    return;
  }
  go(to, shownAt - beside);
  address.value = to;
}

/** Leads to the screen above: by a step back, where one came from it, so that Back does not lead down again. */
export function goUp(to: string): void {
  if (!closing && entry().before === to) history.back();
  else navigate(to);
}

/**
 * Opening a task, changing the view and paging through a calendar are steps; filters, `q`, and neighbours of an open task
 * are none: they change the address that one is on the way to.
 */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  if (closing) closing.later.push(() => setQuery(changes));
  else navigate(withQuery(readAddress(), changes), { replace: true });
}
export const openBeside = (taskId: string): void => navigate(withQuery(address.value, { task: taskId }));
export const setPeriod = (period: { month: string } | { week: string }): void =>
  navigate(withQuery(address.value, { month: undefined, week: undefined, ...period }));
export const setView = (view: string | undefined): void => navigate(withQuery(address.value, { view }));

/** The real address of a link. */
export const hrefOf = (to: string): string => basePaths.app + to.slice(1);

const besideAddress = computed(() => hrefOf(withQuery(address.value, { task: ':' })));

/** Where a link leads that opens a task beside the screen; all rows of a screen share the work. */
export const hrefBeside = (taskId: string): string =>
  besideAddress.value.replace('task=%3A', `task=${taskId}`);

/** Whether a heading that is not there yet will have the focus. */
export const isHeadingDue = (): boolean => headingIsDue;

/** Takes the focus of a navigation, once: true for the heading that should have it. */
export function takeHeadingFocus(): boolean {
  const isDue = headingIsDue;
  headingIsDue = false;
  return isDue;
}

/** How to close what lies above the screen, the topmost last. */
const above = new Set<() => void>();

/** Lets Back and Forward close something in place of leading elsewhere; call what it returns to end that. */
export function whenGoingBack(close: () => void): () => void {
  above.add(close);
  return () => void above.delete(close);
}

/** Loads the screen of an address; undefined where it is there. */
let loadScreenOf: (found: ReturnType<typeof matchAddress>) => Promise<void> | undefined = () => undefined;

/** Follows Back and Forward, and every plain click on a link of ours. A screen stays until the next one is loaded. */
export function startNavigation(load: typeof loadScreenOf): void {
  loadScreenOf = load;
  history.replaceState({ at: shownAt, ...entry() }, '', path.value === '/' ? hrefOf(addressOf('today')) : '');
  address.value = readAddress();
  addEventListener('popstate', () => {
    const { at = shownAt } = entry();
    const close = [...above].at(-1);
    if (!closing && close && at !== shownAt) {
      // The step is taken back, so that the history is as it was.
      go(address.peek(), shownAt);
      close();
      return;
    }
    shownAt = at;
    arrive();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlain(event, link)) return;
    event.preventDefault();
    navigate(below(link.pathname) + link.search);
  });
}

let arrivals = 0;

function arrive(): void {
  const arrival = ++arrivals;
  const loading = loadScreenOf(matchAddress(readAddress().split('?')[0] ?? '/'));
  if (loading) void loading.finally(() => arrival === arrivals && show());
  else show();
}

function show(): void {
  const before = path.value;
  const closed = closing;
  closing = undefined;
  // Filters that were set beside the task stay.
  if (closed && closed.at === entry().at && readAddress() !== closed.to)
    history.replaceState(history.state, '', hrefOf(closed.to));
  address.value = readAddress();
  if (path.value !== before) headingIsDue = true;
  for (const act of closed?.later ?? []) act();
}

function below(pathname: string): string {
  return pathname.slice(basePaths.app.length - 1);
}

function readAddress(): string {
  const pathname = location.pathname.startsWith(basePaths.app) ? below(location.pathname) : '/';
  return pathname + location.search;
}

function isPlain(event: MouseEvent, link: HTMLAnchorElement): boolean {
  const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
  const isOurs = link.origin === location.origin && link.pathname.startsWith(basePaths.app);
  return !event.defaultPrevented && !isModified && isOurs && link.target === '' && !link.download;
}
