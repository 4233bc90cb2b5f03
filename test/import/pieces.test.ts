import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/import/document.ts';
import { piecesOf } from '../../src/import/pieces.ts';
import type { Entry } from '../../src/import/rows.ts';
import { STATUS_TEMPLATES } from './round-trip.ts';

const MAX_ROWS = 1_000;
const AT = '2026-03-27T10:00:00.000Z';
const count = (length: number) => [...Array(length).keys()];

/** The pieces of a workspace that has more than documents must have. */
function piecesWith(more: object): Entry[][] {
  const result = readDocument(
    JSON.stringify({
      formatVersion: 2,
      workspaces: [
        {
          title: 'Home',
          statusTemplates: STATUS_TEMPLATES,
          spaces: [{ id: 's', title: 'Space' }],
          lists: [{ id: 'l', title: 'List', spaceId: 's', statusTemplateId: 't' }],
          ...more,
        },
      ],
    }),
    { email: 'ada@example.com', now: Date.parse(AT) },
  );
  if (!('read' in result)) throw new Error(JSON.stringify(result));
  const { workspaces } = result.read;
  const keys = new Map(workspaces.map(({ id }) => [id, 1]));
  return [
    ...piecesOf(workspaces, { owner: { id: 'ada', code: 1, timezone: 'UTC' }, keys, at: AT, zoneData: '' }),
  ];
}

/** What a piece stores in other tables beside its entries. */
const rowsBeside = (entry: Entry): number => {
  switch (entry.kind) {
    case 'task':
      return JSON.parse(entry.row.checklist ?? '[]').length + JSON.parse(entry.row.label_ids ?? '[]').length;
    case 'packed':
      return entry.items?.length ?? 0;
    case 'statusTemplate':
      return entry.statuses.length;
    case 'steps':
      return entry.rows.length;
    default:
      return 0;
  }
};

describe('a piece of an import, which nobody is answered beside,', () => {
  const checklist = count(100).map((i) => ({ title: `Item ${i}` }));
  const labels = count(50).map((i) => ({ id: `label${i}`, title: `Label ${i}` }));
  const task = { listId: 'l', title: 'Many' };
  const trashed = (i: number) => ({
    ...{ id: `${i}`, kind: 'task', title: 'Many', placeId: 'l', itemCount: 1 },
    ...{ deletedAt: '2026-03-01T00:00:00.000Z', purgeAt: '2026-03-31T00:00:00.000Z' },
    tasks: [{ ...task, id: `${i}`, checklist, status: { id: 'u', title: 'To Do', type: 'unstarted' } }],
  });
  const statuses = (i: number) =>
    count(50).map((n) => ({ id: `${i}-${n}`, title: `S${n}`, type: n === 0 ? 'unstarted' : 'completed' }));

  const series = {
    ...{ id: 'j', title: 'Water', listId: 'l', startsAt: '2026-03-28T00:00:00.000Z', state: 'paused' },
    interval: { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'UTC' },
    steps: count(5_000).map((number) => ({ number, ruleVersion: 1, local: '2026-03-28T09:00' })),
  };

  it.each([
    ['steps', { recurringTasks: [series] }, 5_000],
    ['items', { tasks: count(200).map((i) => ({ ...task, id: `${i}`, checklist })) }, 20_000],
    [
      'labels',
      {
        labels,
        tasks: count(200).map((i) => ({ ...task, id: `${i}`, labelIds: labels.map(({ id }) => id) })),
      },
      10_000,
    ],
    ['items in the trash', { trash: count(200).map(trashed) }, 20_000],
    [
      'statuses',
      {
        statusTemplates: count(100).map((i) => ({
          ...{ id: i === 0 ? 't' : `t${i}`, title: `T${i}`, isDefault: i === 0, statuses: statuses(i) },
        })),
      },
      5_000,
    ],
  ])('is short where things have very many %s', (_, more, all) => {
    const rows = piecesWith(more).map((piece) => piece.reduce((sum, entry) => sum + rowsBeside(entry), 0));
    expect(rows.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(all);
    expect(Math.max(...rows)).toBeLessThanOrEqual(MAX_ROWS);
  });
});
