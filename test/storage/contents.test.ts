import { expect, it } from 'vitest';
import { SECTIONS } from '../../src/storage/contents.ts';
import { rowsById } from '../../src/storage/read-sections.ts';
import { useWorld, world } from '../ada.ts';

useWorld();

it.each([...new Set(SECTIONS.map(({ kind }) => kind))])(
  'a %s is read by its id, however much its workspace holds',
  (kind) => {
    const { sql, parameters } = rowsById(kind, { workspaceId: 'w', workspaceKey: 1 }, ['a', 'b']);
    const plan = world
      .rows<{ detail: string }>(`explain query plan ${sql}`, ...parameters)
      .map(({ detail }) => detail);
    const searched = plan.filter((line) => /^(SEARCH|SCAN) (?!json_each)/.test(line));
    const byId = kind === 'member' ? /workspace_id=\? AND user_id=\?|\(id=\?\)/ : /\(id=\?\)|in_transit/;
    expect(searched.filter((line) => !byId.test(line))).toEqual([]);
  },
);
