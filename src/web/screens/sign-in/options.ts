import { signal } from '@preact/signals';
import { call } from '../../shell/api.ts';

/** How people may sign in at this server (contract, section 21). */
export interface AuthOptions {
  signup: 'open' | 'closed';
  google: { clientId: string } | null;
  telegram: { botName: string; botId: string } | null;
  mail: 'smtp' | 'console';
}

/** Undefined until the server has said so. */
export const authOptions = signal<AuthOptions | undefined>(undefined);

/** Asks the server, once. */
export async function loadOptions(): Promise<void> {
  if (authOptions.value) return;
  const reply = await call<AuthOptions>('GET', '/auth/options');
  if (reply.kind === 'ok') authOptions.value = reply.body;
}
