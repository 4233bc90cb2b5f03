import type { z } from '@hono/zod-openapi';

const described = new Map<string, z.ZodType>();

/**
 * Describes the component `name` before the routes that use it. The shape may be another than the one that validates,
 * which has that name too: what is checked in one piece, so that all issues come at once, is told to clients as
 * alternatives.
 */
export function describeComponent(name: string, shape: z.ZodType): void {
  described.set(name, shape);
}

/** Everything described so, to be registered before the routes that use it. */
export const describedComponents = (): ReadonlyMap<string, z.ZodType> => described;
