import { expect, it } from 'vitest';
import { call, inside, listId, useHome, world } from '../ada.ts';

useHome();

/** Every statement prepared from now on. */
function watchStatements(): Set<string> {
  const statements = new Set<string>();
  const { writing, reading } = world.opened.storage;
  for (const connection of [writing, reading]) {
    const prepare = connection.prepare.bind(connection);
    connection.prepare = ((sql: string) => {
      if (!sql.startsWith('explain')) statements.add(sql);
      return prepare(sql);
    }) as typeof connection.prepare;
  }
  return statements;
}

/** How SQLite looks for rows, table by table. */
const searchesOf = (sql: string): string[] =>
  world
    .rows<{ detail: string }>(`explain query plan ${sql}`, ...Array.from(sql.matchAll(/\?/g), () => null))
    .map(({ detail }) => detail)
    .filter((detail) => /^(SEARCH|SCAN) (?!json_each)/.test(detail));

it('things given by their ids are found by them, however much their workspace holds', async () => {
  const statements = watchStatements();
  const labelIds = [(await call('POST', `${inside}/labels`, { title: 'Home' })).body.id];
  const id = crypto.randomUUID();
  const { body } = await call('POST', `${inside}/tasks/batch`, {
    operations: [
      { op: 'create', id, title: 'T', listId, labelIds },
      { op: 'delete', id },
      { op: 'restore', id },
    ],
  });
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 204, 200]);
  await call('POST', `${inside}/recurring-tasks`, {
    ...{ title: 'S', listId, labelIds },
    interval: { frequency: 'day', timeOfDay: '09:00', timezone: 'UTC' },
  });
  expect((await call('DELETE', `${inside}/labels/${labelIds[0]}`)).status).toBe(204);
  const given = [...statements].filter((sql) =>
    /\bworkspace_(id|code) = \+?\?.*\bid in \(select (value|id) from (json_each|given)\b/s.test(sql),
  );
  expect(given.length).toBeGreaterThan(2);
  const byWorkspace = given.flatMap((sql) =>
    searchesOf(sql)
      .filter((detail) => /\(workspace_(id|code)=\?\)/.test(detail))
      .map((detail) => `${detail}: ${sql}`),
  );
  expect(byWorkspace).toEqual([]);
});
