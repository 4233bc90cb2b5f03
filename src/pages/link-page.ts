import { html } from 'hono/html';
import type { Html, Page, Site } from './layout.ts';

interface View {
  heading: string;
  content: Html | ((site: Site) => Html);
}

/** The page of one mailed link: what it asks, how it ends, and what it says of a link that does not work. */
interface LinkPage {
  ask: View;
  /** The ends, by the name that a form's `done` gives. */
  ends: Record<string, View>;
  dead: View;
  /** The request that does the same without this page. */
  request: { path: `/${string}`; body?: string; needs?: string };
}

const MISSING: View = {
  heading: 'Please open the link from your mail',
  content: (
    site,
  ) => html`<p>This page needs the link that was mailed to you. Open it from the mail again; if you copy it, copy all of it.</p>
${onward(site, 'Go to Errand')}`,
};

/** The page of a flow that a mailed link begins; its script shows one view at a time, and spends the token when a button is pressed. */
export const linkPage = ({ ask, ends, dead, request }: LinkPage): Page => ({
  title: ask.heading,
  hasScript: true,
  main: (
    site,
  ) => html`${Object.entries({ ask, ...ends, dead, missing: MISSING }).map(([name, view]) => viewOf(site, name, view))}
${withoutScript(site, request)}`,
});

/** Shown where this browser is signed in to another account than the link's: names both, and asks. */
export const otherAccount = (question: Html): Html =>
  html`<p class="note" data-known="other" hidden>This browser is signed in as <strong data-about="other"></strong>. ${question}</p>`;

/** The way on after a view that stays: into the web client, where there is one. */
export const onward = ({ app }: Site, words: string, to = ''): Html =>
  app === undefined
    ? html`<p>You can close this page.</p>`
    : html`<a class="onward" href="${app}${to}">${words}</a>`;

const viewOf = (site: Site, name: string, { heading, content }: View): Html => html`
<section data-view="${name}"${name !== 'ask' && html` hidden`}>
<h1 tabindex="-1">${heading}</h1>
${typeof content === 'function' ? content(site) : content}
</section>`;

const withoutScript = (
  site: Site,
  { path, body = '{ "token": "…" }', needs }: LinkPage['request'],
): Html => html`
<noscript>
<p>This page needs JavaScript. Without it, copy the token from the mail and send it yourself${needs && ` (${needs})`}:</p>
<p><code>POST ${site.publicApi}${path}</code><br><code>Content-Type: application/json</code><br><code>${body}</code></p>
</noscript>`;
