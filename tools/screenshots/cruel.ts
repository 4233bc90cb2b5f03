import { addMember } from '../../test/people.ts';
import type { World } from '../../test/world.ts';
import { type Content, callsOf, NOW, ZONE } from './content.ts';

const WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const LONG = WORD.repeat(8);
const ARABIC =
  'مراجعة عقد الترجمة مع ليلى والتحقق من جميع الملحقات قبل نهاية الأسبوع القادم في المكتب الرئيسي';
const JAPANESE = '請求書を大阪の事務所に送る前に金額と日付を確認し担当者の承認を得る必要があります';
const SIGNS = '👩‍👩‍👧‍👦 Familientreffen 🎉🎂🇩🇪 planen 🏳️‍🌈🧑🏽‍🚀';

const PEOPLE = [
  [`${'sehr.lange.adresse.'.repeat(3)}x@${'unterabteilung.'.repeat(6)}example`, WORD.slice(0, 70), 'admin'],
  ['leila@kanal.example', 'ليلى حداد بنت عبد الرحمن آل سعود الحسيني', 'member'],
  ['sato@kanal.example', '佐藤 美咲', 'member'],
  ['emo@kanal.example', '🦄🌈', 'viewer'],
] as const;

const LISTS = [
  '大阪事務所の引っ越しと新しい契約',
  'قائمة المهام الطويلة جدا للمكتب الرئيسي في القاهرة',
  '🏡 Haus & Hof 🐈',
  'A',
];
const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#000000', '#ffffff', '#888888', '#ff00ff'];

const dayFromNow = (days: number): string => new Date(NOW + days * 86_400_000).toISOString().slice(0, 10);

/** Fills a server with what layouts break at: no spaces, 200 lists, 24 labels, other scripts, 100 items. */
export async function fillCruelly(world: World): Promise<Content> {
  const mara = await world.signUp('mara@kanal.example', `Mara-Magdalena von und zu ${WORD}`);
  const call = callsOf(world, mara);
  await call('PATCH', '/me', { timezone: ZONE, preferences: { welcomed: true } });
  const workspaceId: string = (await call('GET', '/me/workspaces')).items[0].id;
  const within = `/workspaces/${workspaceId}`;
  await call('PATCH', within, { title: `Verein zur Förderung der ${WORD}`, key: 'DONAUD' });
  const people: { id: string; accessToken: string }[] = [];
  for (const [email, name, role] of PEOPLE) {
    const person = await world.signUp(email, name);
    await addMember(world, mara, workspaceId, person, role);
    people.push(person);
  }
  const [first, second, third] = people;
  const [space] = (await call('GET', `${within}/spaces`)).items;
  await call('PATCH', `${within}/spaces/${space.id}`, { title: `${WORD} und Söhne` });
  const [given] = (await call('GET', `${within}/lists?spaceId=${space.id}`)).items;
  await call('PATCH', `${within}/lists/${given.id}`, { title: LONG.slice(0, 200) });
  const lists: string[] = [given.id];
  for (const title of LISTS)
    lists.push((await call('POST', `${within}/lists`, { spaceId: space.id, title })).id);
  const many = await call('POST', `${within}/spaces`, { title: '二百のリスト' });
  for (let index = 1; index <= 195; index += 1)
    await call('POST', `${within}/lists`, { spaceId: many.id, title: `List number ${index}` });
  const labelIds: string[] = [];
  for (let index = 0; index < 24; index += 1) {
    const title = [`${index} ${WORD.slice(0, 60)}`, `短い${index}`, `وسم ${index}`, `🏷️ ${index}`][index % 4];
    const color = COLORS[index % COLORS.length];
    labelIds.push((await call('POST', `${within}/labels`, { title, color })).id);
  }
  const checklist = Array.from({ length: 100 }, (_, index) => ({
    title: index % 9 === 0 ? LONG.slice(0, 300) : `Item ${index} ${index % 4 === 0 ? JAPANESE : ''}`,
  }));
  const drafts = [
    {
      title: LONG.slice(0, 500),
      dueDay: dayFromNow(0),
      priority: 'urgent',
      labelIds: labelIds.slice(0, 20),
      description: LONG.repeat(3),
      assigneeId: first?.id,
      checklist,
    },
    {
      title: ARABIC.repeat(4),
      dueDay: dayFromNow(-400),
      labelIds: labelIds.slice(0, 3),
      assigneeId: second?.id,
    },
    { title: JAPANESE.repeat(4), dueDate: `${dayFromNow(0)}T22:59:00.000Z`, labelIds: labelIds.slice(4, 10) },
    { title: SIGNS, dueDay: dayFromNow(0), labelIds: labelIds.slice(0, 1) },
    { title: 'W'.repeat(500), dueDay: dayFromNow(-1), priority: 'low', assigneeId: third?.id },
    { title: 'i' },
    { title: `${ARABIC} and then English again with 数字 123`, dueDay: dayFromNow(1) },
    { title: `https://example.com/${'path/'.repeat(80)}`, dueDay: dayFromNow(900) },
  ];
  const taskIds: string[] = [];
  for (const draft of drafts)
    taskIds.push((await call('POST', `${within}/tasks`, { listId: given.id, ...draft })).id);
  for (let index = 0; index < 60; index += 1)
    await call('POST', `${within}/tasks`, {
      listId: lists[index % lists.length],
      title: index % 3 === 0 ? LONG.slice(0, 120) : `Task ${index}`,
      dueDay: dayFromNow(index % 5),
      labelIds: labelIds.slice(index % 9, (index % 9) + (index % 5)),
    });
  const notes = taskIds[0] ?? '';
  for (const [index, body] of [LONG, ARABIC, JAPANESE, 'ok', 'Line one\n\n\nLine two'].entries())
    await call('POST', `${within}/tasks/${notes}/comments`, { body }, people[index % 3]?.accessToken);
  for (const title of [LONG.slice(0, 500), ARABIC]) {
    const gone = await call('POST', `${within}/tasks`, { listId: given.id, title });
    await call('DELETE', `${within}/tasks/${gone.id}`);
    await call('POST', `${within}/recurring-tasks`, {
      title,
      listId: given.id,
      interval: {
        frequency: 'week',
        every: 2,
        daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
        timeOfDay: '09:00',
        timezone: 'America/Argentina/ComodRivadavia',
      },
      endCondition: { type: 'count', count: 999 },
    });
  }
  return { mara, workspaceId, listIds: { 'Website relaunch': given.id }, taskIds: { notes } };
}
