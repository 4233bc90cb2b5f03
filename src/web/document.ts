import { GROUND } from './ground.ts';

interface Links {
  icon: string;
  touchIcon: string;
  manifest: string;
  /** Runs before anything is painted. */
  early: string;
  style: string;
  script: string;
  /** Symbols of SVG; in the document, since a browser draws those of another file late. */
  shapes: string;
}

/**
 * The one document of the client, made at build time. The server puts in `{app}`, the path of the client, since it is
 * served at any depth, `{api}`, that of the API, `{build}`, the id of the build, and `{session}`, `none` where the
 * request carries no session.
 */
export const documentTemplate = (links: Links): string => `<!doctype html>
<html lang="en" data-app="{app}" data-api="{api}" data-build="{build}" data-session="{session}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${GROUND.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${GROUND.dark}">
<meta name="robots" content="noindex">
<title>Errand</title>
<script src="{app}${links.early}"></script>
<link rel="stylesheet" href="{app}${links.style}">
<script type="module" src="{app}${links.script}"></script>
<link rel="icon" type="image/svg+xml" href="{app}${links.icon}">
<link rel="apple-touch-icon" href="{app}${links.touchIcon}">
<link rel="manifest" href="{app}${links.manifest}">
</head>
<body>
<div id="root"></div>
<svg class="start" viewBox="0 0 32 32" aria-hidden="true"><use href="#i-logo"/></svg>
<svg class="shapes" aria-hidden="true">${links.shapes}</svg>
<noscript>Errand's own screen needs JavaScript. The API does not: see <a href="{api}/docs">its reference</a>.</noscript>
</body>
</html>
`;

/** Lies in assets/, so that its addresses are relative to that folder. */
export const webManifest = (icons: Record<'svg' | 192 | 512 | 'masked', string>): string =>
  JSON.stringify({
    name: 'Errand',
    short_name: 'Errand',
    id: '../',
    start_url: '../today',
    scope: '../',
    display: 'standalone',
    background_color: GROUND.light,
    theme_color: GROUND.light,
    icons: [
      { src: icons.svg, type: 'image/svg+xml', sizes: 'any', purpose: 'any' },
      { src: icons[192], type: 'image/png', sizes: '192x192', purpose: 'any' },
      { src: icons[512], type: 'image/png', sizes: '512x512', purpose: 'any' },
      { src: icons.masked, type: 'image/png', sizes: '512x512', purpose: 'maskable' },
    ],
  });
