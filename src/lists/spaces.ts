import type { Db } from '../db/connection.ts';
import type { SpaceRow } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import { demand } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { toInstant } from '../kernel/instants.ts';
import { patched } from '../kernel/patch.ts';
import { positionAfter } from '../kernel/positions.ts';
import { type Member, writeAs } from '../workspaces/door.ts';
import { beginRemoval, finishRemoval } from '../workspaces/removals.ts';
import { addList } from './lists.ts';
import type { NewSpace, Space, SpaceInput, SpacePatch } from './schema.ts';
import * as store from './store.ts';

/** Makes a space with the one list that each starts with. */
export function createSpace(deps: Deps, who: Member, input: SpaceInput): Promise<NewSpace> {
  const now = toInstant(deps.clock.now());
  const { workspaceId } = who;
  return writeAs(deps, who, (tx) => {
    const row: SpaceRow = {
      id: newId(now),
      workspace_id: workspaceId,
      title: input.title,
      description: input.description ?? null,
      position: input.position ?? positionAfter(store.lastSpacePosition(tx, workspaceId)),
      created_at: now,
      updated_at: now,
    };
    store.insertSpace(tx, row);
    const list = addList(tx, workspaceId, { spaceId: row.id, title: 'Tasks' }, now);
    return { ...store.spaceOf(row), lists: [list] };
  });
}

export const readSpace = (db: Db, who: Member, id: string): Space => store.spaceOf(demandSpace(db, who, id));

export function updateSpace(deps: Deps, who: Member, id: string, input: SpacePatch): Promise<Space> {
  const now = toInstant(deps.clock.now());
  return writeAs(deps, who, (tx) => {
    const row = demandSpace(tx, who, id);
    const { title, description, position } = input;
    const next = patched(row, { title, description, position }, now);
    if (next !== row) store.saveSpace(tx, next);
    return store.spaceOf(next);
  });
}

/** Deletes a space with its lists and all that is in them; where that is much, in steps, the space last. */
export async function removeSpace(deps: Deps, who: Member, id: string): Promise<undefined> {
  const removal = { kind: 'space', id } as const;
  const isDone = await writeAs(deps, who, (tx) => {
    demandSpace(tx, who, id);
    return beginRemoval(tx, removal);
  });
  if (!isDone) await finishRemoval(deps, removal);
}

const demandSpace = (db: Db, who: Member, id: string): SpaceRow =>
  demand(store.findSpace(db, who.workspaceId, id), 'space');
