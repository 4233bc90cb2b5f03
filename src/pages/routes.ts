import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import type { OpenApiDocument } from '../http/openapi-document.ts';
import { type Environment, requestIdOf } from '../http/request-context.ts';
import { respond } from '../http/response.ts';
import { storedText } from '../http/stored-text.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { type Asset, ICON, REFERENCE_SCRIPT, REFERENCE_STYLE, SCRIPT, STYLE } from './assets.ts';
import { mountClient, mountFarewell } from './client.ts';
import { confirmEmail } from './confirm-email.ts';
import { confirmSignup } from './confirm-signup.ts';
import { documentHeaders, keptForGood, storedDocument } from './documents.ts';
import { keepEmail } from './keep-email.ts';
import { layout, type Page } from './layout.ts';
import { referencePage } from './reference.ts';
import { resetPassword } from './reset-password.ts';
import { welcome } from './welcome.ts';

const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Every page by its path, which mails name (`mail/messages.ts`); not under the base path. */
const PAGES: Record<string, Page> = {
  '/confirm-signup': confirmSignup,
  '/reset-password': resetPassword,
  '/confirm-email': confirmEmail,
  '/keep-email': keepEmail,
  '/accept-invitation': acceptInvitation,
};
export const PAGE_PATHS = Object.keys(PAGES);

/**
 * The small pages that mailed links open. Opening one spends no token and changes nothing: a page asks what its token is
 * about, and its buttons call the API. And the browser client, or in its place a page at `/` that says what this is.
 */
export function mountPages(app: Hono<Environment>, deps: Deps): void {
  const { base_path: basePath, public_url: publicUrl } = deps.config.server;
  const site = {
    api: `.${basePath}`,
    publicApi: publicUrl + basePath,
    app: deps.config.web.enabled ? './app/' : undefined,
  };
  const pages = deps.config.web.enabled ? PAGES : { ...PAGES, '/': welcome };
  for (const [path, page] of Object.entries(pages)) {
    const stored = storedDocument(deps, async (session) => String(await layout({ ...site, session }, page)));
    app.get(path, (context) => stored(context, documentHeaders(context, publicUrl, CONTENT_POLICY)));
  }
  mountAssets(app, '', [STYLE, SCRIPT, ICON]);
  if (deps.config.web.enabled) mountClient(app, deps);
  else mountFarewell(app);
}

/** The reference of the API at `/docs` under the base path, with its assets, so that they pass where the API does. */
export function mountReference(
  app: Hono<Environment>,
  { base_path: basePath, public_url: publicUrl }: Deps['config']['server'],
  document: () => Promise<OpenApiDocument>,
): void {
  const stored = storedText(async () => String(await referencePage(await document())));
  app.get(`${basePath}/docs`, (context) =>
    stored(context, documentHeaders(context, publicUrl, CONTENT_POLICY)),
  );
  // Relative, as a proxy may have taken a part of the path off.
  app.get(`${basePath}/docs/`, (context) =>
    respond(requestIdOf(context), 308, undefined, { Location: '../docs' }),
  );
  mountAssets(app, basePath, [REFERENCE_STYLE, REFERENCE_SCRIPT, ICON]);
}

function mountAssets(app: Hono<Environment>, under: string, assets: Asset[]): void {
  for (const { href, type, content } of assets) {
    const stored = storedText(() => content);
    app.get(`${under}/${href}`, (context) => stored(context, keptForGood(context, type)));
  }
}
