import type { z } from 'zod';
import { invalid } from '../kernel/errors.ts';

/** By the same shapes as over HTTP, and in the same words. */
export function parse<Shape extends z.ZodType>(shape: Shape, input: unknown): z.output<Shape> {
  const parsed = shape.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(...parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}
