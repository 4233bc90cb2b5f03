import { signal } from '@preact/signals';
import type { AuthOptions } from '../../../auth/schema.ts';
import { call } from '../../shell/api.ts';

/** How people may sign in at this server; undefined until it has said so. */
export const authOptions = signal<AuthOptions | undefined>(undefined);

const RETRY_MS = 5_000;

let asking: Promise<void> | undefined;

/** Asks the server, until it has said so. */
export function loadOptions(): Promise<void> {
  asking ??= call<AuthOptions>('GET', '/auth/options').then((reply) => {
    if (reply.kind === 'ok') authOptions.value = reply.body;
    else
      setTimeout(() => {
        asking = undefined;
        void loadOptions();
      }, RETRY_MS);
  });
  return asking;
}
