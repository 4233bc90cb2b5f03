import { z } from '@hono/zod-openapi';
import { isEtagList } from '../http/etags.ts';
import { boundedArray, Id, isObject, oneOf } from '../http/fields.ts';
import { LabelIds, MoveInput, Task, TaskInput, TaskPatch } from './schema.ts';

export const MAX_OPERATIONS = 100;
const MAX_REMOVED_LABELS = 500;

const OPS = ['create', 'update', 'move', 'delete', 'restore'] as const;
const OPERATIONS_RULE = `Operations must be 1 to ${MAX_OPERATIONS} objects`;

export const Op = z.object({ op: oneOf('Op', OPS) }, { error: 'An operation must be an object' });

const EXPECTED_RULE = 'If match must be an ETag as responses have it, quotes included';

const Expected = z
  .string({ error: EXPECTED_RULE })
  .refine(isEtagList, { error: EXPECTED_RULE })
  .optional()
  .openapi({ description: 'The ETag that the task must have, else 412', example: '"9f2c41d0-3"' });

const ofTask = { id: Id, ifMatch: Expected };

const Create = TaskInput.safeExtend({ op: z.literal('create') }).openapi('CreateOperation');

const RemovedLabels = boundedArray(Id, MAX_REMOVED_LABELS, {
  error: 'Removed label ids must be an array',
  tooMany: `There may be at most ${MAX_REMOVED_LABELS} labels to remove`,
});

const Update = TaskPatch.safeExtend({
  op: z.literal('update'),
  ...ofTask,
  addLabelIds: LabelIds.optional().openapi({ description: 'Labels of the workspace; others are left alone' }),
  removeLabelIds: RemovedLabels.optional().openapi({
    description: 'Those that it does not have are ignored',
  }),
})
  .superRefine(
    ({ labelIds, addLabelIds, removeLabelIds }, context) => {
      const issue = (message: string) => context.addIssue({ code: 'custom', path: ['addLabelIds'], message });
      if (labelIds !== undefined && (addLabelIds ?? removeLabelIds) !== undefined)
        issue('Give the whole array of labels, or those to add and to remove');
      const removed: readonly unknown[] = Array.isArray(removeLabelIds) ? removeLabelIds : [];
      if (Array.isArray(addLabelIds) && addLabelIds.some((id) => removed.includes(id)))
        issue('A label cannot be both added and removed');
    },
    { when: isObject },
  )
  .openapi('UpdateOperation');

const Move = MoveInput.extend({ op: z.literal('move'), ...ofTask }).openapi('MoveOperation');

const Delete = z
  .object({
    op: z.literal('delete'),
    ...ofTask,
    permanent: z
      .boolean({ error: 'Permanent must be true or false' })
      .optional()
      .openapi({ description: '`true`: deleted at once. Else it goes into the trash' }),
  })
  .openapi('DeleteOperation');

const Restore = z
  .object({
    op: z.literal('restore'),
    id: Id,
    listId: Id.optional().openapi({ description: 'Where it goes, in place of its list' }),
  })
  .openapi('RestoreOperation');

/** The shape of each operation, by its `op`. */
export const OPERATIONS = { create: Create, update: Update, move: Move, delete: Delete, restore: Restore };
export type UpdateOperation = z.output<typeof Update>;

const Operation = z.union([Create, Update, Move, Delete, Restore]).openapi('TaskOperation');

/** Each operation is looked at by itself, when its turn comes. */
export const BatchInput = z
  .object({
    operations: boundedArray(z.unknown(), MAX_OPERATIONS, {
      error: OPERATIONS_RULE,
      tooMany: OPERATIONS_RULE,
    }).refine(({ length }) => length > 0, OPERATIONS_RULE),
  })
  .openapi('TaskBatch');
export type BatchInput = z.output<typeof BatchInput>;

/** As clients are told it. */
export const DescribedBatchInput = z
  .object({ operations: z.array(Operation).min(1).max(MAX_OPERATIONS) })
  .openapi('TaskBatch');

const BatchResult = z
  .object({
    status: z.int().openapi({
      description: 'As the response to the operation by itself would be: 200, 201, 204, 400, 403, 404, 412',
      example: 200,
    }),
    task: Task.optional().openapi({ description: 'Not of one that was deleted' }),
    error: z.string().optional().openapi({ example: 'NotFoundError' }),
    message: z.string().optional().openapi({ example: 'No such task' }),
    issues: z
      .array(
        z.object({
          path: z.string().openapi({ example: 'title' }),
          message: z.string().openapi({ example: 'Title must be 1 to 500 characters' }),
        }),
      )
      .optional(),
  })
  .openapi('TaskBatchResult');
export type BatchResult = z.output<typeof BatchResult>;

export const BatchResults = z
  .object({ results: z.array(BatchResult).openapi({ description: 'In the order of the operations' }) })
  .openapi('TaskBatchResults');
export type BatchResults = z.output<typeof BatchResults>;
