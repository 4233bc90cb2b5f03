import { z } from '@hono/zod-openapi';
import { hasLength, WireId } from '../http/fields.ts';

const hasBoundedBytes = (password: string): boolean => Buffer.byteLength(password) <= 1_024;

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
/** A dot-string of at most 64 characters at a domain of two labels at least, the last of letters or in Punycode (RFC 5321, 4.1.2; RFC 3696, 2). */
const ADDRESS = new RegExp(
  `^(?=[^@]{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+(?:[A-Za-z]{2,63}|[Xx][Nn]--(?:[A-Za-z0-9-]{0,58}[A-Za-z0-9]))$`,
);

/** One canonical form for every flow: ASCII, lower case. */
export const Email = z
  .email({ error: 'Email must be valid', pattern: ADDRESS })
  .max(254, 'Email must be valid')
  .transform((email) => email.toLowerCase())
  .openapi({ type: 'string', format: 'email', maxLength: 254, example: 'ada@example.com' });

/** Any Unicode, neither trimmed nor truncated. */
export const Password = z
  .string({ error: 'Password must be at least 8 characters' })
  .refine(hasLength(8, Infinity), 'Password must be at least 8 characters')
  .refine(hasLength(0, 256), 'Password must be at most 256 characters')
  .refine(hasBoundedBytes, 'Password must be at most 1024 bytes')
  .openapi({ minLength: 8, maxLength: 256, example: 'correct horse battery staple' });

/** What is offered as a password to be compared: only bounded, so that rules of today lock nobody out. */
export const OfferedPassword = z
  .string({ error: 'Password is required' })
  .min(1, 'Password is required')
  .max(256, 'Password must be at most 256 characters')
  .refine(hasBoundedBytes, 'Password must be at most 1024 bytes')
  .openapi({ example: 'correct horse battery staple' });

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is rejected
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export const Name = z
  .string({ error: 'Name must be 1 to 200 characters' })
  .trim()
  .refine(hasLength(1, 200), 'Name must be 1 to 200 characters')
  .refine((name) => !CONTROL_CHARACTERS.test(name), 'Name must not contain control characters')
  .openapi({ minLength: 1, maxLength: 200, example: 'Ada Lovelace' });

export const User = z
  .object({
    id: WireId,
    email: z.string().openapi({ example: 'ada@example.com' }),
    name: z.string().openapi({ example: 'Ada Lovelace' }),
    isEmailVerified: z.boolean(),
  })
  .openapi('User');
export type User = z.output<typeof User>;
