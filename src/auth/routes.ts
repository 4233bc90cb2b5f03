import { route, tagged } from '../http/route.ts';
import { signedIn } from '../sessions/authentication.ts';
import { confirmChange, requestChange, revertChange } from './email/email-change.ts';
import { readLink } from './email/links.ts';
import { confirmCode, requestCode } from './email/login-code.ts';
import { confirmSignup, register, registerInvited, registerIssues } from './email/signup.ts';
import { authOptions } from './options.ts';
import { logIn } from './password/login.ts';
import { confirmReset, requestReset } from './password/password-reset.ts';
import { publicly, respondSignedIn, signingIn } from './publicly.ts';
import {
  AuthOptions,
  CodeInput,
  ConfirmInput,
  EmailChangeInput,
  EmailInput,
  InvitedInput,
  LinkResponse,
  LoginInput,
  MessageResponse,
  RegisterInput,
  ResetInput,
  TokenInput,
} from './schema.ts';

export const authRoutes = tagged('Accounts', [
  route({
    ...publicly,
    method: 'get',
    path: '/auth/options',
    response: AuthOptions,
    operationId: 'getAuthOptions',
    summary: 'Read the ways to sign in',
    description: 'What this server offers to someone who is not signed in. The same for everyone.',
    handle: ({ deps }) => authOptions(deps),
  }),
  route({
    ...publicly,
    method: 'post',
    path: '/auth/register',
    hashes: true,
    body: RegisterInput,
    validateReferences: ({ deps, body }) => registerIssues(deps, body),
    status: 201,
    errors: [401, 403],
    operationId: 'register',
    summary: 'Sign up',
    description:
      'Mails a confirmation token. New, pending and existing addresses get the same response; the owner of an existing one is told by mail.',
    handle: ({ deps, requestContext, body }) => register(deps, requestContext, body),
  }),
  route({
    ...signingIn,
    path: '/auth/register/confirm',
    body: ConfirmInput,
    status: 201,
    operationId: 'confirmRegistration',
    summary: 'Confirm a sign-up',
    description:
      'Opens the account with its default workspace, and signs in. Where another sign-up of that address was made within 24 hours with another password, the account opens **without** a password, and a mail says so (`hasPassword` of `GET /me` tells): a stranger may have chosen it. The `password` of this sign-up, given here, is kept all the same; else `POST /me/password` sets one. Of one address the oldest 5 sign-ups can be confirmed.',
    handle: respondSignedIn(confirmSignup, 201),
  }),
  route({
    ...signingIn,
    path: '/auth/register/invited',
    hashes: true,
    body: InvitedInput,
    status: 201,
    operationId: 'registerInvited',
    summary: 'Sign up by an invitation',
    description:
      'Opens an account for the address that the invitation was mailed to, accepts it, and signs in, in one step: the mailed token proves the address. Works while sign-up is closed too. 401 for a token that does not work, and where the address has an account already: sign in to that one and accept.',
    handle: respondSignedIn(registerInvited, 201),
  }),
  route({
    ...signingIn,
    path: '/auth/login',
    hashes: true,
    body: LoginInput,
    operationId: 'login',
    summary: 'Sign in by password',
    description:
      'Returns a token pair and the user. 401 for an unknown address, an account without a password and a wrong password alike.',
    handle: respondSignedIn(logIn),
  }),
  route({
    ...publicly,
    method: 'post',
    path: '/auth/login/code',
    body: EmailInput,
    response: MessageResponse,
    operationId: 'requestLoginCode',
    summary: 'Ask for a sign-in code',
    description:
      'Mails six digits, valid for 10 minutes and 5 attempts, to a registered address. Only the newest that was mailed works.',
    handle: ({ deps, body }) => requestCode(deps, body),
  }),
  route({
    ...signingIn,
    path: '/auth/login/code/confirm',
    body: CodeInput,
    operationId: 'confirmLoginCode',
    summary: 'Sign in by code',
    description:
      'Returns a token pair and the user. A code is valid for 10 minutes and 5 attempts, and only the newest one works.',
    handle: respondSignedIn(confirmCode),
  }),
  route({
    ...publicly,
    method: 'post',
    path: '/auth/password/reset/request',
    body: EmailInput,
    response: MessageResponse,
    operationId: 'requestPasswordReset',
    summary: 'Ask for a password reset',
    description:
      'Mails a link that is valid for 30 minutes. The response is the same for every well-formed address.',
    handle: ({ deps, body }) => requestReset(deps, body),
  }),
  route({
    ...publicly,
    method: 'post',
    path: '/auth/password/reset/confirm',
    hashes: true,
    body: ResetInput,
    operationId: 'confirmPasswordReset',
    summary: 'Set a new password',
    description: 'Ends every session. A password that is too weak is 400 and does not spend the token.',
    handle: ({ deps, requestContext, body }) => confirmReset(deps, requestContext, body),
  }),
  route({
    method: 'post',
    path: '/auth/email/change/request',
    guard: signedIn,
    body: EmailChangeInput,
    shortBody: true,
    response: MessageResponse,
    operationId: 'requestEmailChange',
    summary: 'Ask for a change of e-mail address',
    description: 'Mails a confirmation to the new address, and to the old one a link that keeps it.',
    handle: ({ deps, who, body }) => requestChange(deps, who, body),
  }),
  route({
    ...publicly,
    method: 'post',
    path: '/auth/email/change/confirm',
    body: TokenInput,
    operationId: 'confirmEmailChange',
    summary: 'Confirm a change of e-mail address',
    description: 'Tokens mailed to the old address stop working; sessions live on.',
    handle: ({ deps, body }) => confirmChange(deps, body),
  }),
  route({
    ...publicly,
    method: 'post',
    path: '/auth/email/change/revert',
    body: TokenInput,
    operationId: 'revertEmailChange',
    summary: 'Keep an e-mail address',
    description:
      "Cancels a change of address, with the token mailed to the old address. A change that has happened is undone, also where the address has come back since: all sessions end, and every way to sign in that was added in the 7 days before it was first asked for, or since, is removed: a linked Google or Telegram account, and a password (then set a new one by `/auth/password/reset/request`). What the sign-up brought stays. While the address is another account's it is 401, and the token stays good.",
    handle: ({ deps, body }) => revertChange(deps, body),
  }),
  route({
    ...publicly,
    method: 'post',
    path: '/auth/links/read',
    operationId: 'readMailedLink',
    body: TokenInput,
    response: LinkResponse,
    summary: 'Read what a mailed token is about',
    description:
      'For pages that mailed links open: tells what a token does before it is spent, and does not spend it. 401 for one that does not work.',
    handle: ({ deps, body }) => readLink(deps, body),
  }),
]);
