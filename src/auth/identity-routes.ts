import { answer } from '../http/answer.ts';
import { open, route } from '../http/route.ts';
import { signedIn } from '../sessions/door.ts';
import { SignedInAnswer } from '../sessions/schema.ts';
import { linkGoogle, logInByGoogle } from './google.ts';
import { removeIdentity } from './identities.ts';
import { GoogleInput, Me, TelegramInput, TelegramLoginInput } from './schema.ts';
import { linkTelegram, logInByTelegram } from './telegram.ts';

/** Sign-in by those who know people elsewhere. */
export const identityRoutes = [
  route({
    method: 'post',
    path: '/auth/login/google',
    door: open,
    limit: 'auth',
    body: GoogleInput,
    status: 200,
    answer: SignedInAnswer,
    refuses: [403],
    tag: 'Accounts',
    summary: 'Sign in by Google',
    description:
      'The first time it opens an account with its default workspace. An address that has an account already is linked to it only where Google is authoritative: `@gmail.com`, or a verified address of a Google Workspace (`hd`); for others, sign in and link. 403 for someone new while sign-up is closed, 503 while Google’s keys are not to be had.',
    handle: ({ deps, visitor, body }) => logInByGoogle(deps, visitor, body),
  }),
  route({
    method: 'post',
    path: '/auth/login/telegram',
    door: open,
    limit: 'auth',
    body: TelegramLoginInput,
    status: 200,
    answer: SignedInAnswer,
    alsoAnswers: { status: 201, description: 'Someone new: a confirmation is on its way to the address' },
    refuses: [403],
    tag: 'Accounts',
    summary: 'Sign in by Telegram',
    description:
      'Takes the fields of the Telegram login widget, once, and at most an hour old. A Telegram account that is not linked yet needs `email` and signs up: 201 without a body, and the mailed token goes to `/auth/register/confirm`. Without `email` it is 400, and the same fields may be sent again with it. 403 for someone new while sign-up is closed.',
    handle: async ({ deps, visitor, body }) =>
      (await logInByTelegram(deps, visitor, body)) ?? answer(visitor.requestId, 201),
  }),
  route({
    method: 'post',
    path: '/me/google',
    door: signedIn,
    body: GoogleInput,
    status: 200,
    answer: Me,
    tag: 'Me',
    summary: 'Link Google',
    description: 'A notice goes to your address. A token that does not work is 400, path `idToken`.',
    handle: ({ deps, who, body }) => linkGoogle(deps, who, body),
  }),
  route({
    method: 'delete',
    path: '/me/google',
    door: signedIn,
    status: 204,
    tag: 'Me',
    summary: 'Unlink Google',
    description:
      'A notice goes to your address. A mailed code still signs in, where there is no other way left.',
    handle: ({ deps, who }) => removeIdentity(deps, who, 'google'),
  }),
  route({
    method: 'post',
    path: '/me/telegram',
    door: signedIn,
    body: TelegramInput,
    status: 200,
    answer: Me,
    tag: 'Me',
    summary: 'Link Telegram',
    description: 'A notice goes to your address. Fields that do not work are 400, path `hash`.',
    handle: ({ deps, who, body }) => linkTelegram(deps, who, body),
  }),
  route({
    method: 'delete',
    path: '/me/telegram',
    door: signedIn,
    status: 204,
    tag: 'Me',
    summary: 'Unlink Telegram',
    description:
      'A notice goes to your address. A mailed code still signs in, where there is no other way left.',
    handle: ({ deps, who }) => removeIdentity(deps, who, 'telegram'),
  }),
];
