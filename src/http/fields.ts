import { z } from '@hono/zod-openapi';
import { isDay } from '../kernel/days.ts';
import type { Instant } from '../kernel/instants.ts';
import { canonicalTimezone, MAX_TIMEZONE_LENGTH } from '../kernel/time-zones.ts';
import { WEEKDAYS } from '../kernel/weekdays.ts';
import { describeComponent } from './components.ts';

const MAX_TITLE_CHARACTERS = 500;
const MAX_DESCRIPTION_CHARACTERS = 50_000;

/** Counts UTF-16 units, as JavaScript does; zod's own `min` and `max` count code points. */
export const hasLength =
  (least: number, most: number) =>
  ({ length }: string): boolean =>
    length >= least && length <= most;

/** One of some words, which the issue lists. */
export const oneOf = <const Words extends readonly string[]>(subject: string, words: Words) =>
  z.enum(words, { error: `${subject} must be one of ${words.join(', ')}` });

/** An array of at most so many; of a longer one no element is looked at, and it has this one issue. */
export const boundedArray = <Element extends z.ZodType>(
  element: Element,
  most: number,
  { error, tooMany }: { error: string; tooMany: string },
) => {
  const elements = z.array(element, { error }).openapi({ maxItems: most });
  return z.preprocess((given, context) => {
    if (!Array.isArray(given) || given.length <= most) return given;
    context.addIssue({ code: 'custom', message: tooMany });
    return z.NEVER;
  }, elements);
};

/** The same as a component of that name, which says nothing of where it is used. */
export function enumeration<const Words extends readonly string[]>(
  name: string,
  subject: string,
  words: Words,
  more: { description?: string; example?: Words[number] } = {},
) {
  const shape = oneOf(subject, words).openapi(name, more);
  describeComponent(name, shape);
  return shape;
}

/** When a rule over several fields can be looked at, also beside malformed ones, so that all issues come at once. */
export const isObject = ({ value }: { value: unknown }): boolean =>
  typeof value === 'object' && value !== null;

/** A shape that has a name, or null: `nullable()` would make null a part of what has the name. */
export const orNull = <Shape extends z.ZodType>(shape: Shape) => z.union([shape, z.null()]);

const commaLists = new WeakSet<object>();

/** Marks a query parameter that takes several values with commas between. */
export function commaList<Shape extends z.ZodType>(shape: Shape): Shape {
  commaLists.add(shape);
  return shape;
}

export const isCommaList = (shape: object | undefined): boolean =>
  shape !== undefined && commaLists.has(shape);

/** `true` or `false` in a query. */
export const queryFlag = (subject: string) =>
  z
    .enum(['true', 'false'], { error: `${subject} must be true or false` })
    .transform((text) => text === 'true')
    .optional()
    .openapi({ type: 'boolean' });

/** Of what goes into the trash, unless it is to be deleted at once. */
export const DeletionQuery = z.object({
  permanent: queryFlag('Permanent').openapi({
    description: '`true`: deleted at once, past the trash',
    default: false,
  }),
});
export type DeletionQuery = z.output<typeof DeletionQuery>;

const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * An id in a body or query, in either case; one in a path is not looked at, as what is malformed there is simply
 * unknown.
 */
