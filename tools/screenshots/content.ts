import { addMember } from '../../test/people.ts';
import type { Person, World } from '../../test/world.ts';

/** A small studio with its people, lists and a week of work. */
export interface Content {
  mara: Person;
  workspaceId: string;
  listIds: Record<string, string>;
  taskIds: Record<string, string>;
}

/** The Monday morning on which the pictures are taken. */
export const NOW = Date.parse('2026-11-23T08:12:00.000Z');
export const ZONE = 'Europe/Berlin';

const PEOPLE = [
  ['jonas@kanal.example', 'Jonas Weber', 'admin'],
  ['maria@kanal.example', 'Μαρία Δήμου', 'member'],
  ['leila@kanal.example', 'ليلى حداد', 'member'],
  ['tomas@kanal.example', 'Tomás Oliveira', 'member'],
] as const;

const SPACES = {
  Studio: ['Office', 'Website relaunch', 'Lesesaal Bibliothek Süd', 'Γραφείο Αθήνας'],
  Home: ['Household', 'Allotment'],
};

const LABELS = {
  writing: '#3b74b0',
  legal: '#b8573f',
  money: '#a96f14',
  launch: '#6c5fb5',
  design: '#97507f',
  outside: '#727d25',
};

interface Draft {
  list: string;
  title: string;
  /** `1 15:00`: days from today, and a local time in winter. */
  due?: string;
  status?: 'started' | 'completed';
  priority?: string;
  labels?: (keyof typeof LABELS)[];
  who?: string;
  items?: [string, boolean][];
  description?: string;
  comments?: [who: string, body: string][];
}

