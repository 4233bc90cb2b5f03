import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Deps } from '../deps.ts';
import { commonHeaders } from '../http/answer.ts';
import type { Environment } from '../http/request.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { ICON, SCRIPT, STYLE } from './assets.ts';
import { confirmEmail } from './confirm-email.ts';
import { confirmSignup } from './confirm-signup.ts';
import { keepEmail } from './keep-email.ts';
import { layout, type Page, type Site } from './layout.ts';
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
const PAGES: Record<string, (site: Site) => Page> = {
  '/': welcome,
  '/confirm-signup': confirmSignup,
  '/reset-password': resetPassword,
  '/confirm-email': confirmEmail,
  '/keep-email': keepEmail,
  '/accept-invitation': acceptInvitation,
};

/** The small pages that mailed links open, and `/`. They read nothing and change nothing: their buttons call the API. */
export function mountPages(app: OpenAPIHono<Environment>, deps: Deps): void {
  const { base_path: basePath, public_url: publicUrl } = deps.config.server;
  const site = { api: `.${basePath}`, publicApi: publicUrl + basePath };
  for (const [path, page] of Object.entries(PAGES)) {
    const document = layout(site, page(site));
    app.get(path, async (context) => {
      const headers = {
        ...commonHeaders(context.get('requestId')),
        'Content-Security-Policy': CONTENT_POLICY,
        'Content-Type': 'text/html; charset=utf-8',
      };
      return new Response(String(await document), { headers });
    });
  }
  for (const { href, type, content } of [STYLE, SCRIPT, ICON]) {
    app.get(`/${href}`, (context) => {
      const headers = {
        ...commonHeaders(context.get('requestId')),
        'Cache-Control': KEPT_FOR_GOOD,
        'Content-Type': type,
      };
      return new Response(content, { headers });
    });
  }
}
