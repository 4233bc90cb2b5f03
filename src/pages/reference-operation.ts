import { html } from 'hono/html';
import {
  type Answer,
  type Content,
  nameIn,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Reference,
} from '../http/openapi-document.ts';
import type { Html } from './layout.ts';
import { fieldOf, prose, shape, typeOf } from './reference-schema.ts';

export interface Call {
  method: string;
  path: string;
  operation: Operation;
}

/** Where the refusals that have this name are told. */
export const refusalAnchor = (name: string): string => `refusal-${name}`;

/** What the filter looks through: all words in lower case. */
export const findable = ({ method, path, operation }: Call): string =>
  [method, path, operation.summary, ...operation.tags].join(' ').toLowerCase();

/** One operation: on one side what it takes and gives, on the other how that looks. */
export function operationView(document: OpenApiDocument, call: Call): Html {
  const { method, path, operation } = call;
  const { operationId: id, parameters = [], requestBody } = operation;
  const body = jsonIn(requestBody?.content);
  return html`<article id="${id}" aria-labelledby="${id}-name" data-find="${findable(call)}">
<div class="told">
<h3 id="${id}-name"><a href="#${id}">${operation.summary}</a></h3>
<p class="call"><b class="${method}">${method.toUpperCase()}</b> <code>${breakable(path)}</code></p>
${prose(operation.description)}
<p class="quiet">${operation.security.length > 0 ? 'Needs an access token.' : 'Open: needs no access token.'}</p>
${parametersOf(document, parameters, 'path')}
${parametersOf(document, parameters, 'query')}
${
  body &&
  html`<h4>Body${requestBody?.required !== true && html` <span class="quiet">may be left out</span>`}</h4>
${shape(document, body.schema, 'sent')}`
}
${Object.entries(operation.responses).map(([status, answer]) => answerOf(document, status, answer))}
<h4>Refusals</h4>
<ul class="refusals">${Object.entries(operation.responses).map(([status, answer]) => refusalOf(status, answer))}</ul>
</div>
<div class="shown">
<h4>Request</h4>
<pre class="command" tabindex="0"><code>${curl(document, call)}</code></pre>
${Object.entries(operation.responses).map(([status, answer]) => exampleOf(status, answer))}
</div>
</article>`;
}

const jsonIn = (content: Content | undefined) => content?.['application/json'];

const isNamed = (answer: Answer | Reference): answer is Reference => '$ref' in answer;

/** Lets long paths wrap between their parts. */
const breakable = (path: string): Html =>
  html`${path.split('/').map((part, index) => (index > 0 ? html`/<wbr>${part}` : part))}`;

function parametersOf(document: OpenApiDocument, parameters: Parameter[], place: Parameter['in']): Html {
  const here = parameters.filter((parameter) => parameter.in === place);
  return html`${
    here.length > 0 &&
    html`<h4>${place === 'path' ? 'Path' : 'Query'}</h4>
<dl class="fields">${here.map(({ name, schema, required = false, description }) =>
      fieldOf(document, { name, schema, description, isRequired: required, way: 'sent' }),
    )}</dl>`
  }`;
}

/** Shapes that have names are told once, at the end of the page. */
function answerOf(document: OpenApiDocument, status: string, answer: Answer | Reference): Html {
  if (isNamed(answer)) return html``;
  const schema = jsonIn(answer.content)?.schema;
  if (!schema) return html`<h4>Answer ${status}</h4>${prose(answer.description)}`;
  if (schema.$ref !== undefined) return html`<h4>Answer ${status}</h4><p>${typeOf(schema)}</p>`;
  return html`<h4>Answer ${status}</h4>${shape(document, schema, 'told')}`;
}

const refusalOf = (status: string, answer: Answer | Reference): Html =>
  html`${isNamed(answer) && html`<li><a href="#${refusalAnchor(nameIn(answer.$ref))}">${status}</a></li>`}`;

function exampleOf(status: string, answer: Answer | Reference): Html {
  const media = isNamed(answer) ? undefined : jsonIn(answer.content);
  return html`${
    media &&
    html`<h4>Answer ${status}</h4>
<pre tabindex="0"><code>${JSON.stringify(media.example, null, 2)}</code></pre>`
  }`;
}

/** The request as a command for a shell, ids and token in variables. */
function curl({ servers: [server] }: OpenApiDocument, { method, path, operation }: Call): string {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(schema.example))}`)
    .join('&');
  const address = `${server?.url}${path.replaceAll(/\{(\w+)\}/g, '$$$1')}${query && `?${query}`}`;
  const body = jsonIn(operation.requestBody?.content)?.example;
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${address}"`,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $access"'] : []),
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ].join(' \\\n  ');
}
