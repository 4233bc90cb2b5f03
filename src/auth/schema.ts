import { z } from '@hono/zod-openapi';
import { MailedToken, WireInstant } from '../http/fields.ts';
import { Email, Name, OfferedPassword, Password, User } from '../users/schema.ts';

const ID_TOKEN_CHARACTERS_AT_MOST = 8_192;

export const RegisterInput = z.object({
  email: Email,
  password: Password,
  name: Name,
  invitationToken: MailedToken.optional().openapi({
    description:
      'From an invitation to this address: the confirmation accepts it. The only way in while sign-up is closed',
  }),
});
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

export const GoogleInput = z.object({
  idToken: z
    .string({ error: 'idToken is required' })
    .min(1, 'idToken is required')
    .max(ID_TOKEN_CHARACTERS_AT_MOST, 'idToken is too long')
    .openapi({
      description: 'A Google ID token for one of this server’s client ids',
      example: 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxMTAifQ.c2lnbmF0dXJl',
    }),
});
export type GoogleInput = z.output<typeof GoogleInput>;

/** A number as the widget's callback has it, or its digits, as a redirect brings it. */
const numeral = (name: string, example: number) =>
  z
    .union([z.int().positive(), z.string().regex(/^[1-9]\d{0,15}$/)], {
      error: `${name} must be a whole number`,
    })
    .openapi({ type: ['integer', 'string'], example });

/** One line of what is signed: with a break in it, one field could pass for two. */
const line = (name: string, most: number) =>
  z
    .string({ error: `${name} must be a string` })
    .max(most, `${name} is too long`)
    .refine((text) => !/[\r\n]/.test(text), `${name} must be one line`);

/** What the Telegram login widget hands over, to be passed on unchanged. */
export const TelegramInput = z.object({
  id: numeral('id', 424_242),
  first_name: line('first_name', 256).openapi({ example: 'Ada' }),
  last_name: line('last_name', 256).optional().openapi({ example: 'Lovelace' }),
  username: line('username', 256).optional().openapi({ example: 'ada' }),
  photo_url: line('photo_url', 2_048).optional(),
  auth_date: numeral('auth_date', 1_795_944_600),
  hash: line('hash', 512).openapi({
    example: 'f1d2a7c4b35e9086f1d2a7c4b35e9086f1d2a7c4b35e9086f1d2a7c4b35e9086',
  }),
});
export type TelegramInput = z.output<typeof TelegramInput>;

export const TelegramLoginInput = TelegramInput.extend({
  email: Email.optional().openapi({ description: 'For a Telegram account that is not linked yet' }),
});
export type TelegramLoginInput = z.output<typeof TelegramLoginInput>;

/** What is answered where the truth would tell a stranger too much. */
export const MessageAnswer = z
  .object({
    message: z.string().openapi({ example: 'If this address has an account, a mail is on its way' }),
  })
  .openapi('Message');
export type MessageAnswer = z.output<typeof MessageAnswer>;

export const Me = User.extend({
  hasPassword: z.boolean(),
  googleLinked: z.boolean(),
  telegramLinked: z.boolean(),
  createdAt: WireInstant,
}).openapi('Me');
export type Me = z.output<typeof Me>;

export const MeInput = z.object({ name: Name.optional() });
export type MeInput = z.output<typeof MeInput>;

export const PasswordInput = z
  .object({ currentPassword: OfferedPassword.optional(), newPassword: Password })
  .openapi({
    example: { currentPassword: 'correct horse battery staple', newPassword: 'a quieter horse, unplugged' },
  });
export type PasswordInput = z.output<typeof PasswordInput>;

export const RemovalInput = z.object({
  password: OfferedPassword.optional().openapi({ description: 'Of an account that has one' }),
  email: Email.optional().openapi({ description: 'Of an account without a password' }),
});
export type RemovalInput = z.output<typeof RemovalInput>;
