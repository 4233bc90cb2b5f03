import { html } from 'hono/html';
import {
  type ApiResponse,
  type Call,
  type Content,
  nameIn,
  type OpenApiDocument,
  type Parameter,
  type Reference,
  resolve,
  type Schema,
} from '../http/openapi-document.ts';
import type { Html } from './layout.ts';
import { fieldOf, prose, shape, typeOf } from './reference-schema.ts';

/** Where the errors that have this name are told. */
export const errorAnchor = (name: string): string => `error-${name}`;

/** What the filter looks through: each word once, in lower case, those of fields and descriptions too. */
function findable(document: OpenApiDocument, { method, path, operation }: Call): string {
  const { operationId, summary, description = '', tags, parameters = [], requestBody, responses } = operation;
  const bodies = [requestBody, ...Object.values(responses)].map((part) =>
    part && 'content' in part ? jsonIn(part.content)?.schema : undefined,
  );
  const texts = [
    ...[method, path, operationId, summary, description, ...tags],
    ...parameters.flatMap((parameter) => [parameter.name, parameter.description ?? '']),
    ...bodies.flatMap((schema) => (schema ? wordsOf(document, schema) : [])),
  ];
  return [...new Set(texts.join(' ').toLowerCase().split(/\s+/))].join(' ');
}

/** The names of all fields of a shape, with what is said of them, down to the last. */
export function wordsOf(document: OpenApiDocument, named: Schema, seen = new Set<string>()): string[] {
  if (named.$ref !== undefined) {
    if (seen.has(named.$ref)) return [];
    seen.add(named.$ref);
  }
  const schema = resolve(document, named);
  const { properties = {}, items, anyOf = [], oneOf = [], enum: values = [], description = '' } = schema;
  const inner = [...Object.values(properties), ...anyOf, ...oneOf, ...(items ? [items] : [])];
  const own = [...Object.keys(properties), ...values.map(String), description];
  return [...own, ...inner.flatMap((part) => wordsOf(document, part, seen))];
}

/** One operation: on one side what it takes and gives, on the other how that looks. */
export function operationView(document: OpenApiDocument, call: Call): Html {
  const { method, path, operation, server } = call;
  const { operationId: id, parameters = [], requestBody } = operation;
  const body = jsonIn(requestBody?.content);
  return html`<article id="${id}" aria-labelledby="${id}-name" data-find="${findable(document, call)}">
<div class="told">
<h3 id="${id}-name"><a href="#${id}">${operation.summary}</a></h3>
<p class="call"><b class="${method}">${method.toUpperCase()}</b> <code>${breakable(path)}</code></p>
${server !== document.servers[0]?.url && html`<p class="quiet">Outside the base path, at <code>${server}</code>.</p>`}
${prose(operation.description)}
<p class="quiet">${operation.security.length > 0 ? 'Needs an access token.' : 'Open: needs no access token.'}</p>
${parametersOf(document, parameters, 'path')}
${parametersOf(document, parameters, 'query')}
${parametersOf(document, parameters, 'header')}
${
  body &&
  html`<h4>Body${requestBody?.required !== true && html` <span class="quiet">may be left out</span>`}</h4>
${shape(document, body.schema, 'sent')}`
}
${Object.entries(operation.responses).map(([status, response]) => responseOf(document, status, response))}
<h4>Errors</h4>
<ul class="errors">${Object.entries(operation.responses).map(([status, response]) => errorOf(status, response))}</ul>
</div>
<div class="shown">
<h4>Request</h4>
<pre tabindex="0"><code>${command(curl(call))}</code></pre>
${Object.entries(operation.responses).map(([status, response]) => exampleOf(status, response))}
</div>
</article>`;
}

const jsonIn = (content: Content | undefined) => content?.['application/json'];

const isNamed = (response: ApiResponse | Reference): response is Reference => '$ref' in response;

/** Lets long paths wrap between their parts. */
const breakable = (path: string): Html =>
  html`${path.split('/').map((part, index) => (index > 0 ? html`/<wbr>${part}` : part))}`;

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' };

function parametersOf(document: OpenApiDocument, parameters: Parameter[], place: Parameter['in']): Html {
  const here = parameters.filter((parameter) => parameter.in === place);
  return html`${
    here.length > 0 &&
    html`<h4>${PLACES[place]}</h4>
<dl class="fields">${here.map(({ name, schema, required = false, description }) =>
      fieldOf(document, { name, schema, description, isRequired: required, way: 'sent' }),
    )}</dl>`
  }`;
}

/** Shapes that have names are told once, at the end of the page. */
function responseOf(document: OpenApiDocument, status: string, response: ApiResponse | Reference): Html {
  if (isNamed(response)) return html``;
  const schema = jsonIn(response.content)?.schema;
  if (!schema) return html`<h4>Response ${status}</h4>${prose(response.description)}`;
  if (schema.$ref !== undefined) return html`<h4>Response ${status}</h4><p>${typeOf(schema)}</p>`;
  return html`<h4>Response ${status}</h4>${shape(document, schema, 'told')}`;
}

const errorOf = (status: string, response: ApiResponse | Reference): Html =>
  html`${isNamed(response) && html`<li><a href="#${errorAnchor(nameIn(response.$ref))}">${status}</a></li>`}`;

function exampleOf(status: string, response: ApiResponse | Reference): Html {
  const media = isNamed(response) ? undefined : jsonIn(response.content);
  return html`${
    media &&
    html`<h4>Response ${status}</h4>
<pre tabindex="0"><code>${JSON.stringify(media.example, null, 2)}</code></pre>`
  }`;
}

/** Lets the address wrap between its parts, and nowhere else: its lines and the body stay as they are. */
function command(text: string): Html {
  const [first = '', ...rest] = text.split('\n');
  const parts = first.split(/(?<=\/(?!\/)|(?<!\\) (?!\\))/);
  return html`<span class="address">${parts.map((part) => html`<span>${part}</span><wbr>`)}</span>${rest.map((line) => `\n${line}`).join('')}`;
}

/** The request as a command for a shell, ids and token in variables. */
function curl({ method, path, operation, server }: Call): string {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `--data-urlencode "${name}=${schema.example}"`);
  const address = `${server}${path.replaceAll(/\{(\w+)\}/g, '$$$1')}`;
  const body = jsonIn(operation.requestBody?.content)?.example;
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`}${query.length > 0 ? ' -G' : ''} "${address}"`,
    ...query,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $access"'] : []),
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ].join(' \\\n  ');
}
