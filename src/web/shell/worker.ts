import { basePaths } from './navigation.ts';
import { trustedTypes, workerAddress } from './trusted-types.ts';

/** Registers the worker that lets the client start without the network; plain http has none. */
export function startWorker(): void {
  const address = workerAddress(`${basePaths.app}sw.js`, trustedTypes());
  if (!('serviceWorker' in navigator)) return;
  const register = () =>
    navigator.serviceWorker.register(address, { scope: basePaths.app, updateViaCache: 'none' }).catch(() => {
      // Without it everything works but a start without the network.
    });
  // What it fetches ahead must not hold up the first screen.
  if (document.readyState === 'complete') void register();
  else addEventListener('load', () => void register(), { once: true });
}
