import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { respond } from '../http/response.ts';
import { open, route, tagged } from '../http/route.ts';
import { notFound } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { revokeApiTokens } from '../storage/api-tokens.ts';
import * as store from '../storage/sessions.ts';
import { signedIn, signingOut, usesNoted, writeSignedIn } from './authentication.ts';
import { LogoutInput, RefreshInput, Session, TokenPair } from './schema.ts';
import { logOut, refresh } from './tokens.ts';

export const sessionRoutes = [
  ...tagged('Accounts', [
    route({
      method: 'post',
      path: '/auth/refresh',
      guard: open,
      limit: 'refresh',
      body: RefreshInput,
      shortBody: true,
      response: TokenPair,
      errors: [401],
      operationId: 'refresh',
      summary: 'Refresh the tokens',
      description:
        'Each refresh token works once. Presenting a used one ends every session of its user, so a client must refresh one at a time and keep the new pair before using it.',
      handle: ({ deps, requestContext, body }) => refresh(deps, requestContext, body),
    }),
    route({
      method: 'post',
      path: '/auth/logout',
      guard: signingOut,
      body: LogoutInput,
      shortBody: true,
      bodyOptional: true,
      operationId: 'logout',
      summary: 'Sign out',
      description:
        'Ends the session of the given refresh token, its access tokens included, when it is your own. With the cookie and without a body it ends the session of the cookie, which the response clears; that works too when the session has ended already.',
      headers: { 'Set-Cookie': 'Where the session of the cookie has ended: clears the cookie' },
      handle: async ({ deps, who, requestContext, body }) => {
        await logOut(deps, who, body);
        const isCookieDead = !who || (who.byCookie && body.refreshToken === undefined);
        if (!isCookieDead) return undefined;
        return respond(requestContext.requestId, 204, undefined, {
          'Set-Cookie': deps.http.sessionCookie.clear(),
        });
      },
    }),
  ]),
  ...tagged('Me', [
    route({
      method: 'get',
      path: '/me/sessions',
      guard: signedIn,
      query: PageQuery,
      response: pageShape('SessionPage', Session),
      operationId: 'listSessions',
      summary: 'List my sessions',
      description: 'Each sign-in that is still valid, with its device and address.',
      handle: async ({ deps, who, query }) => {
        await usesNoted(deps);
        return store.listSessions(deps.read, who, toInstant(deps.clock.now()), pageRequest(deps, query));
      },
    }),
    route({
      method: 'delete',
      path: '/me/sessions',
      guard: signedIn,
      operationId: 'endOtherSessions',
      summary: 'End my other sessions',
      description: 'Ends all sessions but the one of this request, and revokes all API tokens.',
      handle: async ({ deps, who }) => {
        await writeSignedIn(deps, who, (tx) => {
          store.endSessions(tx, who.userId, who.sessionId);
          revokeApiTokens(tx, who.userId);
        });
        return undefined;
      },
    }),
    route({
      method: 'delete',
      path: '/me/sessions/{session_id}',
      guard: signedIn,
      operationId: 'endSession',
      summary: 'End one of my sessions',
      description: 'Its refresh token and access tokens stop working at once.',
      handle: async ({ deps, who, params }) => {
        if (!(await writeSignedIn(deps, who, (tx) => store.endSession(tx, who.userId, params.session_id)))) {
          throw notFound('session');
        }
        return undefined;
      },
    }),
  ]),
];
