import { computed, signal } from '@preact/signals';
import { addressOf, matchAddress } from './addresses.ts';
import { placeOf } from './place.ts';
import { withQuery } from './router.ts';

const { app = '/app/', api = '/api', build = '' } = document.documentElement.dataset;

/** Where the client and the API are. */
export const place = placeOf({ app, api }, location.pathname);
/** The id of the build that runs here. */
export const buildId = build;

/** The present address below `/app`, with its query: `/today?task=…`. */
export const address = signal(readAddress());
export const path = computed(() => address.value.split('?')[0] ?? '/');
export const query = computed(() => new URLSearchParams(address.value.split('?')[1]));
export const match = computed(() => matchAddress(path.value));

/** Whether the next heading takes the focus: after a navigation, not at the start. */
let headingIsDue = false;

/** Goes to an address below `/app`. A push is a step that Back undoes; a replacement is none. */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === address.value) return;
  const url = hrefOf(to);
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  arrive();
}

/**
 * Opening a task, changing the view and paging through a calendar are steps; filters, `q`, and neighbours of an open task
 * are none.
 */
export const setQuery = (changes: Readonly<Record<string, string | undefined>>): void =>
  navigate(withQuery(address.value, changes), { replace: true });
export const openBeside = (taskId: string): void => navigate(withQuery(address.value, { task: taskId }));
export const setPeriod = (period: { month?: string | undefined; week?: string | undefined }): void =>
  navigate(withQuery(address.value, period));
export const setView = (view: string | undefined): void => navigate(withQuery(address.value, { view }));

/** The real address of a link. */
export const hrefOf = (to: string): string => place.app + to.slice(1);

/** Takes the focus of a navigation, once: true for the heading that should have it. */
export function takeHeadingFocus(): boolean {
  const isDue = headingIsDue;
  headingIsDue = false;
  return isDue;
}

/** Follows Back and Forward, and every plain click on a link of ours. */
export function startNavigation(): void {
  if (path.value === '/') history.replaceState(null, '', hrefOf(addressOf('today')));
  address.value = readAddress();
  addEventListener('popstate', arrive);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlain(event, link)) return;
    event.preventDefault();
    navigate(below(link.pathname) + link.search);
  });
}

function arrive(): void {
  const before = path.value;
  address.value = readAddress();
  if (path.value !== before) headingIsDue = true;
}

function below(pathname: string): string {
  return pathname.slice(place.app.length - 1);
}

function readAddress(): string {
  const pathname = location.pathname.startsWith(place.app) ? below(location.pathname) : '/';
  return pathname + location.search;
}

function isPlain(event: MouseEvent, link: HTMLAnchorElement): boolean {
  const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
  const isOurs = link.origin === location.origin && link.pathname.startsWith(place.app);
  return !event.defaultPrevented && !isModified && isOurs && link.target === '' && !link.download;
}
