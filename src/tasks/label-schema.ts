import { z } from '@hono/zod-openapi';
import {
  NewId,
  Position,
  titleUpTo,
  WireId,
  WireInstant,
  WirePosition,
  WireVersion,
} from '../http/fields.ts';
import { Color } from '../lists/schema.ts';

/** Of a workspace. */
export const MAX_LABELS = 500;
const MAX_TITLE_CHARACTERS = 100;
/** Of a label for which none was chosen. */
export const LABEL_COLOR = '#8a8f98';

export const Label = z
  .object({
    id: WireId,
    workspaceId: WireId,
    title: z.string().openapi({ example: 'Errands' }),
    color: z.string().openapi({ example: '#2f6feb' }),
    position: WirePosition,
    createdAt: WireInstant,
    updatedAt: WireInstant,
    version: WireVersion,
  })
  .openapi('Label');
export type Label = z.output<typeof Label>;

const LabelFields = z.object({
  title: titleUpTo(MAX_TITLE_CHARACTERS).openapi({
    description: 'Unique in the workspace, whatever its case',
    example: 'Errands',
  }),
  color: Color.optional().openapi({ description: `By default ${LABEL_COLOR}` }),
  position: Position.optional(),
});

export const LabelInput = LabelFields.extend({
  id: NewId,
  reuse: z.boolean({ error: 'Reuse must be true or false' }).optional().openapi({
    description: '`true`: where a label has this title, it is the response (200)',
    example: true,
  }),
}).openapi('NewLabel');
export type LabelInput = z.output<typeof LabelInput>;

export const LabelPatch = LabelFields.partial().openapi('LabelChanges');
export type LabelPatch = z.output<typeof LabelPatch>;
