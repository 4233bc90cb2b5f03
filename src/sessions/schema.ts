import { z } from '@hono/zod-openapi';
import { User } from '../users/schema.ts';

export const TokenPair = z
  .object({
    accessToken: z.string().openapi({ description: 'JWT, sent as `Authorization: Bearer …`; 15 minutes' }),
    refreshToken: z.string().openapi({ description: 'Opaque, single use; 30 days from last use' }),
  })
  .openapi('TokenPair');
export type TokenPair = z.output<typeof TokenPair>;

export const SignedInAnswer = TokenPair.extend({ user: User }).openapi('SignedIn');
export type SignedInAnswer = z.output<typeof SignedInAnswer>;

export const RefreshInput = z.object({
  refreshToken: z
    .string({ error: 'refreshToken is required' })
    .min(1, 'refreshToken is required')
    .max(512, 'refreshToken is too long'),
});
export type RefreshInput = z.output<typeof RefreshInput>;

export const Session = z
  .object({
    id: z.string(),
    userAgent: z.string(),
    ip: z.string(),
    createdAt: z.string(),
    lastUsedAt: z.string().openapi({ description: 'The last sign-in or refresh' }),
    current: z.boolean().openapi({ description: 'The session of this request' }),
  })
  .openapi('Session');
export type Session = z.output<typeof Session>;
