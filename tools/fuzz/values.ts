import fc from 'fast-check';
import { alternativesOf, type NamedSchema, type Operation, typesOf } from './operations.ts';
import { EDGE_INSTANTS, STRANGE_NUMBERS, STRANGE_TEXTS } from './texts.ts';

/**
 * A value that must mean something to the service: an id of something that is there, a password that is right. What
 * it becomes is found when the request is made; `n` chooses among the candidates.
 */
export class Wanted {
  readonly what: string;
  readonly n: number;
  constructor(what: string, n: number) {
    this.what = what;
    this.n = n;
  }
}

/** What a request to a route is made of, before anything wanted is found. */
export interface Draft {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}

/** What a path parameter or a field of input names. */
const KINDS: Record<string, string> = {
  workspace_id: 'Workspace',
  space_id: 'Space',
  list_id: 'List',
  template_id: 'StatusTemplate',
  task_id: 'Task',
  job_id: 'RecurringTask',
  user_id: 'User',
  invitation_id: 'Invitation',
  notification_id: 'Notification',
  session_id: 'Session',
  token_id: 'ApiToken',
  trash_id: 'TrashEntry',
  label_id: 'Label',
  comment_id: 'Comment',
  item_id: 'ChecklistItem',
  number: 'number',
  spaceId: 'Space',
  listId: 'List',
  statusTemplateId: 'StatusTemplate',
  statusId: 'Status',
  assigneeId: 'Assignee',
  creatorId: 'User',
  recurringTaskId: 'RecurringTask',
  taskId: 'Task',
  labelId: 'Label',
  allLabelIds: 'Label',
};
/** What each entry of an array names. */
const ARRAYS: Record<string, string> = {
  labelIds: 'Label',
  addLabelIds: 'Label',
  removeLabelIds: 'Label',
  workspaceIds: 'Workspace',
};

/** Fields that hold a secret, an address, or what only a person or another service could give. */
const PERSONAL = [
  'email',
  'newEmail',
  'password',
  'currentPassword',
  'token',
  'invitationToken',
  'refreshToken',
  'code',
  'idToken',
  'hash',
  'auth_date',
  'occurrenceAt',
];

const STATUS_TYPES = ['unstarted', 'started', 'completed', 'canceled'];
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'];
/** Query parameters that take several values with commas between. */
const LISTS: Record<string, fc.Arbitrary<unknown>> = {
  statusType: fc.shuffledSubarray(STATUS_TYPES, { minLength: 1 }).map(String),
  priority: fc.shuffledSubarray(PRIORITIES, { minLength: 1 }).map(String),
};
const ZONES = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/GMT+12', 'europe/PARIS'];

const MAX_PARAMETERS = 4;

/** What a path parameter or a field names by its id, if it does. */
export const kindOf = (name: string): string | undefined => KINDS[name];

/** Everything that may be sent to a route by its declared shapes. */
export function draftsOf(operation: Operation): fc.Arbitrary<Draft> {
  const params = Object.fromEntries(operation.params.map((name) => [name, wanted(KINDS[name] ?? name)]));
  const query = Object.fromEntries(
    operation.query.map(({ name, schema }) => [name, LISTS[name] ?? valueFor(schema, name, true)]),
  );
  const [required, optional] = [true, false].map((isRequired) =>
    operation.query.flatMap(({ name, required: own = false }) => (own === isRequired ? [name] : [])),
  );
  // Many filters at once find nothing.
  const asked = fc
    .subarray(optional ?? [], { maxLength: Math.min(optional?.length ?? 0, MAX_PARAMETERS) })
    .map((chosen) => [...(required ?? []), ...chosen]);
  return fc.record({
    params: fc.record(params),
    query: fc
      .tuple(fc.record(query), asked)
      .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name]]))),
    body: operation.body ? valueFor(operation.body, '') : fc.constant(undefined),
  });
}

function valueFor(schema: NamedSchema, name: string, isQuery = false): fc.Arbitrary<unknown> {
  const value = valueByName(name, schema, isQuery) ?? valueByShape(schema, name, isQuery);
  return typesOf(schema).includes('null')
    ? fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })
    : value;
}

