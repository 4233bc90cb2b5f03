import { z } from '@hono/zod-openapi';
import type { Config } from '../config.ts';
import type { PageRequest } from '../kernel/page.ts';

const positive = (name: string) =>
  z
    .string()
    .regex(/^\d{1,400}$/, `${name} must be a whole number from 1`)
    .transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
    .refine((value) => value >= 1, `${name} must be a whole number from 1`)
    .optional();

/** What every list endpoint accepts. */
export const PageQuery = z.object({
  page: positive('Page').openapi({
    type: 'integer',
    minimum: 1,
    default: 1,
    description: 'Page number, from 1',
  }),
  limit: positive('Limit').openapi({
    type: 'integer',
    minimum: 1,
    description: 'Items on a page: by default 50, clamped to 100, unless the server is configured otherwise',
  }),
});
export type PageQuery = z.output<typeof PageQuery>;

export const pageRequest = (
  { config: { pagination } }: { config: Config },
  query: PageQuery,
): PageRequest => ({
  page: query.page ?? 1,
  limit: Math.min(query.limit ?? pagination.default_limit, pagination.max_limit),
});

/** The envelope of a list of `item`, as the component `name`. */
export const pageShape = <Item extends z.ZodType>(name: string, item: Item) =>
  z
    .object({
      items: z.array(item),
      page: z.int().openapi({ example: 1 }),
      limit: z.int().openapi({ example: 50 }),
      total: z.int().openapi({ description: 'Items on all pages together', example: 1 }),
    })
    .openapi(name);
