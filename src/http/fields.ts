import { z } from '@hono/zod-openapi';
import type { Instant } from '../kernel/instants.ts';

const TITLE_CHARACTERS_AT_MOST = 500;
const DESCRIPTION_CHARACTERS_AT_MOST = 50_000;

/** Counts UTF-16 units, as JavaScript does; zod's own `min` and `max` count code points. */
export const hasLength =
  (least: number, most: number) =>
  ({ length }: string): boolean =>
    length >= least && length <= most;

/** One of some words, which the issue lists. */
export const oneOf = <const Words extends readonly string[]>(subject: string, words: Words) =>
  z.enum(words, { error: `${subject} must be one of ${words.join(', ')}` });

/** `true` or `false` in a query. */
export const queryFlag = (subject: string) =>
  z
    .enum(['true', 'false'], { error: `${subject} must be true or false` })
    .transform((text) => text === 'true')
    .optional()
    .openapi({ type: 'boolean' });

/** An id in a body or query; one in a path is not looked at, as what is malformed there is simply unknown. */
export const Id = z
  .guid({ error: 'Must be an id' })
  .openapi({ type: 'string', example: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' });

/** Where `null` clears. */
export const NullableId = Id.nullable().openapi({ type: ['string', 'null'] });

/** An id in an answer. */
export const WireId = z.string().openapi({ example: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' });

/** An instant in an answer. */
export const WireInstant = z.string().openapi({ format: 'date-time', example: '2026-11-20T09:30:00.000Z' });

/** A position in an answer. */
export const WirePosition = z.number().openapi({ description: 'Smaller comes first', example: 1024 });

/** Of whatever has one, from workspace to task. */
export const Title = z
  .string({ error: `Title must be 1 to ${TITLE_CHARACTERS_AT_MOST} characters` })
  .trim()
  .refine(hasLength(1, TITLE_CHARACTERS_AT_MOST), `Title must be 1 to ${TITLE_CHARACTERS_AT_MOST} characters`)
  .openapi({ minLength: 1, maxLength: TITLE_CHARACTERS_AT_MOST });

/** An empty one is none. */
export const Description = z
  .string({ error: 'Description must be a string or null' })
  .refine(
    hasLength(0, DESCRIPTION_CHARACTERS_AT_MOST),
    `Description must be at most ${DESCRIPTION_CHARACTERS_AT_MOST} characters`,
  )
  .nullable()
  .transform((text) => text || null)
  .openapi({
    type: ['string', 'null'],
    maxLength: DESCRIPTION_CHARACTERS_AT_MOST,
    example: 'Two litres, from the shop on the corner',
  });

export const Position = z
  .number({ error: 'Position must be a finite number' })
  .openapi({ description: 'Smaller comes first; by default after the last one', example: 1024 });

export const MailedToken = z
  .string({ error: 'Token is required' })
  .min(1, 'Token is required')
  .openapi({ description: 'From the mail', example: 'nV0bJq3rC0m5lQ8cT1yXzA7dGk2wHs9uPf4iEoRaB6M' });

const RFC_3339 = /^\d{4}-\d\d-\d\dt\d\d:\d\d:[0-5]\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i;
/** Finer than `Temporal` reads. */
const BELOW_NANOSECONDS = /(?<=\.\d{9})\d+/;
const INSTANT_RULE = 'Must be an RFC 3339 timestamp with a time zone, such as 2026-11-20T09:30:00.000Z';

/** A timestamp with `Z` or an offset, of a day that exists, in the years 1900 to 9999; becomes UTC with milliseconds. */
export const InstantInput = z
  .string({ error: INSTANT_RULE })
  .transform((text, context) => {
    const instant = parseInstant(text);
    if (instant === undefined) context.addIssue({ code: 'custom', message: INSTANT_RULE });
    return instant ?? text;
  })
  .openapi({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' });

/** Where `null` clears. */
export const NullableInstantInput = InstantInput.nullable().openapi({ type: ['string', 'null'] });

function parseInstant(text: string): Instant | undefined {
  if (!RFC_3339.test(text)) return undefined;
  try {
    const utc = new Date(Temporal.Instant.from(text.replace(BELOW_NANOSECONDS, '')).epochMilliseconds);
    const year = utc.getUTCFullYear();
    return year >= 1900 && year <= 9999 ? utc.toISOString() : undefined;
  } catch {
    // No such day, hour or offset.
    return undefined;
  }
}
