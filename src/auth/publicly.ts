import { open } from '../http/route.ts';

/** What the routes share that work before sign-in. */
export const publicly = { guard: open, limit: 'auth', shortBody: true, errors: [401] } as const;
