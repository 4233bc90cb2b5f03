import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { open, route } from '../http/route.ts';
import { notFound } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { signedIn, writeSignedIn } from './door.ts';
import { RefreshInput, Session, TokenPair } from './schema.ts';
import * as store from './store.ts';
import { logOut, refresh } from './tokens.ts';

export const sessionRoutes = [
  route({
    method: 'post',
    path: '/auth/refresh',
    door: open,
    limit: 'refresh',
    body: RefreshInput,
    status: 200,
    answer: TokenPair,
    tag: 'Accounts',
    summary: 'Refresh the tokens',
    description:
      'Each refresh token works once. Presenting a used one ends every session of its user, so a client must refresh one at a time and keep the new pair before using it.',
    handle: ({ deps, visitor, body }) => refresh(deps, visitor, body),
  }),
  route({
    method: 'post',
    path: '/auth/logout',
    door: signedIn,
    body: RefreshInput,
    status: 204,
    tag: 'Accounts',
    summary: 'Sign out',
    description:
      'Ends the session of the given refresh token, its access tokens included, when it is your own.',
    handle: ({ deps, who, body }) => logOut(deps, who, body),
  }),
  route({
    method: 'get',
    path: '/me/sessions',
    door: signedIn,
    query: PageQuery,
    status: 200,
    answer: pageShape(Session),
    tag: 'Me',
    summary: 'List my sessions',
    handle: ({ deps, who, query }) =>
      store.listSessions(deps.read, who, toInstant(deps.clock.now()), pageRequest(deps, query)),
  }),
  route({
    method: 'delete',
    path: '/me/sessions',
    door: signedIn,
    status: 204,
    tag: 'Me',
    summary: 'End my other sessions',
    handle: async ({ deps, who }) => {
      await writeSignedIn(deps, who, (tx) => store.endSessions(tx, who.userId, who.sessionId));
      return undefined;
    },
  }),
  route({
    method: 'delete',
    path: '/me/sessions/{session_id}',
    door: signedIn,
    status: 204,
    tag: 'Me',
    summary: 'End one of my sessions',
    handle: async ({ deps, who, params }) => {
      if (!(await writeSignedIn(deps, who, (tx) => store.endSession(tx, who.userId, params.session_id)))) {
        throw notFound('session');
      }
      return undefined;
    },
  }),
];
