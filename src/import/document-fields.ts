import { z } from '@hono/zod-openapi';
import { boundedArray, InstantInput, Title } from '../http/fields.ts';
import { wholeNumber } from '../recurring/interval-shapes.ts';
import { MAX_ITEMS, MAX_LABELS_OF_TASK } from '../tasks/schema.ts';

const MAX_ID_CHARACTERS = 100;

/** An id within a document: whatever tells one thing from another. */
export const DocumentId = z
  .string({ error: 'Must be an id' })
  .refine(({ length }) => length > 0 && length <= MAX_ID_CHARACTERS, 'Must be an id')
  .openapi({ description: 'Within the document; what is made gets a new one', maxLength: MAX_ID_CHARACTERS });

export const NullableDocumentId = DocumentId.nullable().openapi({ type: ['string', 'null'] });

/** Of a name that programs give, such as that of a field. */
export const Word = z
  .string({ error: 'Must be a word' })
  .refine(({ length }) => length <= MAX_ID_CHARACTERS, 'Must be a word')
  .openapi({ maxLength: MAX_ID_CHARACTERS });

export const Flag = z.boolean({ error: 'Must be true or false' });

/** Behind it is room for all that is counted on from there. */
const LARGEST = 1_000_000_000_000;

const wholeFrom = (min: number) =>
  wholeNumber(min, LARGEST, `Must be a whole number from ${min} to ${LARGEST}`);
export const LastNumber = wholeFrom(0);
export const Ordinal = wholeFrom(1);
export const Whole = wholeFrom(-LARGEST);

const LOCAL_RULE = 'Must be a local time or day, such as 2026-03-29T09:00 or 2026-03-29';

export const Local = z.string({ error: LOCAL_RULE }).regex(/^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/, LOCAL_RULE);

export const LocalDate = z.iso.date({ error: 'Must be YYYY-MM-DD' });

export const arrayOf = <Element extends z.ZodType>(element: Element) =>
  z.array(element, { error: 'Must be an array' });

export const stamps = { createdAt: InstantInput.optional(), updatedAt: InstantInput.optional() };

/** What spaces, lists and labels have in common. */
export interface Ordered {
  position?: number | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
}

const ImportedItem = z
  .object({ id: DocumentId.optional(), title: Title, isDone: Flag.optional() })
  .openapi('ImportedChecklistItem');

/** What tasks and series have in common, with ids of the document. */
export const carried = {
  listId: DocumentId,
  assigneeId: NullableDocumentId.optional(),
  creatorId: NullableDocumentId.optional(),
  labelIds: boundedArray(DocumentId, MAX_LABELS_OF_TASK, {
    error: 'Label ids must be an array',
    tooMany: `A task may have at most ${MAX_LABELS_OF_TASK} labels`,
  }).optional(),
  checklist: boundedArray(ImportedItem, MAX_ITEMS, {
    error: 'Checklist must be an array',
    tooMany: `A checklist may have at most ${MAX_ITEMS} items`,
  })
    .superRefine((items, context) => {
      const ids = items.map(({ id }) => id);
      for (const [i, id] of ids.entries()) {
        if (id === undefined || ids.indexOf(id) === i) continue;
        context.addIssue({ code: 'custom', path: [i, 'id'], message: 'Another one has this id' });
      }
    })
    .optional(),
};
