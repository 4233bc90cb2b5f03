import { z } from '@hono/zod-openapi';
import {
  enumeration,
  MailedToken,
  orNull,
  TimeZone,
  TimeZoneInput,
  Weekday,
  WireInstant,
} from '../http/fields.ts';
import { sessionField } from '../sessions/schema.ts';
import { Email, Name, OfferedPassword, Password, User } from '../users/schema.ts';
import { LesserRole } from '../workspaces/schema.ts';

const MAX_ID_TOKEN_CHARACTERS = 8_192;

export const RegisterInput = z
  .object({
    email: Email,
    password: Password,
    name: Name,
    invitationToken: MailedToken.optional().openapi({
      description:
        'From an invitation to this address: the confirmation accepts it. The only way in while sign-up is closed',
    }),
  })
  .openapi('Registration');
export type RegisterInput = z.output<typeof RegisterInput>;

export const TokenInput = z.object({ token: MailedToken }).openapi('EmailTokenInput');
export type TokenInput = z.output<typeof TokenInput>;

export const ConfirmInput = TokenInput.extend({
  password: OfferedPassword.optional().openapi({
    description:
      'The password of the sign-up. Only needed where the address was signed up with several passwords: without it, or with another one, the account then opens without a password',
  }),
  ...sessionField,
}).openapi('RegistrationConfirmation');
export type ConfirmInput = z.output<typeof ConfirmInput>;

export const InvitedInput = z
  .object({ invitationToken: MailedToken, name: Name, password: Password, ...sessionField })
  .openapi('InvitedRegistration');
export type InvitedInput = z.output<typeof InvitedInput>;

const GoogleOptions = z
  .object({ clientId: z.string().openapi({ example: '1234-abcd.apps.googleusercontent.com' }) })
  .openapi('GoogleOptions');
const TelegramOptions = z
  .object({
    botName: z.string().openapi({ example: 'errand_bot' }),
    botId: z.string().openapi({ example: '110201543' }),
  })
  .openapi('TelegramOptions');

/** Which ways to sign in this server offers. */
export const AuthOptions = z
  .object({
    signup: enumeration('SignupPolicy', 'Signup', ['open', 'closed'], {
      description: 'While it is `closed`, only those who are invited can sign up',
    }),
    google: orNull(GoogleOptions),
    telegram: orNull(TelegramOptions),
    mail: enumeration('MailTransport', 'Mail', ['smtp', 'console'], {
      description: '`console`: mails are not sent, but written to the output of the server',
    }),
  })
  .openapi('AuthOptions');
export type AuthOptions = z.output<typeof AuthOptions>;

export const LoginInput = z
  .object({ email: Email, password: OfferedPassword, ...sessionField })
  .openapi('Credentials');
export type LoginInput = z.output<typeof LoginInput>;

export const EmailInput = z.object({ email: Email }).openapi('EmailInput');
export type EmailInput = z.output<typeof EmailInput>;

export const CodeInput = z
  .object({
    email: Email,
    code: z
      .string({ error: 'Code must be a string of digits' })
      .regex(/^\d{1,16}$/, 'Code must be a string of digits')
      .openapi({ example: '042137' }),
    ...sessionField,
  })
  .openapi('LoginCode');
export type CodeInput = z.output<typeof CodeInput>;

export const ResetInput = z.object({ token: MailedToken, newPassword: Password }).openapi('PasswordReset');
export type ResetInput = z.output<typeof ResetInput>;

export const EmailChangeInput = z.object({ newEmail: Email }).openapi('EmailChange');
export type EmailChangeInput = z.output<typeof EmailChangeInput>;

export const GoogleInput = z
  .object({
    idToken: z
      .string({ error: 'idToken is required' })
      .min(1, 'idToken is required')
      .max(MAX_ID_TOKEN_CHARACTERS, 'idToken is too long')
      .openapi({
        description: 'A Google ID token for one of this server’s client ids',
        example: 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxMTAifQ.c2lnbmF0dXJl',
      }),
  })
  .openapi('GoogleToken');
export type GoogleInput = z.output<typeof GoogleInput>;

export const GoogleLoginInput = GoogleInput.extend(sessionField).openapi('GoogleLogin');
export type GoogleLoginInput = z.output<typeof GoogleLoginInput>;

const NUMERAL = /^[1-9]\d{0,15}$/;

/** A number as the widget's callback has it, or its digits, as a redirect brings it. */
const numeral = (name: string, example: number) => {
  const error = `${name} must be a whole number above 0`;
  return z
    .union([z.int({ error }).positive({ error }), z.string({ error }).regex(NUMERAL, { error })], { error })
    .openapi({ example });
};

/** One line of what is signed: with a break in it, one field could pass for two. */
const line = (name: string, most: number) =>
  z
    .string({ error: `${name} must be a string` })
    .max(most, `${name} is too long`)
    .refine((text) => !/[\r\n]/.test(text), `${name} must be one line`)
    .openapi({ pattern: '^[^\\r\\n]*$' });

