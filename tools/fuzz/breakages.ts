import type { Attempt } from './attempt.ts';
import type { Operation } from './operations.ts';
import {
  BROKEN_BYTES,
  BROKEN_CONTENT_TYPES,
  BROKEN_JSON,
  FORBIDDEN_TEXTS,
  FORGED_AUTHORIZATIONS,
  STRANGE_HEADERS,
  STRANGE_TEXTS,
  UNKNOWN_IDS,
} from './texts.ts';
import { fieldsOf, UNKNOWN_ID, wrongParameters, wrongValues } from './wrong-values.ts';

/** One way to spoil a valid request. */
export interface Breakage {
  name: string;
  /** The statuses it must be rejected with; none where it may be taken as well. */
  rejected: number[];
  /** Rejected before anyone asks who is there. */
  isOutside?: true;
  apply(attempt: Attempt): void;
}

const KIBIBYTE = 1_024;
/** Takes 64 MiB, which is too much to send at random. */
const IMPORT = /\/account\/import$/;
const OTHER_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'get'];

/** Every way to break a request to a route, by what the document says of it. */
export const breakagesOf = (operation: Operation, all: readonly Operation[]): Breakage[] => [
  ...outside(operation, all),
  ...ofPath(operation),
  ...ofQuery(operation),
  ...ofBody(operation),
  ...oddities(operation),
];

function outside(operation: Operation, all: readonly Operation[]): Breakage[] {
  const here = all.filter(({ path }) => patternOf(path) === patternOf(operation.path));
  const taken = here.map(({ method }) => method);
  // A fixed path beside a varying one: the other methods are those of both.
  const isShadowed = all.some(
    ({ path, method }) => path !== operation.path && !taken.includes(method) && covers(path, operation.path),
  );
  const methods = isShadowed ? [] : OTHER_METHODS.filter((method) => !taken.includes(method.toUpperCase()));
  return [
    ...methods.map(
      (method): Breakage => ({
        name: `method ${method}`,
        rejected: [405],
        isOutside: true,
        apply: (attempt) => {
          attempt.method = method;
          if (method.toUpperCase() === 'GET') dropBody(attempt);
        },
      }),
    ),
    ...(operation.bearer ? FORGED_AUTHORIZATIONS : []).map(
      (value): Breakage => ({
        name: `authorization ${value?.slice(0, 30)}`,
        rejected: [401],
        isOutside: true,
        apply: ({ headers }) => {
          delete headers.Authorization;
          if (value !== undefined) headers.Authorization = value;
        },
      }),
    ),
  ];
}

const ofPath = ({ params, body }: Operation): Breakage[] =>
  params.flatMap((name) =>
    UNKNOWN_IDS.map(
      (id): Breakage => ({
        name: `path ${name} ${JSON.stringify(id).slice(0, 40)}`,
        // A body that refers to things may be rejected first; whom one may remove depends on who it is.
        rejected: [404, ...(body ? [400] : []), ...(name === 'user_id' ? [403] : [])],
        apply: ({ params: given }) => {
          given[name] = id;
        },
      }),
    ),
  );

const ofQuery = ({ query }: Operation): Breakage[] =>
  query.flatMap((parameter) => {
    const { name } = parameter;
    const rejecting = (label: string, values: string[]): Breakage => ({
      name: `query ${name} ${label}`,
      rejected: [400],
      apply: (attempt) => {
        attempt.query = attempt.query.filter(([other]) => other !== name);
        for (const value of values) attempt.query.push([name, value]);
      },
    });
    return [
      ...wrongParameters(parameter).map((value) => rejecting(JSON.stringify(value).slice(0, 40), [value])),
      rejecting('twice', ['1', '1']),
      ...FORBIDDEN_TEXTS.map((text) => rejecting(JSON.stringify(text), [text])),
      ...(parameter.required ? [rejecting('missing', [])] : []),
    ];
  });

