import { z } from '@hono/zod-openapi';
import { enumeration, WireId, WireInstant } from '../http/fields.ts';
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
    expiresIn: z.int().openapi({ description: 'Seconds that the access token works', example: 900 }),
  })
  .openapi('TokenPair');
export type TokenPair = z.output<typeof TokenPair>;

/** One object rather than a union, which generated clients could not read a token from. */
export const SignInResponse = TokenPair.partial()
  .extend({ user: User })
  .openapi('SignIn', { description: 'Where the body asked for a cookie, the user alone' });
export type SignInResponse = z.output<typeof SignInResponse>;

const SessionMode = enumeration('SessionMode', 'Session', ['token', 'cookie'], {
  description:
    'Where the session is kept. `token`, the default: in the tokens of the response. `cookie`, for pages of this server: in a cookie that no script can read, and the response holds the user alone',
  example: 'token',
});
export type SessionMode = z.output<typeof SessionMode>;

/** Of every body that signs someone in. */
export const sessionField = { session: SessionMode.optional() };

export const RefreshInput = z
  .object({
    refreshToken: z
      .string({ error: 'refreshToken is required' })
      .min(1, 'refreshToken is required')
      .openapi({ example: 'Qm3vXy0aTz9cLr5eKd7hWf1jPg2nSb4uVi6oEqRtC8k' }),
  })
  .openapi('RefreshTokenInput');
export type RefreshInput = z.output<typeof RefreshInput>;

export const LogoutInput = RefreshInput.partial().openapi('Logout');
export type LogoutInput = z.output<typeof LogoutInput>;

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
