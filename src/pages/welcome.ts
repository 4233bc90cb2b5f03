import { html } from 'hono/html';
import type { Page } from './layout.ts';

/** What someone finds who opens the server's own address. */
export const welcome: Page = {
  title: 'It runs',
  hasScript: false,
  main: (site) => html`<h1>This is an Errand server, and it runs</h1>
<p>Errand keeps tasks, lists and workspaces. You use it through an app, or through its API:</p>
<ul>
<li><a href="${site.api}/docs">How the API works</a></li>
<li><a href="${site.api}/openapi.json">Its OpenAPI description</a></li>
</ul>`,
};
