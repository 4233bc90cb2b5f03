import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../http/etags.ts';
import { Existing } from '../http/route.ts';
import { orNotFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { toInstant } from '../kernel/instants.ts';
import { patched } from '../kernel/patch.ts';
import { positionAfter } from '../kernel/positions.ts';
import { userKeyOf } from '../storage/changes.ts';
import * as store from '../storage/lists.ts';
import type { SpaceRow } from '../storage/tables.ts';
import { type Member, writeAs } from '../workspaces/authorization.ts';
import { claimId, isMaker } from '../workspaces/client-ids.ts';
import { requireQuota } from '../workspaces/quotas.ts';
import { addList } from './lists.ts';
import type { CreatedSpace, Space, SpaceInput, SpacePatch } from './schema.ts';

/** Makes a space with the one list that each starts with. */
export function createSpace(
  deps: Deps,
  who: Member,
  input: SpaceInput,
): Promise<CreatedSpace | Existing<CreatedSpace>> {
  const now = toInstant(deps.clock.now());
  const { workspaceId } = who;
  return writeAs(deps, who, (tx) => {
    const id = claimId(tx, input.id, now, (given) => {
      const same = store.findSpace(tx, workspaceId, given);
      return same && isMaker(tx, who, same)
        ? { ...store.spaceOf(same), lists: store.listsOfSpace(tx, workspaceId, given) }
        : undefined;
    });
    if (id instanceof Existing) return id;
    requireQuota(deps, tx, who, 'spaces');
    requireQuota(deps, tx, who, 'lists');
    const row: SpaceRow = {
      id,
      workspace_id: workspaceId,
      title: input.title,
      description: input.description ?? null,
      position: input.position ?? positionAfter(store.lastSpacePosition(tx, workspaceId)),
      creator_code: userKeyOf(tx, who.userId),
      version: 1,
      created_at: now,
      updated_at: now,
    };
    store.insertSpace(tx, row);
    const list = addList(tx, who, { id: newId(now), spaceId: row.id, title: 'Tasks' }, now);
    return { ...store.spaceOf(row), lists: [list] };
  });
}

/** Reads a space, for viewers; 404 where there is none. */
export const readSpace = (db: Db, who: Member, id: string): Space => store.spaceOf(requireSpace(db, who, id));

/** Changes the given fields of a space, for members. */
export function updateSpace(
  deps: Deps,
  who: Member,
  id: string,
  input: SpacePatch,
  ifMatch: Precondition,
): Promise<Space> {
  const now = toInstant(deps.clock.now());
  return writeAs(deps, who, (tx) => {
    const row = requireSpace(tx, who, id);
    ifMatch(row);
    const { title, description, position } = input;
    const next = patched(row, { title, description, position }, now);
    return store.spaceOf(next === row ? row : store.saveSpace(tx, next));
  });
}

const requireSpace = (db: Db, who: Member, id: string): SpaceRow =>
  orNotFound(store.findSpace(db, who.workspaceId, id), 'space');
