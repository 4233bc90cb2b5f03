import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Precondition, preconditionOf } from '../http/etags.ts';
import { inputOf, MAX_BYTES_OF_CHARACTER } from '../http/read-input.ts';
import { statusOfError } from '../http/response.ts';
import { Existing } from '../http/route.ts';
import { AppError, type Issue, invalid } from '../kernel/errors.ts';
import { epochOf } from '../storage/meta.ts';
import { sumOfBytes } from '../storage/step-bytes.ts';
import { type StoredTask, taskOf } from '../storage/task-fields.ts';
import { labelIdsOf } from '../storage/template-fields.ts';
import { findTextBytes } from '../storage/trash-rows.ts';
import { type Member, writeStepsAs } from '../workspaces/authorization.ts';
import {
  type BatchInput,
  type BatchResult,
  type BatchResults,
  MAX_OPERATIONS,
  OPERATIONS,
  Op,
  type UpdateOperation,
} from './batch-schema.ts';
import { editIssues, referencesOf } from './references.ts';
import { MAX_LABELS_OF_TASK, type Task, type TaskPatch, TOO_MANY_LABELS } from './schema.ts';
import { deleteTask, editTask, makeTask, requireTask } from './tasks.ts';
import { restoreTask } from './trash-tasks.ts';

/** UTF-16 units that are written at once, which everyone waits for; an operation takes as long as so many of its text. */
const UNITS_IN_STEP = 30_000;
const UNITS_OF_OPERATION = 1_000;
/** What a task holds already is written again quicker. */
const STORED_BYTES_FOR_A_UNIT = 3;

/** As many requests as a batch has operations. */
export const costOfBatch = (body: unknown): number => {
  const { operations } = (body ?? {}) as { operations?: unknown };
  return Array.isArray(operations) ? Math.min(Math.max(1, operations.length), MAX_OPERATIONS) : 1;
};

/**
 * Runs operations in order, in one commit; one that fails leaves no trace and keeps none of the others from its turn.
 * `reserve` throws where the results would be too long.
 */
export function runBatch(
  deps: Deps,
  who: Member,
  { operations }: BatchInput,
  reserve: (bytes: number) => void,
): Promise<BatchResults> {
  const now = deps.clock.now();
  const epoch = epochOf(deps.read);
  const sizes = sizesOf(deps.read, who, operations);
  const weights = sizes.map(({ weight }) => weight);
  reserve(sumOfBytes(sizes));
  const act = function* (tx: Tx): Steps<BatchResults> {
    const results: BatchResult[] = [];
    let units = 0;
    for (const [i, given] of operations.entries()) {
      const weight = weights[i] ?? 0;
      units += weight;
      if (units > UNITS_IN_STEP && i > 0) {
        yield;
        units = weight;
      }
      results.push(yield* apart(tx, isLong(weight), () => run(deps, tx, who, given, epoch, now)));
    }
    return { results };
  };
  const isMuch =
    operations.some(isRestore) ||
    weights.some(isLong) ||
    weights.reduce((sum, weight) => sum + weight, 0) > 2 * UNITS_IN_STEP;
  return writeStepsAs(deps, who, isMuch, act);
}

/** How many comments come back with a task is known to the trash alone: as by the route, that goes in steps. */
const isRestore = (given: unknown): boolean => (given as { op?: unknown } | null)?.op === 'restore';

/** Whether an operation is a step by itself. */
const isLong = (weight: number): boolean => weight > UNITS_IN_STEP;

/** What each operation writes, in UTF-16 units, and how long its result may be. */
function sizesOf(db: Db, who: Member, operations: readonly unknown[]): { weight: number; bytes: number }[] {
  const given = operations.map((operation) => (operation ?? {}) as { id?: unknown; op?: unknown });
  const ids = given.map(({ id }) => (typeof id === 'string' ? id.toLowerCase() : id));
  const stored = findTextBytes(db, who.workspaceKey, ids);
  return given.map((operation, i) => {
    const { bytes = 0, said = 0, template = 0 } = stored.get(ids[i]) ?? {};
    const isDelete = operation.op === 'delete';
    const { length } = JSON.stringify(operation);
    const again = bytes + (isDelete ? said : 0);
    return {
      // Where an instance is closed, its series makes another.
      weight: UNITS_OF_OPERATION + length + template + again / STORED_BYTES_FOR_A_UNIT,
      bytes: isDelete ? 0 : bytes + length * MAX_BYTES_OF_CHARACTER,
    };
  });
}

