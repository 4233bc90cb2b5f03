import { open } from '../http/route.ts';

/** Of a route for who is not signed in yet. */
export const publicly = { guard: open, limit: 'auth', shortBody: true, errors: [401] } as const;
