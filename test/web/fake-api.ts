import { Hono } from 'hono';
import type { App } from '../../src/app.ts';

/** The responses of the fake server; a test changes it before it asks. */
export interface FakeData {
  /** Who is signed in by the cookie; undefined: nobody. */
  user: { id: string; email: string; name: string; isEmailVerified: boolean } | undefined;
  options: {
    signup: 'open' | 'closed';
    google: { clientId: string } | null;
    telegram: { botName: string; botId: string } | null;
    mail: 'smtp' | 'console';
  };
  workspaces: {
    id: string;
    title: string;
    role: string;
    spaces: { id: string; title: string; lists: { id: string; title: string }[] }[];
  }[];
  unread: number;
  /** Replies by `POST /path`, in place of the usual ones. */
  replies: Record<string, { status: number; body?: unknown; headers?: Record<string, string> }>;
}

export interface SeenRequest {
  method: string;
  path: string;
  body: unknown;
  userId: string | undefined;
}

/** A person's server: Kanal Studio, with its spaces and lists. */
export const studio = (): FakeData => ({
  user: { id: 'mara', email: 'mara@kanal.example', name: 'Mara Lindqvist', isEmailVerified: true },
  options: { signup: 'open', google: null, telegram: null, mail: 'console' },
  workspaces: [
    {
      id: 'kanal',
      title: 'Kanal Studio',
      role: 'owner',
      spaces: [
        {
          id: 'studio',
          title: 'Studio',
          lists: [
            { id: 'office', title: 'Office' },
            { id: 'website', title: 'Website relaunch' },
            { id: 'lesesaal', title: 'Lesesaal Bibliothek Süd' },
            { id: 'osaka', title: '大阪事務所' },
          ],
        },
        {
          id: 'home',
          title: 'Home',
          lists: [
            { id: 'household', title: 'Household' },
            { id: 'allotment', title: 'Allotment' },
          ],
        },
      ],
    },
  ],
  unread: 0,
  replies: {},
});

/**
 * A server whose web client is the real application's and whose API is of the contract, where that is not built yet:
 * the cookie session, `auth/options`. `seen` gets every request to the API.
 */
export function fakeApi(
  app: Pick<App, 'fetch'>,
  data: FakeData,
  seen: SeenRequest[] = [],
): Pick<App, 'fetch'> {
  const fake = new Hono();
  const { user } = data;
  let current = user;
  fake.use('/api/*', async (context, next) => {
    const { req: request } = context;
    const text = await request.raw.clone().text();
    seen.push({
      method: request.method,
      path: request.path,
      body: text === '' ? undefined : JSON.parse(text),
      userId: request.header('X-User-Id'),
    });
    const reply = data.replies[`${request.method} ${request.path}`];
    if (reply) return response(reply.status, reply.body, reply.headers);
    await next();
    return;
  });
  const page = (items: unknown[], total = items.length) =>
    response(200, { items, page: 1, limit: 100, total });
  const workspace = (id: string) => data.workspaces.find((one) => one.id === id);
  fake.get('/api/auth/options', () => response(200, data.options));
  fake.get('/api/me', () =>
    current ? response(200, current) : response(401, { error: 'UnauthorizedError', message: 'Sign in' }),
  );
  fake.post('/api/auth/login', async (context) => {
    const { password } = await context.req.json();
    if (password !== 'correct horse') return response(401, { error: 'UnauthorizedError', message: 'Wrong' });
    current = studio().user;
    return response(200, { user: current });
  });
  fake.post('/api/auth/logout', () => {
    current = undefined;
    return response(204);
  });
  fake.get('/api/me/workspaces', () => page(data.workspaces.map(({ spaces: _, ...one }) => one)));
  fake.get('/api/me/notifications', () => page([], data.unread));
  fake.get('/api/workspaces/:w/spaces', (context) =>
    page(workspace(context.req.param('w'))?.spaces.map(({ lists: _, ...space }) => space) ?? []),
  );
  fake.get('/api/workspaces/:w/lists', (context) =>
    page(
      workspace(context.req.param('w'))?.spaces.flatMap(({ id, lists }) =>
        lists.map((list) => ({ ...list, spaceId: id })),
      ) ?? [],
    ),
  );
  fake.all('/api/*', () => response(404, { error: 'NotFoundError', message: 'No such route' }));
  fake.all('*', (context) => app.fetch(context.req.raw, context.env as Parameters<App['fetch']>[1]));
  return fake;
}

const response = (status: number, body?: unknown, headers: Record<string, string> = {}): Response =>
  new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: {
      'X-Request-Id': 'fake',
      'Cache-Control': 'no-store',
      ...(body !== undefined && { 'Content-Type': 'application/json; charset=utf-8' }),
      ...headers,
    },
  });
