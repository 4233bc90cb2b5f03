import { query } from '../db/connection.ts';
import type { StatusType } from '../db/tables.ts';
import type { Tx } from '../db/writer.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import { POSITION_STEP } from '../kernel/positions.ts';

const STATUSES: { title: string; type: StatusType; color: string }[] = [
  { title: 'To Do', type: 'unstarted', color: '#8a8f98' },
  { title: 'In Progress', type: 'started', color: '#2f6feb' },
  { title: 'Done', type: 'completed', color: '#2da44e' },
];

/**
 * Makes a workspace with what each one starts with: its owner, the `Default` status template, and a space `General`
 * with a list `Tasks`. Answers its id.
 */
export function startWorkspace(
  tx: Tx,
  workspace: { title: string; ownerId: string; isDefault: boolean },
  now: Instant,
): string {
  const id = newId();
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
  const templateId = newId();
  tx.run(
    query
      .insertInto('status_templates')
      .values({ id: templateId, workspace_id: id, title: 'Default', is_default: 1, ...stamps }),
  );
  STATUSES.forEach((status, i) => {
    tx.run(
      query
        .insertInto('statuses')
        .values({ id: newId(), template_id: templateId, position: (i + 1) * POSITION_STEP, ...status }),
    );
  });
  const spaceId = newId();
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
      id: newId(),
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