const DRAFTS: Record<string, Draft> = {
  lease: {
    list: 'Office',
    title: 'Send the signed lease back to Hausverwaltung Brandt',
    due: '-3 12:00',
    priority: 'urgent',
    labels: ['legal'],
    comments: [['Jonas Weber', 'Page 4 still needs a signature.']],
  },
  tax: {
    list: 'Office',
    title: 'Steuererklärung 2025: fehlende Belege an die Kanzlei schicken',
    due: '-1 12:00',
    priority: 'high',
    labels: ['money'],
    items: [
      ['Fahrtkosten', true],
      ['Miete', true],
      ['Telefon', false],
    ],
  },
  copy: {
    list: 'Website relaunch',
    title: 'Review the copy for the relaunch: home, about and the three case studies',
    due: '0 11:00',
    status: 'started',
    priority: 'high',
    labels: ['writing', 'launch'],
    items: [
      ['Home', true],
      ['About', true],
      ['Three case studies', false],
    ],
  },
  invoice: {
    list: 'Γραφείο Αθήνας',
    title: 'Αποστολή τιμολογίου στην Αθήνα',
    due: '0 13:00',
    labels: ['money'],
  },
  ada: { list: 'Office', title: 'Call Ada about the lease', due: '0 15:00', priority: 'urgent' },
  contract: {
    list: 'Office',
    title: 'مراجعة عقد الترجمة مع ليلى',
    due: '0 17:30',
    priority: 'medium',
    labels: ['legal'],
    comments: [['ليلى حداد', 'أرسلت النسخة الأخيرة.']],
  },
  oak: {
    list: 'Lesesaal Bibliothek Süd',
    title: 'Order oak samples for the reading room',
    due: '0 18:00',
    labels: ['design'],
  },
  site: {
    list: 'Lesesaal Bibliothek Süd',
    title: 'Baustellenbegehung mit der Elektrikerin, Treppenhaus Ost',
    due: '1 08:15',
    labels: ['outside'],
  },
  disk: { list: 'Office', title: 'Replace the disk that reports read errors', due: '1 10:00' },
  beds: { list: 'Allotment', title: 'Mulch the beds before the first hard frost', due: '2 16:00' },
  cards: { list: 'Household', title: 'Renew the library cards', due: '3 12:00', priority: 'low' },
  notes: {
    list: 'Website relaunch',
    title: 'Publish the November studio notes in English, German and Greek',
    due: '4 15:00',
    status: 'started',
    priority: 'high',
    labels: ['writing', 'launch'],
    who: 'Μαρία Δήμου',
    description:
      'Photos and figures of the three projects that closed this month, in a friendly tone.\n\nThe draft is in https://kanal.example/notes/2026-11. Translations start when the English text is final.',
    items: [
      ['Choose photos from the three closed projects', true],
      ['Write the English draft, 600 words at most', true],
      ['Ask Jonas for the figures of the boathouse', true],
      ['German translation', false],
      ['Ελληνική μετάφραση', false],
      ['Send to the list on Friday at 15:00', false],
    ],
    comments: [
      ['Jonas Weber', 'Figures are in the folder. The boathouse came out 6 % under.'],
      ['Μαρία Δήμου', 'Thank you! I chose three of the photos.'],
    ],
  },
  renew: {
    list: 'Website relaunch',
    title: 'Renew the certificate of the old mail relay before it locks everyone out',
    due: '2 09:00',
    priority: 'urgent',
    labels: ['launch'],
    who: 'Tomás Oliveira',
  },
  forms: {
    list: 'Website relaunch',
    title: 'Formulare barrierefrei machen und mit zwei Screenreadern prüfen',
    due: '9 12:00',
    labels: ['design'],
    who: 'Tomás Oliveira',
    items: [
      ['NVDA', true],
      ['VoiceOver', false],
    ],
  },
  recruit: {
    list: 'Website relaunch',
    title: 'Сократить текст страницы вакансий',
    labels: ['writing'],
    who: 'Μαρία Δήμου',
  },
  map: {
    list: 'Website relaunch',
    title: 'Redraw the map on the contact page',
    due: '11 12:00',
    priority: 'low',
  },
  arabic: {
    list: 'Website relaunch',
    title: 'ترجمة صفحة الاتصال إلى العربية',
    labels: ['writing'],
    who: 'ليلى حداد',
  },
  archive: {
    list: 'Website relaunch',
    title: 'Decide whether the newsletter archive moves along',
    comments: [['Mara Lindqvist', 'Two readers asked for it last week.']],
  },
  boathouse: {
    list: 'Website relaunch',
    title: 'Photograph the Weißensee boathouse in morning light',
    due: '3 08:00',
    status: 'started',
    labels: ['outside'],
    who: 'Jonas Weber',
  },
  registrar: {
    list: 'Website relaunch',
    title: 'Move the domain to the new registrar',
    status: 'completed',
    who: 'Tomás Oliveira',
  },
  hosting: { list: 'Website relaunch', title: 'Ask for a second hosting offer', status: 'completed' },
  insurance: { list: 'Office', title: 'Insurance: ask for the new terms', due: '7 12:00', labels: ['money'] },
  photos: { list: 'Office', title: 'Back up the photo drive', due: '8 18:00' },
  wood: { list: 'Allotment', title: 'Oil the tool handles', due: '12 10:00' },
};

const SERIES = [
  {
    title: 'Stand-up with the website team',
    list: 'Website relaunch',
    frequency: 'day',
    every: 1,
    at: '09:30',
  },
  {
    title: 'Water the plants',
    list: 'Household',
    frequency: 'week',
    every: 1,
    days: ['thursday'],
    at: '18:00',
  },
  { title: 'Pay the rent', list: 'Office', frequency: 'month', every: 1, dayOfMonth: -1, at: '09:00' },
  {
    title: 'Restore test of the backup',
    list: 'Office',
    frequency: 'month',
    every: 1,
    weekIndex: 'last',
    days: ['sunday'],
    at: '02:30',
  },
  {
    title: 'Plant garlic',
    list: 'Allotment',
    frequency: 'year',
    every: 1,
    month: 10,
    dayOfMonth: 17,
    at: '10:00',
  },
];

