import { query } from '../db/connection.ts';
import type { StatusType } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import { POSITION_STEP } from '../kernel/positions.ts';

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
 * with a list `Tasks`. Answers its id.
 */
export function startWorkspace(
  tx: Tx,
  workspace: { title: string; ownerId: string; isDefault: boolean },
  now: Instant,
): string {
  const id = newId(now);
  const stamps = { created_at: now, updated_at: now };
  tx.run(
    query
      .insertInto('workspaces')
      .values({ id, title: workspace.title, owner_id: workspace.ownerId, member_count: 0, ...stamps }),
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
      ...stamps,
    }),
  );
  return id;
}
