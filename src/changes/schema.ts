import { z } from '@hono/zod-openapi';
import { enumeration, WireId } from '../http/fields.ts';
import { List, Space, StatusTemplate } from '../lists/schema.ts';
import { RecurringTask } from '../recurring/series-schema.ts';
import { Comment } from '../tasks/comment-schema.ts';
import { Label } from '../tasks/label-schema.ts';
import { Task } from '../tasks/schema.ts';
import { Workspace, WorkspaceMember } from '../workspaces/schema.ts';
import { isCursorText } from './cursor.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

export const ChangesQuery = z.object({
  cursor: z
    .string()
    .refine(isCursorText, 'Cursor must be one that this server gave')
    .optional()
    .openapi({ description: 'Of an earlier page or event; without one everything is sent' }),
  limit: z
    .string()
    .regex(/^\d{1,400}$/, 'Limit must be a whole number from 1')
    .transform((digits) => Math.min(Number(digits), MAX_LIMIT))
    .refine((value) => value >= 1, 'Limit must be a whole number from 1')
    .default(DEFAULT_LIMIT)
    .openapi({
      type: 'integer',
      minimum: 1,
      default: DEFAULT_LIMIT,
      description: `Items on a page; clamped to ${MAX_LIMIT}. A page also ends beyond 1 MiB`,
    }),
});
export type ChangesQuery = z.output<typeof ChangesQuery>;

/** As it is for every reader: the caller's own role is in `member`. */
const SharedWorkspace = Workspace.omit({ role: true }).openapi('SharedWorkspace');

const put = <Kind extends string, Value extends z.ZodType>(kind: Kind, value: Value) =>
  z.object({ kind: z.literal(kind), op: z.literal('put'), id: WireId, value });

const Put = z.discriminatedUnion('kind', [
  put('task', Task),
  put('recurringTask', RecurringTask),
  put('space', Space),
  put('list', List),
  put('label', Label),
  put('comment', Comment),
  put('statusTemplate', StatusTemplate),
  put('member', WorkspaceMember),
  put('workspace', SharedWorkspace),
]);

const Kind = enumeration('ChangeKind', 'Kind', [
  'task',
  'recurringTask',
  'space',
  'list',
  'statusTemplate',
  'label',
  'comment',
  'member',
  'workspace',
]);

/** Those without a value. */
const PlainOperation = enumeration('ChangeOperation', 'Operation', ['delete', 'refetch']);

export const ChangeItem = z
  .union([Put, z.object({ kind: Kind, op: PlainOperation, id: WireId })])
  .openapi('Change');
export type ChangeItem = z.output<typeof ChangeItem>;

const CursorText = z.string().openapi({ example: 'k3Jd0mQzT8b1VvYc5nHs2w9uPf4iEoRaB6MxL7gZqCA' });

export const ChangesPage = z
  .object({
    items: z.array(ChangeItem),
    cursor: CursorText.openapi({ description: 'Where the next page begins' }),
    hasMore: z.boolean(),
    reset: z.boolean().openapi({
      description: 'The cursor could not be used: forget what you have, everything follows from here on',
    }),
    epoch: z.string().openapi({ description: 'The first part of every ETag', example: '9f2c41d0' }),
    resume: CursorText.optional().openapi({
      description:
        'While everything, or all of a `refetch`, is sent: the position of the moment that began. Follow from it when you have enough',
    }),
  })
  .openapi('ChangesPage');
export type ChangesPage = z.output<typeof ChangesPage>;

export const EventsQuery = z.object({
  cursor: z.string().optional().openapi({
    description:
      'The id of the last event, where no header `Last-Event-ID` has it; an unusable one gives `reset`',
  }),
  clientId: z.string().optional().openapi({
    description: 'As in `X-Client-Id`, 1 to 64 printable ASCII characters; a malformed one is ignored',
  }),
});

export const Events = z.string().openapi({
  description: 'hello, change, me, reset: see the description',
  example: 'event: hello\nid: …\ndata: {}\n\n',
});
