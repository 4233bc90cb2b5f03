import { z } from '@hono/zod-openapi';

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  null: 'null',
};

/** What a broken rule without a message of its own says, in place of zod's texts for programmers. */
function plainMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `Must be ${TYPES[issue.expected] ?? 'of another type'}`;
    case 'too_small':
      return `Must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `Must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `Must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return 'Must be valid';
  }
}

const unitOf = (origin: string): string => ({ string: ' characters', array: ' entries' })[origin] ?? '';

/** Sets them for every shape. */
export function usePlainMessages(): void {
  z.config({ customError: plainMessage });
}
