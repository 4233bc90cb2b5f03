import { query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import { POSITION_STEP } from '../kernel/positions.ts';
import type { StatusType } from './tables.ts';

const KEY_LETTERS = 6;
const SHORT_KEY_LETTERS = 3;

/** The key of a new workspace: the initials of its title, or the first letters where that is one word, as far as A to Z. */
export function keyOf(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toUpperCase()
      .match(/[\p{L}\p{N}'’]+/gu) ?? [];
  const initials = words
    .map((word) => word[0])
    .join('')
    .replaceAll(/[^A-Z]/g, '');
  if (initials.length > 1) return initials.slice(0, KEY_LETTERS);
  const letters = words.join('').replaceAll(/[^A-Z]/g, '');
  return letters.length > 1 ? letters.slice(0, SHORT_KEY_LETTERS) : 'WS';
}

/** The colour of a status for which none was chosen. */
export const STATUS_COLORS: Record<StatusType, string> = {
  unstarted: '#8a8f98',
  started: '#2f6feb',
  completed: '#2da44e',
  canceled: '#cf222e',
};

/** The statuses of a template for which none were chosen. */
export const STARTING_STATUSES: readonly { title: string; type: StatusType }[] = [
  { title: 'To Do', type: 'unstarted' },
  { title: 'In Progress', type: 'started' },
  { title: 'Done', type: 'completed' },
];

/** The title of someone's default workspace, unless they choose one. */
export const titleFor = (name: string): string => `${name}'s workspace`;

/**
 * Makes a workspace with what each one starts with: its owner, the `Default` status template, and a space `General`
 * with a list `Tasks`. Returns its id.
 */
export function startWorkspace(
  tx: Tx,
  workspace: { title: string; ownerId: string; isDefault: boolean },
  now: Instant,
): string {
  const id = newId(now);
  const stamps = { created_at: now, updated_at: now };
  tx.run(
    query.insertInto('workspaces').values({
      id,
      title: workspace.title,
      key: keyOf(workspace.title),
      owner_id: workspace.ownerId,
      member_count: 0,
      ...stamps,
    }),
  );
  tx.run(
    query.insertInto('members').values({
      workspace_id: id,
      user_id: workspace.ownerId,
      role: 'owner',
      is_default: workspace.isDefault ? 1 : 0,
      joined_at: now,
    }),
  );
  const templateId = newId(now);
  tx.run(
    query
      .insertInto('status_templates')
      .values({ id: templateId, workspace_id: id, title: 'Default', is_default: 1, ...stamps }),
  );
  STARTING_STATUSES.forEach(({ title, type }, i) => {
    tx.run(
      query.insertInto('statuses').values({
        id: newId(now),
        workspace_id: id,
        template_id: templateId,
        title,
        type,
        color: STATUS_COLORS[type],
        position: (i + 1) * POSITION_STEP,
      }),
    );
  });
  const spaceId = newId(now);
  tx.run(
    query.insertInto('spaces').values({
      id: spaceId,
      workspace_id: id,
      title: 'General',
      description: null,
      position: POSITION_STEP,
      creator_code: null,
      version: 1,
      ...stamps,
    }),
  );
  tx.run(
    query.insertInto('lists').values({
      id: newId(now),
      workspace_id: id,
      space_id: spaceId,
      title: 'Tasks',
      status_template_id: templateId,
      position: POSITION_STEP,
      creator_code: null,
      version: 1,
      ...stamps,
    }),
  );
  // All that it starts with, in one row: it always has one, for a position to stand at.
  tx.record({ workspaceId: id, kind: 'workspace', id, op: 'refetch' });
  tx.tell({ userId: workspace.ownerId, about: 'workspaces' });
  return id;
}
