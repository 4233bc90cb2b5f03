import { z } from '@hono/zod-openapi';
import { hasLength, NewId, WireId, WireInstant, WireVersion } from '../http/fields.ts';

const MAX_BODY_CHARACTERS = 20_000;
const BODY_RULE = `Body must be 1 to ${MAX_BODY_CHARACTERS} characters, not white space alone`;

export const Comment = z
  .object({
    id: WireId,
    taskId: WireId,
    authorId: WireId.nullable().openapi({ description: 'null once that account is gone' }),
    body: z.string().openapi({ description: 'Markdown, as it was written', example: 'Oat or cow?' }),
    mentionedUserIds: z.array(WireId).openapi({ description: 'Members that the body mentions' }),
    createdAt: WireInstant,
    editedAt: WireInstant.nullable().openapi({ example: null }),
    version: WireVersion,
  })
  .openapi('Comment');
export type Comment = z.output<typeof Comment>;

const Body = z
  .string({ error: BODY_RULE })
  .refine(hasLength(1, MAX_BODY_CHARACTERS), BODY_RULE)
  .refine((body) => body.trim() !== '', BODY_RULE)
  .openapi({
    minLength: 1,
    maxLength: MAX_BODY_CHARACTERS,
    description: 'Markdown, kept as text. `[@Ada](errand:user/ID)` mentions a member',
    example: 'Oat or cow?',
  });

export const CommentInput = z.object({ id: NewId, body: Body }).openapi('NewComment');
export type CommentInput = z.output<typeof CommentInput>;

export const CommentPatch = z.object({ body: Body.optional() }).openapi('CommentChanges');
export type CommentPatch = z.output<typeof CommentPatch>;
