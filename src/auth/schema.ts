import { z } from '@hono/zod-openapi';
import { Email, Name, OfferedPassword, Password, User } from '../users/schema.ts';

const TOKEN_CHARACTERS_AT_MOST = 512;

const MailedToken = z
  .string({ error: 'Token is required' })
  .min(1, 'Token is required')
  .max(TOKEN_CHARACTERS_AT_MOST, 'Token is too long')
  .openapi({ description: 'From the mail' });

export const RegisterInput = z.object({ email: Email, password: Password, name: Name });
export type RegisterInput = z.output<typeof RegisterInput>;

export const TokenInput = z.object({ token: MailedToken });
export type TokenInput = z.output<typeof TokenInput>;

export const LoginInput = z.object({ email: Email, password: OfferedPassword });
export type LoginInput = z.output<typeof LoginInput>;

export const EmailInput = z.object({ email: Email });
export type EmailInput = z.output<typeof EmailInput>;

export const CodeInput = z.object({
  email: Email,
  code: z
    .string({ error: 'Code must be a string of digits' })
    .regex(/^\d{1,16}$/, 'Code must be a string of digits')
    .openapi({ example: '042137' }),
});
export type CodeInput = z.output<typeof CodeInput>;

export const ResetInput = z.object({ token: MailedToken, newPassword: Password });
export type ResetInput = z.output<typeof ResetInput>;

export const EmailChangeInput = z.object({ newEmail: Email });
export type EmailChangeInput = z.output<typeof EmailChangeInput>;

/** What is answered where the truth would tell a stranger too much. */
export const MessageAnswer = z.object({ message: z.string() }).openapi('Message');
export type MessageAnswer = z.output<typeof MessageAnswer>;

export const Me = User.extend({
  hasPassword: z.boolean(),
  googleLinked: z.boolean(),
  telegramLinked: z.boolean(),
  createdAt: z.string(),
}).openapi('Me');
export type Me = z.output<typeof Me>;

export const MeInput = z.object({ name: Name.optional() });
export type MeInput = z.output<typeof MeInput>;

export const PasswordInput = z.object({ currentPassword: OfferedPassword.optional(), newPassword: Password });
export type PasswordInput = z.output<typeof PasswordInput>;
