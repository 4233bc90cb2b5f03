import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import { POSITION_STEP } from '../kernel/positions.ts';
import { unrecorded } from './imports.ts';
import { insertList, insertSpace } from './lists.ts';
import { insertStatus, insertTemplate } from './status-templates.ts';
import type { StatusType } from './tables.ts';
import { insertMember, insertWorkspace } from './workspaces.ts';

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
  const { title, ownerId, isDefault } = workspace;
  const id = newId(now);
  const stamps = { created_at: now, updated_at: now };
  insertWorkspace(tx, { id, title, key: keyOf(title), owner_id: ownerId, ...stamps });
  // All that it starts with is recorded in one row: it always has one, for a position to stand at.
  const quiet = unrecorded(tx);
  const is_default = isDefault ? 1 : 0;
  insertMember(quiet, { workspace_id: id, user_id: ownerId, role: 'owner', is_default, joined_at: now });
  const templateId = newId(now);
  insertTemplate(quiet, { id: templateId, workspace_id: id, title: 'Default', is_default: 1, ...stamps });
  for (const [i, { title, type }] of STARTING_STATUSES.entries()) {
    const position = (i + 1) * POSITION_STEP;
    insertStatus(tx, id, templateId, { id: newId(now), title, type, color: STATUS_COLORS[type], position });
  }
  const placed = {
    workspace_id: id,
    position: POSITION_STEP,
    creator_code: null,
    version: 1,
    ...stamps,
  };
  const spaceId = newId(now);
  insertSpace(quiet, { id: spaceId, title: 'General', description: null, ...placed });
  const list = { space_id: spaceId, status_template_id: templateId };
  insertList(quiet, { id: newId(now), title: 'Tasks', ...list, ...placed });
  tx.record({ workspaceId: id, kind: 'workspace', id, op: 'refetch' });
  return id;
}
