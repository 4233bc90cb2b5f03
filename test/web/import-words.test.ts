import { describe, expect, it } from 'vitest';
import { entryInWords } from '../../src/web/text/import-words.ts';

const document = {
  formatVersion: 3,
  workspaces: [
    {
      title: 'Household',
      members: [{ name: 'Bob' }],
      statusTemplates: [{ title: 'Simple', statuses: [{ title: 'To Do' }] }],
      tasks: [
        { title: 'Paint the fence', comments: [{ body: 'Said' }] },
        { title: 'x'.repeat(600) },
        { title: 7 },
      ],
      recurringTasks: [{ title: 'Water the plants', interval: { daysOfWeek: ['someday'] } }],
      trash: [{ title: 'Garden', tasks: [{ title: 'Mulch', status: {} }] }],
    },
  ],
};
const words = (path: string, of: unknown = document) => entryInWords(path, of);

describe('the place of a remark on an import', () => {
  it('is told by the titles that the document has there', () => {
    const all = {
      formatVersion: 'format version',
      'workspaces.0': 'workspace “Household”',
      'workspaces.0.key': 'workspace “Household”, key',
      'workspaces.0.members.0': 'workspace “Household”, member “Bob”',
      'workspaces.0.tasks': 'workspace “Household”, tasks',
      'workspaces.0.tasks.0.listId': 'workspace “Household”, task “Paint the fence”, list',
      'workspaces.0.tasks.0.labelIds.1': 'workspace “Household”, task “Paint the fence”, label 2',
      'workspaces.0.tasks.0.comments.0.body':
        'workspace “Household”, task “Paint the fence”, comment 1, body',
      'workspaces.0.statusTemplates.0.statuses.0.id':
        'workspace “Household”, status template “Simple”, status “To Do”, id',
      'workspaces.0.recurringTasks.0.interval.daysOfWeek.0':
        'workspace “Household”, recurring task “Water the plants”, interval, days of week 1',
      'workspaces.0.trash.0.tasks.0.status.title':
        'workspace “Household”, trash “Garden”, task “Mulch”, status, title',
    };
    for (const [path, place] of Object.entries(all)) expect(words(path), path).toBe(place);
    expect(words('workspaces.0.tasks.1.title')).toMatch(/^workspace “Household”, task “x{59}…”, title$/);
  });

  it('is counted where the document has no title there, or cannot be read', () => {
    expect(words('workspaces.0.tasks.2.title')).toBe('workspace “Household”, task 3, title');
    expect(words('workspaces.0.tasks.8.title')).toBe('workspace “Household”, task 9, title');
    expect(words('workspaces.0.tasks.3.title', null)).toBe('workspace 1, task 4, title');
    expect(words('')).toBe('');
  });
});