function valueByName(name: string, schema: NamedSchema, isQuery: boolean): fc.Arbitrary<unknown> | undefined {
  if (name === 'timezone') return fc.constantFrom(...ZONES);
  if (name === 'name') return text(1, 200).map((given) => given.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' '));
  if (name === 'q') return fc.oneof(fc.constantFrom('milk', 'a', 'é', '牛'), text(1, 200));
  if (name === 'assigneeId' && isQuery)
    return fc.oneof(fc.constantFrom('me', 'none', 'me,none'), wanted('Assignee'));
  const kind = KINDS[name];
  // An export has numbers and ids of its own under the same names.
  if (kind !== undefined && (isQuery || typesOf(schema).includes('string'))) return wanted(kind);
  const entries = ARRAYS[name];
  if (entries !== undefined)
    return fc.array(wanted(entries), { minLength: schema.minItems ?? 0, maxLength: 3 });
  if (name === 'id' && typesOf(schema).join() === 'string') return wanted('new id');
  if (isQuery && name === 'cursor') return wanted('Cursor');
  if (isQuery && (name === 'from' || name === 'to')) return wanted('instant');
  return PERSONAL.includes(name) ? wanted(name) : undefined;
}

function valueByShape(schema: NamedSchema, name: string, isQuery: boolean): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf ?? schema.oneOf)
    return fc.oneof(...alternativesOf(schema).map((shape) => valueFor(shape, name)));
  switch (typesOf(schema)[0]) {
    case 'object':
      return recordOf(schema);
    case 'array':
      return fc.array(valueFor(schema.items ?? {}, ''), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 7),
      });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 1, max: schema.maximum ?? (isQuery ? 200 : 2 ** 31) });
    case 'number':
      return fc.oneof(
        fc.integer({ min: -10_000, max: 10_000 }),
        fc.constantFrom(...STRANGE_NUMBERS),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      );
    case 'boolean':
      return fc.boolean();
    default:
      return textOf(schema);
  }
}

const recordOf = ({ properties = {}, required = [] }: NamedSchema): fc.Arbitrary<unknown> =>
  fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, valueFor(part, name)])),
    {
      requiredKeys: required,
    },
  );

function textOf({ pattern, format, minLength = 0, maxLength }: NamedSchema): fc.Arbitrary<string | Wanted> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  if (format === 'date-time')
    return fc.oneof(
      { weight: 4, arbitrary: wanted('instant') },
      { weight: 1, arbitrary: fc.constantFrom(...EDGE_INSTANTS) },
    );
  if (format === 'date') return wanted('date');
  return text(minLength, maxLength ?? 1_000);
}

/** Any but NUL; of halves of pairs there are none by themselves. */
const CHARACTER = fc
  .integer({ min: 1, max: 0x10_ff_ff })
  .map((code) => String.fromCodePoint(code).toWellFormed());
const texts = new Map<string, fc.Arbitrary<string>>();

/** Mostly short, sometimes strange, seldom as long as it may be. Made once for each length: that takes its time. */
function text(least: number, most: number): fc.Arbitrary<string> {
  const key = `${least} ${most}`;
  const made = texts.get(key) ?? textBetween(least, most);
  texts.set(key, made);
  return made;
}

const textBetween = (least: number, most: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      {
        weight: 160,
        arbitrary: fc
          .string({ unit: 'grapheme', minLength: Math.max(least, 1), maxLength: Math.max(least, 24) })
          .filter((made) => made.length <= most),
      },
      {
        weight: 80,
        arbitrary: fc.constantFrom('Buy milk', 'Water the plants', 'Rechnung schreiben', '牛乳を買う'),
      },
      {
        weight: 80,
        arbitrary: fc.constantFrom(...STRANGE_TEXTS.filter((given) => given.length <= most)),
      },
      {
        weight: 40,
        arbitrary: fc
          .array(CHARACTER, { minLength: Math.max(least, 1), maxLength: Math.max(least, 20) })
          .map((characters) => characters.join(''))
          .filter((made) => made.length <= most),
      },
      {
        weight: most > 1_000 ? 1 : 4,
        arbitrary: fc
          .constantFrom('x', '\u{1f9ea}', 'é ')
          .map((unit) => unit.repeat(most).slice(0, most).toWellFormed()),
      },
    )
    .map((made) => (made.length < least ? made.padEnd(least, '·') : made));

const wanted = (what: string): fc.Arbitrary<Wanted> => fc.noBias(fc.nat()).map((n) => new Wanted(what, n));
