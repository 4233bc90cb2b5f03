import { z } from '@hono/zod-openapi';
import { WireId, WireInstant } from '../http/fields.ts';
import { User } from '../users/schema.ts';

export const TokenPair = z
  .object({
    accessToken: z.string().openapi({
      description: 'JWT, sent as `Authorization: Bearer …`; 15 minutes by default',
      example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTlkIn0.c2lnbmF0dXJl',
    }),
    refreshToken: z.string().openapi({
      description: 'Opaque, single use; 30 days from last use by default',
      example: 'Qm3vXy0aTz9cLr5eKd7hWf1jPg2nSb4uVi6oEqRtC8k',
    }),
  })
  .openapi('TokenPair');
export type TokenPair = z.output<typeof TokenPair>;

export const SignedInAnswer = TokenPair.extend({ user: User }).openapi('SignedIn');
export type SignedInAnswer = z.output<typeof SignedInAnswer>;

export const RefreshInput = z.object({
  refreshToken: z
    .string({ error: 'refreshToken is required' })
    .min(1, 'refreshToken is required')
    .openapi({ example: 'Qm3vXy0aTz9cLr5eKd7hWf1jPg2nSb4uVi6oEqRtC8k' }),
});
export type RefreshInput = z.output<typeof RefreshInput>;

export const Session = z
  .object({
    id: WireId,
    userAgent: z.string().openapi({ example: 'curl/8.5.0' }),
    ip: z.string().openapi({ example: '192.0.2.7' }),
    createdAt: WireInstant,
    lastUsedAt: WireInstant.openapi({ description: 'The last sign-in or refresh' }),
    current: z.boolean().openapi({ description: 'The session of this request' }),
  })
  .openapi('Session');
export type Session = z.output<typeof Session>;
