import { afterAll, beforeAll } from 'vitest';
import type { App } from '../../src/app.ts';
import { openWorld, type Person, type World } from '../world.ts';
import { useBrowser } from './visit.ts';

type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;

/** A person's server with real content: long titles, several scripts, every field. */
export interface Studio {
  mara: Person;
  workspaceId: string;
  listIds: Record<string, string>;
  taskIds: Record<string, string>;
  call: Call;
}

const idOf = ({ body }: { body: unknown }): string => String((body as { id: string }).id);

/** Fills a world: one workspace with two spaces, lists, labels, tasks around today. */
async function fillStudio(world: World): Promise<Studio> {
  const mara = await world.signUp('mara@kanal.example', 'Mara Lindqvist');
  const call: Call = (method, path, body) => world.call(method, path, { token: mara.accessToken, body });
  const { body } = await call('GET', '/me/workspaces');
  const workspaceId = (body as { items: { id: string }[] }).items[0]?.id ?? '';
  const within = `/workspaces/${workspaceId}`;
  await call('PATCH', within, { title: 'Kanal Studio' });
  await call('PATCH', '/me', { timezone: 'UTC' });
  const listIds: Record<string, string> = {};
  const spaces = (await call('GET', `${within}/spaces`)).body as { items: { id: string }[] };
  const studio = spaces.items[0]?.id ?? '';
  await call('PATCH', `${within}/spaces/${studio}`, { title: 'Studio' });
  const home = idOf(await call('POST', `${within}/spaces`, { title: 'Home' }));
  const first = (await call('GET', `${within}/lists?spaceId=${studio}`)).body as { items: { id: string }[] };
  listIds.office = first.items[0]?.id ?? '';
  await call('PATCH', `${within}/lists/${listIds.office}`, { title: 'Office' });
  const lists: [string, string, string][] = [
    ['website', 'Website relaunch', studio],
    ['lesesaal', 'Lesesaal Bibliothek Süd', studio],
    ['osaka', '大阪事務所', studio],
    ['empty', 'Allotment', home],
  ];
  for (const [name, title, spaceId] of lists)
    listIds[name] = idOf(await call('POST', `${within}/lists`, { spaceId, title }));
  const labels: Record<string, string> = {};
  for (const [title, color] of [
    ['writing', '#3b74b0'],
    ['legal', '#b8573f'],
    ['money', '#a96f14'],
    ['launch', '#6c5fb5'],
  ] as const) {
    const made = await call('POST', `${within}/labels`, { title, color });
    if (made.status === 201) labels[title] = idOf(made);
  }
  const { statuses } = (await call('GET', `${within}/lists/${listIds.website}`)).body as {
    statuses: { id: string; type: string }[];
  };
  const statusId = (type: string) => statuses.find((status) => status.type === type)?.id;
  const day = (days: number) => new Date(world.clock.now() + days * 86_400_000).toISOString().slice(0, 10);
  const at = (days: number, time: string) => `${day(days)}T${time}:00.000Z`;
  const tasks: [string, string, string, Record<string, unknown>][] = [
    [
      'lease',
      'office',
      'Send the signed lease back to Hausverwaltung Brandt',
      { priority: 'urgent', dueDate: at(-3, '09:00'), labels: ['legal'] },
    ],
    [
      'steuer',
      'office',
      'Steuererklärung 2025: fehlende Belege an die Kanzlei schicken',
      { priority: 'high', dueDate: at(-1, '09:00'), labels: ['money'] },
    ],
    [
      'copy',
      'website',
      'Review the copy for the relaunch: home, about and the three case studies, then pass it on to translation',
      {
        priority: 'high',
        dueDate: at(0, '11:00'),
        statusId: statusId('started'),
        labels: ['writing', 'launch'],
        description:
          'Photos and figures of the three projects that closed this month, in a friendly tone.\nThe draft is at https://kanal.example/notes.',
        assigned: true,
        checklist: ['Choose photos', 'Write the English draft', 'Ask Jonas for the figures'],
      },
    ],
    ['osaka', 'osaka', '請求書を大阪の事務所に送る', { dueDate: at(0, '13:00'), labels: ['money'] }],
    ['call', 'office', 'Call Ada about the lease', { priority: 'urgent', dueDate: at(0, '15:00') }],
    [
      'arabic',
      'office',
      'مراجعة عقد الترجمة مع ليلى',
      { priority: 'medium', dueDate: at(0, '17:30'), labels: ['legal'] },
    ],
    ['oak', 'lesesaal', 'Order oak samples for the reading room', { dueDate: at(1, '09:00') }],
    [
      'disk',
      'website',
      'Replace the disk that reports read errors',
      { dueDate: at(1, '10:00'), assigned: true },
    ],
    [
      'beds',
      'office',
      'Mulch the beds before the first hard frost',
      { priority: 'low', dueDate: at(2, '10:00') },
    ],
    [
      'domain',
      'website',
      'Move the domain to the new registrar',
      { statusId: statusId('completed'), assigned: true },
    ],
    ['licence', 'website', 'Pick a licence for the drawings', { dueDate: at(40, '10:00') }],
    [
      'boathouse',
      'website',
      'Photograph the Weißensee boathouse in morning light',
      { statusId: statusId('started') },
    ],
  ];
  const taskIds: Record<string, string> = {};
  for (const [name, list, title, { labels: names = [], assigned, checklist, ...fields }] of tasks) {
    const task = await call('POST', `${within}/tasks`, {
      listId: listIds[list],
      title,
      ...fields,
      ...(assigned === true && { assigneeId: mara.id }),
      ...(Object.keys(labels).length > 0 && { labelIds: (names as string[]).map((label) => labels[label]) }),
      ...(checklist !== undefined && { checklist: (checklist as string[]).map((item) => ({ title: item })) }),
    });
    taskIds[name] = idOf(task);
  }
  return { mara, workspaceId, listIds, taskIds, call };
}

/** An application to which the browser of one person is signed in, by their access token. */
export function signedInAs(app: Pick<App, 'fetch'>, person: Person): Pick<App, 'fetch'> {
  return {
    fetch: (request: Request, ...rest: unknown[]) => {
      const headers = new Headers(request.headers);
      headers.set('Authorization', `Bearer ${person.accessToken}`);
      return app.fetch(new Request(request, { headers }), ...(rest as []));
    },
  } as Pick<App, 'fetch'>;
}

/** The studio of a file of tests, and its world. */
export let studio: Studio;
export let world: World;

/** To be called by a file of tests, which has a browser and a studio of its own. */
export function useStudio(): void {
  useBrowser();
  beforeAll(async () => {
    world = await openWorld({ start: Date.now() });
    studio = await fillStudio(world);
  });
  afterAll(() => world.close());
}