function ofBody(operation: Operation): Breakage[] {
  const { body: schema, path } = operation;
  if (!schema) return [];
  const most = path.includes('/auth/') ? 16 * KIBIBYTE : KIBIBYTE * KIBIBYTE;
  const raw = (name: string, text: string | Uint8Array, status = 400): Breakage => ({
    name: `body ${name}`,
    rejected: [status],
    apply: (attempt) => {
      attempt.raw = text;
    },
  });
  // Each operation of a batch has a status of its own.
  const isOfBatch = path.endsWith('/tasks/batch');
  const looked = fieldsOf(schema).filter(({ path: [, within] }) => !isOfBatch || within === undefined);
  const fields = looked.flatMap((field) => [
    ...wrongValues(field).map(
      (value): Breakage => ({
        name: `field ${field.path.join('.')} ${JSON.stringify(value)?.slice(0, 40)}`,
        // The thing that the path names may be looked for first.
        rejected: value === UNKNOWN_ID ? [400, 404] : [400],
        apply: (attempt) => {
          attempt.body = field.put(attempt.body, value);
        },
      }),
    ),
    ...(field.isRequired
      ? [
          {
            name: `field ${field.path.join('.')} missing`,
            rejected: [400],
            apply: (attempt: Attempt) => {
              attempt.body = field.put(attempt.body, undefined);
            },
          },
        ]
      : []),
  ]);
  return [
    ...fields,
    ...BROKEN_JSON.map((text) => raw(text.slice(0, 30), text)),
    ...BROKEN_BYTES.map((bytes, i) => raw(`bytes ${i}`, bytes)),
    ...FORBIDDEN_TEXTS.map((text) => raw(`with ${JSON.stringify(text)}`, JSON.stringify({ extra: [text] }))),
    ...(IMPORT.test(path) ? [] : [raw('too large', `{"extra":"${'x'.repeat(most)}"}`, 413)]),
    ...BROKEN_CONTENT_TYPES.map(
      (type): Breakage => ({
        name: `content type ${type}`,
        rejected: [415],
        apply: ({ headers }) => {
          headers['Content-Type'] = type;
        },
      }),
    ),
    {
      name: 'compressed',
      rejected: [415],
      apply: ({ headers }) => {
        headers['Content-Encoding'] = 'gzip';
      },
    },
    ...((schema.required?.length ?? 0) > 0 && operation.isBodyRequired
      ? [{ name: 'no body', rejected: [400], apply: dropBody }]
      : []),
  ];
}

/** What is strange and may still be taken. */
const oddities = ({ body, query }: Operation): Breakage[] => [
  ...STRANGE_HEADERS.map(
    (headers): Breakage => ({
      name: `header ${Object.keys(headers).join()}`,
      rejected: [],
      apply: (attempt) => Object.assign(attempt.headers, headers),
    }),
  ),
  {
    name: 'unknown parameters',
    rejected: [],
    apply: (attempt) => attempt.query.push(['__proto__', '1'], ['x', '%'], ['', ''], ['pag€', '👾']),
  },
  ...(query.length > 0
    ? STRANGE_TEXTS.map(
        (text, i): Breakage => ({
          name: `parameter ${JSON.stringify(text).slice(0, 30)}`,
          rejected: [],
          apply: (attempt) => {
            const name = query[i % query.length]?.name ?? 'q';
            attempt.query = attempt.query.filter(([other]) => other !== name);
            attempt.query.push([name, text]);
          },
        }),
      )
    : []),
  ...(body
    ? [
        {
          name: 'extra keys',
          rejected: [],
          apply: (attempt: Attempt) => {
            const extra = '"__proto__":{"role":"owner"},"constructor":{"prototype":1},"id":"mine","x":[{}]';
            attempt.raw = `{${extra},${JSON.stringify(attempt.body ?? {}).slice(1)}`.replace(/,}$/, '}');
          },
        },
        {
          name: 'duplicate keys',
          rejected: [],
          apply: (attempt: Attempt) => {
            const text = JSON.stringify(attempt.body ?? {});
            attempt.raw = text === '{}' ? '{"a":1,"a":2}' : `{${text.slice(1, -1)},${text.slice(1)}`;
          },
        },
        {
          name: 'spaces around',
          rejected: [],
          apply: (attempt: Attempt) => {
            attempt.raw = `\r\n\t ${JSON.stringify(attempt.body ?? {}, null, '\t')} \n`;
          },
        },
      ]
    : []),
];

function dropBody(attempt: Attempt): void {
  attempt.body = undefined;
  delete attempt.raw;
  delete attempt.headers['Content-Type'];
}

const patternOf = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
const covers = (pattern: string, path: string) =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
