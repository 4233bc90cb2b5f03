import { afterEach, describe, expect, it } from 'vitest';
import { expectIntegrity } from '../integrity.ts';
import { DAILY, DAY, w as series, useSeriesWorld } from '../series-world.ts';
import { zoneLookups } from '../zone-lookups.ts';
import { type Document, STATUS_TEMPLATES } from './round-trip.ts';

useSeriesWorld();
afterEach(async () => {
  expectIntegrity(series.world);
  await series.world.close();
});

const FIRST = Date.parse('2026-03-28T08:00:00.000Z');
const LARGEST = 1_000_000_000_000;

/** Imports a daily series that goes on with its first occurrence; returns the path of the series. */
async function imported(progress: object, occurrences: object[] = [], interval: object = DAILY) {
  const { ok } = series;
  const upcoming = { local: '2026-03-28T09:00', number: 1 };
  const document: Document = {
    formatVersion: 2,
    workspaces: [
      {
        title: 'Home',
        statusTemplates: STATUS_TEMPLATES,
        spaces: [{ id: 's', title: 'Space' }],
        lists: [{ id: 'l', title: 'List', spaceId: 's', statusTemplateId: 't' }],
        recurringTasks: [
          {
            ...{ id: 'r', title: 'Water', listId: 'l', interval, startsAt: '2026-03-01T00:00:00.000Z' },
            nextRunAt: new Date(FIRST).toISOString(),
            progress: { anchorDate: '2026-03-28', numberOffset: 0, ruleVersion: 1, upcoming, ...progress },
            occurrences,
          },
        ],
      },
    ],
  };
  const { workspaces } = await ok('POST', '/account/import', document);
  const inside = `/workspaces/${workspaces[0].id}/recurring-tasks`;
  return `${inside}/${(await ok('GET', inside)).items[0].id}`;
}

const decided = (i: number, number: number) => {
  const at = new Date(FIRST + i * DAY).toISOString();
  return { ruleVersion: 1, local: `${at.slice(0, 10)}T09:00`, at, number, state: 'skipped' };
};

describe('an imported series of numbers that no series comes to', () => {
  it.each([
    ['daily', DAILY],
    ['monthly', { ...DAILY, frequency: 'month' }],
  ])('is %s and ends without a look at what comes before its first', async (_, interval) => {
    const path = await imported({ numberOffset: -LARGEST }, [], interval);
    const lookups = await zoneLookups(async () =>
      expect((await series.ok('POST', `${path}/skip`)).state).toBe('ended'),
    );
    expect(lookups).toBeLessThan(1_000);
  });

  it('is deleted and split in as many steps as it has occurrences', async () => {
    const { ok } = series;
    const path = await imported({}, [decided(0, LARGEST), decided(1, -LARGEST)]);
    const { nextTaskId } = await ok('POST', `${path}/skip`);
    await ok('POST', `${path}/instances/${nextTaskId}/edit-mode`, {
      mode: 'following',
      updates: { title: 'Split' },
    });
    await ok('DELETE', path);
  });

  it('goes on behind some of the decided ones at a time, where none has the number of its rule', async () => {
    const path = await imported(
      {},
      Array.from({ length: 150 }, (_, i) => decided(i, -5)),
    );
    expect((await series.ok('POST', `${path}/skip`)).nextTaskId).toBeNull();
    expect((await series.ok('POST', `${path}/skip`)).nextTaskId).not.toBeNull();
  });
});
