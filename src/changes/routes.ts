import { CLIENT_ID } from '../http/request-context.ts';
import { commonHeaders } from '../http/response.ts';
import { route, tagged } from '../http/route.ts';
import { signedInOrToken } from '../sessions/authentication.ts';
import { member } from '../workspaces/authorization.ts';
import { readChanges } from './changes.ts';
import { ChangesPage, ChangesQuery, Events, EventsQuery } from './schema.ts';

export const changeRoutes = tagged('Changes', [
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/changes',
    guard: member('viewer'),
    query: ChangesQuery,
    response: ChangesPage,
    operationId: 'listChanges',
    summary: 'List changes',
    description:
      'Without a cursor everything in the workspace is sent, page by page: then what changed since. Apply the items in order: `put` replaces a thing, `delete` of a list or space includes its contents, `refetch` empties a scope whose contents follow. Keep the cursor together with what you applied. Comments are read task by task.',
    handle: ({ deps, who, query }) =>
      deps.database.whenSynced(() => readChanges(deps, who, query), { workspaceId: who.workspaceId }),
  }),
  route({
    method: 'get',
    path: '/me/events',
    guard: signedInOrToken,
    isPrivate: true,
    query: EventsQuery,
    takesAnyQuery: true,
    response: Events,
    isStream: true,
    operationId: 'streamEvents',
    summary: 'Listen to changes',
    description:
      'Server-sent events over all your workspaces. `hello { userId, workspaces, unread, build, epoch }` comes first, with a cursor for each workspace. `change { workspaceId, from, cursor, items, actorId, clientId }` tells what a commit changed, its items as in `listChanges`; `items` is empty where there is more than an event takes: then ask for the changes since your cursor. `me` tells `{ unread }`, `{ workspaces: true }` or `{ profile: true }`; `reset` that everything is to be loaded again. Every event has an id, from which `Last-Event-ID` resumes, over restarts too. A comment keeps the connection open every 15 seconds. The stream ends with the session, and when the access token expires. 8 streams at once for each user.',
    handle: async ({ deps, who, requestContext, query }) => {
      const headers = {
        ...commonHeaders(requestContext.requestId),
        'Content-Type': 'text/event-stream; charset=utf-8',
        'X-Accel-Buffering': 'no',
      };
      if (requestContext.isHead) return new Response(null, { headers });
      const given = query.clientId ?? '';
      const stream = await deps.database.whenSynced(() =>
        deps.streams.open(who, {
          cursor: requestContext.lastEventId ?? query.cursor,
          clientId: CLIENT_ID.test(given) ? given : who.clientId,
          response: requestContext.response,
        }),
      );
      return new Response(stream, { headers });
    },
  }),
]);