export const Id = z
  .guid({ error: 'Must be an id' })
  .toLowerCase()
  .openapi({ type: 'string', example: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' });

/** The id of something new, where the client makes it. */
export const NewId = Id.refine((id) => id !== NIL, 'Must be an id')
  .optional()
  .openapi({
    description:
      'For a request that may be repeated: then the response is what you made with this id already',
  });

/** Where `null` clears. */
export const NullableId = Id.nullable().openapi({ type: ['string', 'null'] });

/** An id in a response. */
export const WireId = z.string().openapi({ example: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' });

/** An instant in a response. */
export const WireInstant = z.string().openapi({ format: 'date-time', example: '2026-11-20T09:30:00.000Z' });

/** A day in a response. */
export const WireDay = z.string().openapi({ format: 'date', example: '2026-12-24' });

/** A position in a response. */
export const WirePosition = z.number().openapi({ description: 'Smaller comes first', example: 1024 });

/** Of a thing that has an ETag. */
export const WireVersion = z.int().openapi({
  description: 'Raised by each change of what is shown here, and told by the ETag',
  example: 1,
});

/** Those of C0, DEL and C1: what a terminal may obey. Marks of writing direction are none. */
const CONTROL_CHARACTERS = /\p{Cc}/u;

/** A title of at most so many characters. */
export const titleUpTo = (most: number) =>
  z
    .string({ error: `Title must be 1 to ${most} characters` })
    .trim()
    .refine(hasLength(1, most), `Title must be 1 to ${most} characters`)
    .refine((title) => !CONTROL_CHARACTERS.test(title), 'Title must not contain control characters')
    .openapi({ minLength: 1, maxLength: most });

/** Of whatever has one, from workspace to task. */
export const Title = titleUpTo(MAX_TITLE_CHARACTERS);

/** An empty one is none. */
export const Description = z
  .string({ error: 'Description must be a string or null' })
  .refine(
    hasLength(0, MAX_DESCRIPTION_CHARACTERS),
    `Description must be at most ${MAX_DESCRIPTION_CHARACTERS} characters`,
  )
  .nullable()
  .transform((text) => text || null)
  .openapi({
    type: ['string', 'null'],
    maxLength: MAX_DESCRIPTION_CHARACTERS,
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

/** Text as `read` reads it; the issue `rule` for what it cannot read. */
const textAs = (rule: string, read: (text: string) => string | null | undefined) =>
  z.string({ error: rule }).transform((text, context) => {
    const value = read(text);
    if (value == null) context.addIssue({ code: 'custom', message: rule });
    return value ?? text;
  });

/** A timestamp with `Z` or an offset, of a day that exists, in the years 1900 to 9999; becomes UTC with milliseconds. */
export const InstantInput = textAs(INSTANT_RULE, parseInstant).openapi({
  type: 'string',
  format: 'date-time',
  example: '2026-11-20T09:30:00.000Z',
});

/** Where `null` clears. */
export const NullableInstantInput = InstantInput.nullable().openapi({ type: ['string', 'null'] });

/** Either of the two. */
export const InstantOrDayInput = textAs(`${INSTANT_RULE}, or a day, such as 2026-12-24`, (text) =>
  isDay(text) ? text : parseInstant(text),
).openapi({ type: 'string', example: '2026-11-20T09:30:00.000Z' });

const DAY_RULE = 'Must be a day, such as 2026-12-24';

/** A day that exists, in the years 1900 to 9999. */
const DayInput = z
  .string({ error: DAY_RULE })
  .refine(isDay, DAY_RULE)
  .openapi({ type: 'string', format: 'date', example: '2026-12-24' });

/** Where `null` clears. */
export const NullableDayInput = DayInput.nullable().openapi({ type: ['string', 'null'] });

/**
 * As responses have instants, and most clients send them: told at a fraction of what `Temporal` takes. Each month has
 * these days.
 */
const CANONICAL =
  /^(?:19|[2-9]\d)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

function parseInstant(text: string): Instant | undefined {
  if (CANONICAL.test(text)) return text;
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

const TIME_ZONE = {
  description: 'An IANA time zone',
  maxLength: MAX_TIMEZONE_LENGTH,
  example: 'Europe/Paris',
};

/** A time zone in a response. */
export const TimeZone = z.string().openapi(TIME_ZONE);

/** Becomes the name with its case corrected. */
export const TimeZoneInput = textAs('Time zone must be an IANA name', canonicalTimezone).openapi({
  type: 'string',
  ...TIME_ZONE,
});

export const Weekday = enumeration('Weekday', 'Weekday', WEEKDAYS);
