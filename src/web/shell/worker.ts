import { authOptions } from '../screens/sign-in/options.ts';
import { isFirstLoad } from './frame-view.ts';
import { basePaths } from './navigation.ts';
import { onceIdle } from './once-idle.ts';
import { trustedTypes, workerAddress } from './trusted-types.ts';

/** Registers the worker that lets the client start without the network; plain http has none. */
export function startWorker(): void {
  const address = workerAddress(`${basePaths.app}sw.js`, trustedTypes());
  if (!('serviceWorker' in navigator)) return;
  // What it fetches ahead must not hold up the first screen.
  onceIdle(
    () => !isFirstLoad.value || authOptions.value !== undefined,
    () => {
      navigator.serviceWorker
        .register(address, { scope: basePaths.app, updateViaCache: 'none' })
        .catch(() => {
          // Without it everything works but a start without the network.
        });
    },
  );
}
