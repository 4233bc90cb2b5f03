import { setImmediate as nextTurn } from 'node:timers/promises';
import { html } from 'hono/html';
import { type Call, callsOf, type OpenApiDocument, type Schema } from '../http/openapi-document.ts';
import { ICON, REFERENCE_SCRIPT, REFERENCE_STYLE } from './assets.ts';
import { type Html, headOf } from './layout.ts';
import { errorAnchor, operationView, wordsOf } from './reference-operation.ts';
import { inline, prose, shape, shapeAnchor, typeOf } from './reference-schema.ts';

/** Of operations or shapes, in one turn of the event loop. */
const VIEWS_IN_TURN = 8;

interface Group {
  id: string;
  name: string;
  description: string;
  calls: Call[];
}

/**
 * The API's reference: its OpenAPI document as one page that is whole without a script.
 *
 * Ours, because of the libraries tried in a browser under our policy (Scalar, Redoc, Elements, RapiDoc, Swagger UI)
 * none stays at home by itself: they bring 0.9 to 4.4 MB of script, up to 272 packages, and proxies, fonts, agents or
 * telemetry of other hosts that are to be switched off again with each version.
 */
export async function referencePage(document: OpenApiDocument): Promise<Awaited<Html>> {
  const groups = groupsOf(document);
  const views = await inSteps(groups, async (group) =>
    groupView(group, await inSteps(group.calls, (call) => operationView(document, call))),
  );
  const shapes = await inSteps(shapesIn(document), (named) => shapeView(document, named));
  return html`${headOf('API reference', REFERENCE_STYLE, REFERENCE_SCRIPT)}
<body>
<a class="skip" href="#reference">Skip the contents</a>
<header>
<a class="brand" href="#reference"><img src="${ICON.href}" alt="" width="28" height="28"> <span>Errand API</span></a>
<search><input id="filter" type="search" placeholder="Filter" aria-label="Filter the operations" autocomplete="off" spellcheck="false"></search>
<button type="button" popovertarget="contents">Contents</button>
</header>
${contentsOf(groups)}
<main id="reference" tabindex="-1">
<p id="found" role="status"></p>
<section class="introduction" data-rest>
<h1>${document.info.title} API <span class="quiet">${document.info.version}</span></h1>
${prose(document.info.description)}
<p>Paths are relative to <code>${document.servers[0]?.url}</code>.</p>
<p><a href="openapi.json">The same as an OpenAPI document</a></p>
</section>
${views}
${errorsOf(document)}
${shapesOf(shapes)}
</main>
</body>
</html>
`;
}

/** Some at a time: all at once would hold up other requests. */
async function inSteps<Item>(items: readonly Item[], view: (item: Item) => Html): Promise<Awaited<Html>[]> {
  const views: Awaited<Html>[] = [];
  for (const [i, item] of items.entries()) {
    if (i % VIEWS_IN_TURN === 0) await nextTurn();
    views.push(await view(item));
  }
  return views;
}

function groupsOf(document: OpenApiDocument): Group[] {
  const calls = callsOf(document);
  return document.tags.map(({ name, description }) => ({
    id: `tag-${name.toLowerCase().replaceAll(' ', '-')}`,
    name,
    description,
    calls: calls.filter(({ operation }) => operation.tags[0] === name),
  }));
}

const contentsOf = (groups: Group[]): Html => html`<nav id="contents" popover aria-label="Contents">
${groups.map(
  ({ id, name, calls }) => html`<div data-group>
<p><a href="#${id}">${name}</a></p>
<ul>${calls.map(
    (call) =>
      html`<li data-of="${call.operation.operationId}"><a href="#${call.operation.operationId}"><span>${call.operation.summary}</span> <b class="${call.method}">${call.method.toUpperCase()}</b></a></li>`,
  )}</ul>
</div>`,
)}
<div data-rest>
<p><a href="#errors">Errors</a></p>
<p><a href="#shapes">Shapes</a></p>
</div>
</nav>`;

const groupView = ({ id, name, description }: Group, operations: Awaited<Html>[]): Html => html`
<section aria-labelledby="${id}" data-group>
<h2 id="${id}"><a href="#${id}">${name}</a></h2>
${prose(description)}
${operations}
</section>`;

const errorsOf = (document: OpenApiDocument): Html => html`
<section aria-labelledby="errors" data-rest>
<h2 id="errors"><a href="#errors">Errors</a></h2>
<p>Every error response is an <a href="#${shapeAnchor('Error')}">Error</a>. Its kind and status belong together:</p>
<dl class="fields">${Object.entries(document.components.responses).map(
  ([name, { description }]) => html`
<div id="${errorAnchor(name)}"><dt><b>${statusOf(document, name)}</b> <code>${name}</code></dt><dd><p>${inline(description)}</p></dd></div>`,
)}</dl>
</section>`;

/** The status that an error goes by, in whichever operation names it. */
function statusOf(document: OpenApiDocument, name: string): string {
  const responses = callsOf(document).flatMap(({ operation }) => Object.entries(operation.responses));
  const [status = ''] =
    responses.find(([, response]) => '$ref' in response && response.$ref.endsWith(`/${name}`)) ?? [];
  return status;
}

const shapesIn = (document: OpenApiDocument): [name: string, schema: Schema][] =>
  Object.entries(document.components.schemas).sort(([one], [other]) => (one < other ? -1 : 1));

const shapesOf = (shapes: Awaited<Html>[]): Html => html`
<section aria-labelledby="shapes" data-group>
<h2 id="shapes"><a href="#shapes">Shapes</a></h2>
${shapes}
</section>`;

function shapeView(document: OpenApiDocument, [name, schema]: [string, Schema]): Html {
  const id = shapeAnchor(name);
  const parts = (schema.allOf ?? []).filter(({ $ref }) => $ref !== undefined);
  return html`<article id="${id}" aria-labelledby="${id}-name" class="shape" data-shape data-find="${`${name} ${wordsOf(document, schema).join(' ')}`.toLowerCase()}">
<h3 id="${id}-name"><a href="#${id}">${name}</a></h3>
${prose(schema.description)}
${parts.length > 0 && html`<p class="quiet">With all of ${parts.map((part) => typeOf(part))}.</p>`}
${shape(document, schema, 'told')}
</article>`;
}
