import { signal } from '@preact/signals';
import type { AuthOptions } from '../../../auth/schema.ts';
import { call } from '../../shell/api.ts';

/** How people may sign in at this server; undefined until it has said so. */
export const authOptions = signal<AuthOptions | undefined>(undefined);

/** Asks the server, once. */
export async function loadOptions(): Promise<void> {
  if (authOptions.value) return;
  const reply = await call<AuthOptions>('GET', '/auth/options');
  if (reply.kind === 'ok') authOptions.value = reply.body;
}