/** Calls in someone's name, else by another token; what is not accepted throws. */
export const callsOf =
  (world: World, { accessToken }: Person) =>
  async (method: string, path: string, body?: unknown, token = accessToken) => {
    const response = await world.call(method, path, { token, body });
    if (response.status >= 300)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body;
  };

/** Fills a server with it; many lists more where a picture needs them. */
export async function fill(world: World): Promise<Content> {
  const mara = await world.signUp('mara@kanal.example', 'Mara Lindqvist');
  const call = callsOf(world, mara);
  await call('PATCH', '/me', { timezone: ZONE, preferences: { welcomed: true } });
  const workspaceId: string = (await call('GET', '/me/workspaces')).items[0].id;
  const within = `/workspaces/${workspaceId}`;
  await call('PATCH', within, { title: 'Kanal Studio', key: 'WEB' });
  const tokens: Record<string, string> = { 'Mara Lindqvist': mara.accessToken };
  const ids: Record<string, string> = { 'Mara Lindqvist': mara.id };
  for (const [email, name, role] of PEOPLE) {
    const person = await world.signUp(email, name);
    await addMember(world, mara, workspaceId, person, role);
    tokens[name] = person.accessToken;
    ids[name] = person.id;
  }
  const listIds: Record<string, string> = {};
  const [general] = (await call('GET', `${within}/spaces`)).items;
  for (const [space, titles] of Object.entries(SPACES)) {
    const isFirst = space === 'Studio';
    const { id } = isFirst
      ? await call('PATCH', `${within}/spaces/${general.id}`, { title: space })
      : await call('POST', `${within}/spaces`, { title: space });
    const [given] = (await call('GET', `${within}/lists?spaceId=${id}`)).items;
    for (const [index, title] of titles.entries())
      listIds[title] = (
        index === 0
          ? await call('PATCH', `${within}/lists/${given.id}`, { title })
          : await call('POST', `${within}/lists`, { spaceId: id, title })
      ).id;
  }
  const labelIds: Record<string, string> = {};
  for (const [title, color] of Object.entries(LABELS))
    labelIds[title] = (await call('POST', `${within}/labels`, { title, color })).id;
  const [template] = (await call('GET', `${within}/status-templates`)).items;
  const statusId = (type: string) => template.statuses.find((one: { type: string }) => one.type === type).id;
  const taskIds: Record<string, string> = {};
  for (const [name, draft] of Object.entries(DRAFTS)) {
    const {
      list,
      title,
      due,
      status,
      priority,
      labels = [],
      who,
      items = [],
      description,
      comments = [],
    } = draft;
    const task = await call('POST', `${within}/tasks`, {
      listId: listIds[list],
      title,
      ...(due && { dueDate: instant(due) }),
      ...(status && { statusId: statusId(status) }),
      ...(priority && { priority }),
      ...(who && { assigneeId: ids[who] }),
      ...(description && { description }),
      labelIds: labels.map((label) => labelIds[label]),
      checklist: items.map(([item]) => ({ title: item })),
    });
    for (const [index, [, isDone]] of items.entries())
      if (isDone)
        await call('PATCH', `${within}/tasks/${task.id}/checklist/${task.checklist[index].id}`, { isDone });
    for (const [author, body] of comments)
      await call('POST', `${within}/tasks/${task.id}/comments`, { body }, tokens[author]);
    taskIds[name] = task.id;
  }
  for (const { title, list, days, at, ...rule } of SERIES)
    await call('POST', `${within}/recurring-tasks`, {
      title,
      listId: listIds[list],
      interval: { ...rule, ...(days && { daysOfWeek: days }), timeOfDay: at, timezone: ZONE },
      endCondition: { type: 'never' },
    });
  return { mara, workspaceId, listIds, taskIds };
}

/** The instant of a local time so many days from today. */
function instant(due: string): string {
  const [days, time = ''] = due.split(' ');
  const day = new Date(NOW + Number(days) * 86_400_000).toISOString().slice(0, 10);
  return new Date(`${day}T${time}:00+01:00`).toISOString();
}
