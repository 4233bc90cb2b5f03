import { z } from '@hono/zod-openapi';
import { queryFlag } from '../http/fields.ts';

export const ImportQuery = z.object({
  dryRun: queryFlag('Dry run').openapi({ description: '`true` only tells what would be done' }),
});

const KINDS = [
  'workspaces',
  'spaces',
  'lists',
  'labels',
  'statusTemplates',
  'tasks',
  'comments',
  'recurringTasks',
  'trash',
] as const;

export type Counts = Record<(typeof KINDS)[number], number>;

const Count = z.int().openapi({ example: 3 });

export const ImportResult = z
  .object({
    workspaces: z.array(
      z.object({
        id: z
          .string()
          .nullable()
          .openapi({ description: 'null in a dry run', example: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' }),
        title: z.string().openapi({ example: 'Household' }),
      }),
    ),
    counts: z
      .object(Object.fromEntries(KINDS.map((kind) => [kind, Count])) as Record<keyof Counts, typeof Count>)
      .openapi({ description: 'How much was imported' }),
    warnings: z
      .array(
        z.object({
          path: z.string().openapi({ example: 'workspaces.0.members.1' }),
          message: z.string().openapi({ example: 'Bob (bob@example.com) is not imported' }),
        }),
      )
      .openapi({ description: 'What is not as it was: people above all' }),
  })
  .openapi('ImportResult');

export type ImportResult = z.output<typeof ImportResult>;
