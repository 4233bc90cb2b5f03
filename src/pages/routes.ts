import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { commonHeaders } from '../http/answer.ts';
import type { OpenApiDocument } from '../http/openapi-document.ts';
import { type Environment, requestIdOf } from '../http/request.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { type Asset, ICON, REFERENCE_SCRIPT, REFERENCE_STYLE, SCRIPT, STYLE } from './assets.ts';
import { confirmEmail } from './confirm-email.ts';
import { confirmSignup } from './confirm-signup.ts';
import { keepEmail } from './keep-email.ts';
import { type Html, layout, type Page } from './layout.ts';
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

const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable';

/** Every page by its path, which mails name (`mail/messages.ts`); not under the base path. */
const PAGES: Record<string, Page> = {
  '/': welcome,
  '/confirm-signup': confirmSignup,
  '/reset-password': resetPassword,
  '/confirm-email': confirmEmail,
  '/keep-email': keepEmail,
  '/accept-invitation': acceptInvitation,
};

/** The small pages that mailed links open, and `/`. They read nothing and change nothing: their buttons call the API. */
export function mountPages(app: Hono<Environment>, deps: Deps): void {
  const { base_path: basePath, public_url: publicUrl } = deps.config.server;
  const site = { api: `.${basePath}`, publicApi: publicUrl + basePath };
  for (const [path, page] of Object.entries(PAGES)) {
    const document = layout(site, page);
    app.get(path, async (context) => htmlAnswer(requestIdOf(context), await document));
  }
  mountAssets(app, '', [STYLE, SCRIPT, ICON]);
}

/** The reference of the API at `/docs` under the base path, with its assets, so that they pass where the API does. */
export function mountReference(
  app: Hono<Environment>,
  basePath: string,
  document: () => OpenApiDocument,
): void {
  let page: Html | undefined;
  app.get(`${basePath}/docs`, async (context) => {
    page ??= referencePage(document());
    return htmlAnswer(requestIdOf(context), await page);
  });
  mountAssets(app, basePath, [REFERENCE_STYLE, REFERENCE_SCRIPT, ICON]);
}

const htmlAnswer = (requestId: string, document: Awaited<Html>): Response =>
  new Response(String(document), {
    headers: {
      ...commonHeaders(requestId),
      'Content-Security-Policy': CONTENT_POLICY,
      'Content-Type': 'text/html; charset=utf-8',
    },
  });

function mountAssets(app: Hono<Environment>, under: string, assets: Asset[]): void {
  for (const { href, type, content } of assets) {
    app.get(`${under}/${href}`, (context) => {
      const headers = {
        ...commonHeaders(requestIdOf(context)),
        'Cache-Control': KEPT_FOR_GOOD,
        'Content-Type': type,
      };
      return new Response(content, { headers });
    });
  }
}
