import { respond } from '../../http/response.ts';
import { route, tagged } from '../../http/route.ts';
import { signedIn } from '../../sessions/authentication.ts';
import { signInResponse } from '../complete-sign-in.ts';
import { respondSignedIn, signingIn } from '../publicly.ts';
import { GoogleInput, GoogleLoginInput, Me, TelegramInput, TelegramLoginInput } from '../schema.ts';
import { linkGoogle, logInByGoogle } from './google/google.ts';
import { removeIdentity } from './identities.ts';
import { linkTelegram, logInByTelegram } from './telegram/telegram.ts';

/** Sign-in by those who know people elsewhere. */
export const identityRoutes = [
  ...tagged('Accounts', [
    route({
      ...signingIn,
      path: '/auth/login/google',
      body: GoogleLoginInput,
      errors: [401, 403],
      operationId: 'loginWithGoogle',
      summary: 'Sign in by Google',
      description:
        'The first time it opens an account with its default workspace. An address that has an account already is linked to it only where Google is authoritative: `@gmail.com`, or a verified address of a Google Workspace (`hd`); for others, sign in and link. 403 for someone new while sign-up is closed, 503 while Google’s keys cannot be fetched.',
      handle: respondSignedIn(logInByGoogle),
    }),
    route({
      ...signingIn,
      path: '/auth/login/telegram',
      body: TelegramLoginInput,
      otherResponses: {
        status: 201,
        description: 'Someone new: a confirmation is on its way to the address',
      },
      errors: [401, 403],
      operationId: 'loginWithTelegram',
      summary: 'Sign in by Telegram',
      description:
        'Takes the fields of the Telegram login widget, once, and at most an hour old. A Telegram account that is not linked yet needs `email` and signs up: 201 without a body, and the mailed token goes to `/auth/register/confirm`. Without `email` it is 400, and the same fields may be sent again with it. 403 for someone new while sign-up is closed.',
      handle: async ({ deps, requestContext, body }) => {
        const signIn = await logInByTelegram(deps, requestContext, body);
        return signIn
          ? signInResponse(deps, requestContext, 200, signIn)
          : respond(requestContext.requestId, 201);
      },
    }),
  ]),
  ...tagged('Me', [
    route({
      method: 'post',
      path: '/me/google',
      guard: signedIn,
      body: GoogleInput,
      response: Me,
      operationId: 'linkGoogle',
      summary: 'Link Google',
      description: 'A notice goes to your address. A token that does not work is 400, path `idToken`.',
      handle: ({ deps, who, body }) => linkGoogle(deps, who, body),
    }),
    route({
      method: 'delete',
      path: '/me/google',
      guard: signedIn,
      operationId: 'unlinkGoogle',
      summary: 'Unlink Google',
      description:
        'A notice goes to your address. A mailed code still signs in, where there is no other way left.',
      handle: ({ deps, who }) => removeIdentity(deps, who, 'google'),
    }),
    route({
      method: 'post',
      path: '/me/telegram',
      guard: signedIn,
      body: TelegramInput,
      response: Me,
      operationId: 'linkTelegram',
      summary: 'Link Telegram',
      description: 'A notice goes to your address. Fields that do not work are 400, path `hash`.',
      handle: ({ deps, who, body }) => linkTelegram(deps, who, body),
    }),
    route({
      method: 'delete',
      path: '/me/telegram',
      guard: signedIn,
      operationId: 'unlinkTelegram',
      summary: 'Unlink Telegram',
      description:
        'A notice goes to your address. A mailed code still signs in, where there is no other way left.',
      handle: ({ deps, who }) => removeIdentity(deps, who, 'telegram'),
    }),
  ]),
];
