import { effect } from '@preact/signals';
import { seriesDialog } from '../tasks/series.ts';
import { hasUpdate, sync } from './frame-view.ts';
import { basePaths } from './navigation.ts';
import { userData } from './store.ts';

/** How long nothing was touched before another build comes by itself. */
const IDLE_MS = 60_000;
/** How long the other build's worker may take to be ready. */
const WORKER_MS = 10_000;

let touchedAt = Date.now();

/** Starts the served build: by the button, or by itself once nothing is being done and nothing waits to be sent. */
export async function update(): Promise<void> {
  // The field that the button took the focus from may have asked something.
  if (seriesDialog.peek()) return;
  await renewWorker();
  location.reload();
}

/** Watches for a moment in which the page may be replaced. */
export function startUpdates(): void {
  const touch = () => {
    touchedAt = Date.now();
  };
  for (const kind of ['keydown', 'pointerdown', 'pointermove', 'wheel', 'input'])
    addEventListener(kind, touch, { capture: true, passive: true });
  effect(() => {
    if (!hasUpdate.value) return;
    const timer = setInterval(() => {
      if (isIdle()) void update();
    }, 1000);
    return () => clearInterval(timer);
  });
}

function isIdle(): boolean {
  const { waiting, notSaved, text } = sync.peek();
  const drafts = [...(userData.peek()?.drafts.values() ?? [])];
  const isUnsent =
    waiting + notSaved > 0 || !text.startsWith('Synced') || drafts.some((draft) => draft !== '');
  const isInUse =
    document.querySelector('dialog[open], :popover-open, .form, :is(input, textarea, select):focus') !== null;
  return Date.now() - touchedAt >= IDLE_MS && !isUnsent && !isInUse;
}

/** Waits until the served build's worker responds here; without one the document is asked of the server again. */
async function renewWorker(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration(basePaths.app).catch(() => undefined);
  if (!registration) return;
  const isReady = await Promise.race([
    registration.update().then(
      () => activation(registration),
      () => false,
    ),
    new Promise<false>((resolve) => setTimeout(resolve, WORKER_MS, false)),
  ]);
  if (isReady) return;
  for (const name of await caches.keys()) {
    if (name.startsWith(`errand:${basePaths.app}:`))
      await (await caches.open(name)).delete(new URL(basePaths.app, location.href));
  }
}

function activation({ installing, waiting }: ServiceWorkerRegistration): Promise<boolean> {
  const next = installing ?? waiting;
  if (!next) return Promise.resolve(true);
  return new Promise((resolve) => {
    next.addEventListener('statechange', () => {
      if (next.state === 'activated') resolve(true);
      else if (next.state === 'redundant') resolve(false);
    });
  });
}
