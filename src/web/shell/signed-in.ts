import { signal } from '@preact/signals';
import type { Me } from '../../auth/schema.ts';
import type { User } from '../../users/schema.ts';

/** What is known of the person: all of it once the server told the profile. */
export type Profile = User &
  Partial<Me> & {
    timezone?: string | null;
    weekStart?: string;
    preferences?: Readonly<Record<string, unknown>>;
  };

/** Who is signed in: `unknown` until the server or the device said so. */
type Session = { kind: 'unknown' } | { kind: 'unreachable' } | { kind: 'out' } | { kind: 'in'; me: Profile };

export const session = signal<Session>({ kind: 'unknown' });