/** What the Telegram login widget hands over, to be passed on unchanged. */
export const TelegramInput = z
  .object({
    id: numeral('id', 424_242),
    first_name: line('first_name', 256).openapi({ example: 'Ada' }),
    last_name: line('last_name', 256).optional().openapi({ example: 'Lovelace' }),
    username: line('username', 256).optional().openapi({ example: 'ada' }),
    photo_url: line('photo_url', 2_048).optional(),
    auth_date: numeral('auth_date', 1_795_944_600),
    hash: line('hash', 512).openapi({
      example: 'f1d2a7c4b35e9086f1d2a7c4b35e9086f1d2a7c4b35e9086f1d2a7c4b35e9086',
    }),
  })
  .openapi('TelegramUser');
export type TelegramInput = z.output<typeof TelegramInput>;

export const TelegramLoginInput = TelegramInput.extend({
  email: Email.optional().openapi({ description: 'For a Telegram account that is not linked yet' }),
  ...sessionField,
}).openapi('TelegramLogin');
export type TelegramLoginInput = z.output<typeof TelegramLoginInput>;

/** The response where the truth would tell a stranger too much. */
export const MessageResponse = z
  .object({
    message: z.string().openapi({ example: 'If this address has an account, a mail is on its way' }),
  })
  .openapi('Message');
export type MessageResponse = z.output<typeof MessageResponse>;

/** The built-in page of that name is for it. */
const LinkPurpose = enumeration('LinkPurpose', 'Purpose', [
  'confirm-signup',
  'reset-password',
  'confirm-email',
  'keep-email',
  'accept-invitation',
]);

export const LinkResponse = z
  .object({
    purpose: LinkPurpose,
    email: z.string().openapi({ description: 'The address it was mailed to', example: 'grace@example.com' }),
    account: z.string().nullable().openapi({
      description:
        'With `confirm-email`: the present address of the account that gets this one, long ones shortened',
      example: null,
    }),
    isChanged: z.boolean().nullable().openapi({
      description: 'With `keep-email`: whether the change has happened, so that it would be undone',
      example: null,
    }),
    inviter: z.string().nullable().openapi({
      description:
        'With `accept-invitation`: who invites, as plain text of at most 60 characters without addresses in it',
      example: 'Ada Lovelace',
    }),
    workspace: z.string().nullable().openapi({
      description:
        'With `accept-invitation`: the title of the workspace, likewise; null where nothing of it can be shown',
      example: "Ada's workspace",
    }),
    role: orNull(LesserRole).openapi({ example: 'member' }),
    hasAccount: z.boolean().nullable().openapi({
      description:
        'With `accept-invitation`: whether the address has an account, which then signs in to accept',
      example: false,
    }),
  })
  .openapi('MailedLink');
export type LinkResponse = z.output<typeof LinkResponse>;

const PREFERENCES_RULE = 'Preferences must be an object of at most 16 KiB';
const MAX_PREFERENCES_BYTES = 16 * 1_024;

/** Not a record, which would drop a key `__proto__`. */
const Preferences = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    PREFERENCES_RULE,
  )
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_PREFERENCES_BYTES, PREFERENCES_RULE)
  .openapi({
    type: 'object',
    additionalProperties: true,
    description: 'For clients to use, at most 16 KiB as JSON; replaced whole',
    example: { theme: 'dark' },
  });

export const Me = User.extend({
  hasPassword: z.boolean(),
  googleLinked: z.boolean(),
  telegramLinked: z.boolean(),
  timezone: orNull(TimeZone).openapi({ description: 'Null until it is set: then UTC applies' }),
  weekStart: Weekday.openapi({ description: 'Monday until it is set' }),
  preferences: Preferences,
  createdAt: WireInstant,
}).openapi('Me');
export type Me = z.output<typeof Me>;

export const MeInput = z
  .object({
    name: Name.optional(),
    timezone: TimeZoneInput.optional(),
    weekStart: Weekday.optional(),
    preferences: Preferences.optional(),
  })
  .openapi('MeChanges');
export type MeInput = z.output<typeof MeInput>;

export const PasswordInput = z
  .object({ currentPassword: OfferedPassword.optional(), newPassword: Password })
  .openapi('PasswordChange', {
    example: { currentPassword: 'correct horse battery staple', newPassword: 'a quieter horse, unplugged' },
  });
export type PasswordInput = z.output<typeof PasswordInput>;

export const RemovalInput = z
  .object({
    password: OfferedPassword.optional().openapi({ description: 'Of an account that has one' }),
    email: Email.optional().openapi({ description: 'Of an account without a password' }),
  })
  .openapi('AccountDeletion');
export type RemovalInput = z.output<typeof RemovalInput>;