/** The result of an operation; of one that was rejected nothing stays. What fails for other reasons fails the batch. */
function* apart(tx: Tx, isAlone: boolean, operation: () => Steps<BatchResult>): Steps<BatchResult> {
  const savepoint = tx.savepoint();
  try {
    const result = yield* operation();
    // The release has the search index written out, which takes as long again.
    if (isAlone) yield;
    savepoint.release();
    return result;
  } catch (error) {
    if (!(error instanceof AppError) || statusOfError(error) >= 500) throw error;
    savepoint.rollBack();
    const { kind, message, issues } = error;
    return { status: statusOfError(error), error: kind, message, ...(issues && { issues }) };
  }
}

function* run(
  deps: Deps,
  tx: Tx,
  who: Member,
  given: unknown,
  epoch: string,
  now: number,
): Steps<BatchResult> {
  const { op } = inputOf(Op, given);
  switch (op) {
    case 'create': {
      const input = inputOf(OPERATIONS.create, given, (valid) => referencesOf(tx, who, valid).issues);
      const made = makeTask(deps, tx, who, input, now);
      return made instanceof Existing ? { status: 200, task: made.body } : { status: 201, task: made };
    }
    case 'update': {
      const input = inputOf(OPERATIONS.update, given, ({ id = '', addLabelIds, ...valid }) =>
        addLabelIds
          ? editIssues(tx, who, id, { ...valid, labelIds: addLabelIds }, false).map(asAdded)
          : editIssues(tx, who, id, valid, false),
      );
      const row = requireTask(tx, who, input.id);
      return {
        status: 200,
        task: update(deps, tx, who, row, input, preconditionOf(epoch, input.ifMatch), now),
      };
    }
    case 'move': {
      const input = inputOf(OPERATIONS.move, given, ({ id = '', ...valid }) =>
        valid.listId === undefined ? [] : editIssues(tx, who, id, valid),
      );
      const { id, op: _, ifMatch, ...move } = input;
      const options = { ifMatch: preconditionOf(epoch, ifMatch) };
      const moved = editTask(deps, tx, who, requireTask(tx, who, id), move, now, options);
      return { status: 200, task: taskOf(moved) };
    }
    case 'delete': {
      const { id, ifMatch, permanent = false } = inputOf(OPERATIONS.delete, given);
      const row = requireTask(tx, who, id);
      preconditionOf(epoch, ifMatch)(row);
      yield* deleteTask(deps, tx, who, row, permanent, now);
      return { status: 204 };
    }
    case 'restore': {
      const { id, listId } = inputOf(OPERATIONS.restore, given);
      return { status: 200, task: yield* restoreTask(deps, tx, who, id, { listId }, now) };
    }
  }
}

/** Changes a task; labels to add or remove leave the others alone. */
function update(
  deps: Deps,
  tx: Tx,
  who: Member,
  row: StoredTask,
  { id: _, op: __, ifMatch: ___, addLabelIds, removeLabelIds, ...fields }: UpdateOperation,
  ifMatch: Precondition,
  now: number,
): Task {
  const edit: TaskPatch = { ...fields };
  const isOfLabels = (addLabelIds ?? removeLabelIds) !== undefined;
  if (isOfLabels) {
    const removed = new Set(removeLabelIds);
    const kept = labelIdsOf(row).filter((id) => !removed.has(id));
    edit.labelIds = [...new Set([...kept, ...(addLabelIds ?? [])])];
    if (edit.labelIds.length > MAX_LABELS_OF_TASK)
      throw invalid({ path: 'addLabelIds', message: TOO_MANY_LABELS });
  }
  try {
    return taskOf(editTask(deps, tx, who, row, edit, now, { mayMove: false, ifMatch }));
  } catch (error) {
    if (!isOfLabels || !(error instanceof AppError) || !error.issues) throw error;
    throw invalid(...error.issues.map(asAdded));
  }
}

/** An issue of the labels that a task would have is one of those to be added. */
const asAdded = (issue: Issue): Issue => ({
  ...issue,
  path: issue.path === 'labelIds' ? 'addLabelIds' : issue.path,
});
