import { html } from 'hono/html';
import { type Asset, ICON, SCRIPT, STYLE } from './assets.ts';
import type { KnownSession } from './documents.ts';

export type Html = ReturnType<typeof html>;

/** Where a page finds the API. */
export interface Site {
  /** Relative to the page, so that it also works behind a proxy that adds a path: `./api`. */
  api: string;
  /** As the outside world writes it: `https://errand.example.com/api`. */
  publicApi: string;
  /** Whether the request for the page came without a session. */
  session: KnownSession;
  /** Where the web client is, relative to the page; undefined while it is switched off. */
  app: string | undefined;
}

export interface Page {
  title: string;
  main(site: Site): Html;
  /** Whether the page does something by itself. */
  hasScript: boolean;
}

/** What stands before the body of every document. */
export const headOf = (title: string, style: Asset, script: Asset | undefined): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Errand</title>
<link rel="icon" type="image/svg+xml" href="${ICON.href}">
<link rel="stylesheet" href="${style.href}">
${script && html`<script type="module" src="${script.href}"></script>`}
</head>`;

/** A whole document. Everything that is interpolated, here and in every page, is escaped by `html`. */
export const layout = (
  site: Site,
  page: Page,
): Html => html`${headOf(page.title, STYLE, page.hasScript ? SCRIPT : undefined)}
<body data-api="${site.api}" data-session="${site.session}"${site.app !== undefined && html` data-app="${site.app}"`}>
<header><img src="${ICON.href}" alt="" width="20" height="20"> Errand</header>
<main>
${page.main(site)}
</main>
</body>
</html>
`;
