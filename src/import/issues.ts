import type { z } from '@hono/zod-openapi';
import type { Issue } from '../kernel/errors.ts';

/** More would be a response longer than anyone reads, and long to write. */
const MAX_TOLD = 1_000;

/** Issues or warnings with their paths: the first thousand, and how many more there are. */
export class Remarks {
  readonly #first: Issue[] = [];
  #more = 0;

  add(path: string, message: string, isMissing = false): void {
    if (this.#first.length < MAX_TOLD) this.#first.push({ path, message, ...(isMissing && { isMissing }) });
    else this.#more += 1;
  }

  get isEmpty(): boolean {
    return this.#first.length === 0;
  }

  toArray(): Issue[] {
    return this.#more === 0
      ? this.#first
      : [...this.#first, { path: '', message: `And ${this.#more} more like these` }];
  }
}

/** What a shape makes of a value; undefined where it breaks rules, which are added as issues below `path`. */
export function parseAt<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  path: string,
  issues: Remarks,
): z.output<Shape> | undefined {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const isMissing =
      issue.path.length === 1 && Reflect.get(Object(value), issue.path[0] ?? '') === undefined;
    issues.add([path, ...issue.path].filter((part) => part !== '').join('.'), issue.message, isMissing);
  }
  return undefined;
}

/** The array called `name` in an object of the document; empty where there is none. */
export function arrayAt(of: Record<string, unknown>, name: string, path: string, issues: Remarks): unknown[] {
  const value = of[name];
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  issues.add(path === '' ? name : `${path}.${name}`, 'Must be an array');
  return [];
}

/** What a shape makes of each in the array called `name`; issues as of `parseAt` and `arrayAt`. */
export const allAt = <Shape extends z.ZodType>(
  of: Record<string, unknown>,
  name: string,
  shape: Shape,
  path: string,
  issues: Remarks,
): (z.output<Shape> | undefined)[] =>
  arrayAt(of, name, path, issues).map((each, i) => parseAt(shape, each, `${path}.${name}.${i}`, issues));

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
