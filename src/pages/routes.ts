import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Deps } from '../deps.ts';
import type { Environment } from '../http/request.ts';

/** The small pages that mailed links open, and `/`. */
export function mountPages(_app: OpenAPIHono<Environment>, _deps: Deps): void {}
