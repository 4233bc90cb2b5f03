import { describe, expect, it } from 'vitest';
import { compareDue, dueOf, startOf } from '../../src/web/tasks/dates.ts';
import { parseQuickAdd } from '../../src/web/text/quick-add.ts';
import { taskFields } from '../../src/web/text/quick-add-edits.ts';
import { startOfDay } from '../../src/web/text/zones.ts';
import { ada, call as asAda, at, listId, useHome, world } from '../ada.ts';

type Shown = { id: string } & Parameters<ReturnType<typeof compareDue>>[0];

useHome();

const call = (method: string, path: string, body?: unknown) => asAda(method, at(path), body);

describe('what quick add says of days', () => {
  it.each(['UTC', 'Europe/Paris', 'America/Sao_Paulo', 'Pacific/Kiritimati', 'America/Los_Angeles'])(
    'comes back and stands on the same day and in the same order on both sides in %s',
    async (zone) => {
      await world.call('PATCH', '/me', { token: ada.accessToken, body: { timezone: zone } });
      const context = {
        now: world.clock.now(),
        zone,
        weekStart: 'monday',
        dayOrder: 'dmy',
        me: ada.id,
        listId,
        lists: [{ id: listId, title: 'Inbox' }],
        people: [],
        labels: [],
        statusesOf: () => [],
      } as const;
      const texts = [
        'tod',
        'tom',
        'tom 0:00',
        'tod 23:30',
        'tom 23:59',
        'sun 2:30',
        'sun',
        'sun 0:30',
        'mon',
      ];
      const said = texts.map((text) => parseQuickAdd(`x ${text}`, context).task);
      for (const task of said) {
        const fields = taskFields(task, listId, zone);
        const { status, body } = await call('POST', '/tasks', fields);
        expect(status).toBe(201);
        expect(body).toMatchObject({ ...fields, [task.time === null ? 'dueDate' : 'dueDay']: null });
        expect([dueOf(body, zone)?.day, startOf(body, zone)]).toEqual([task.day, null]);
      }
      const { items, groups }: { items: Shown[]; groups: { key: string; taskIds: string[] }[] } = (
        await call('GET', '/tasks/query?groupBy=dueDate&sortBy=dueDate')
      ).body;
      const shown = Map.groupBy(items, (task) => dueOf(task, zone)?.day);
      expect(groups.map(({ key, taskIds }) => [key, taskIds])).toEqual(
        Array.from(shown, ([day, tasks]) => [day, tasks.map(({ id }) => id)]),
      );
      const sorted: Shown[] = (await call('GET', '/tasks?sortBy=dueDate')).body.items;
      const instants = sorted.map(({ dueDate, dueDay }) =>
        dueDay === null ? dueDate : startOfDay(dueDay, zone),
      );
      expect(instants).toEqual([...instants].sort());
      expect(instants.length).toBe(texts.length);
      const days = (tasks: Shown[]) => tasks.map((task) => dueOf(task, zone)?.day);
      expect(days(sorted)).toEqual(days([...sorted].sort(compareDue(zone))));
    },
  );
});
