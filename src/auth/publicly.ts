import type { Deps } from '../deps.ts';
import type { RequestContext } from '../http/request-context.ts';
import { open } from '../http/route.ts';
import { SignInResponse } from '../sessions/schema.ts';
import { type SignIn, signInResponse } from './complete-sign-in.ts';

/** What the routes share that work before sign-in. */
export const publicly = { guard: open, limit: 'auth', shortBody: true, errors: [401] } as const;

/** What those share that sign in. */
export const signingIn = { ...publicly, method: 'post', signsIn: true, response: SignInResponse } as const;

/** The handler of one. */
export const respondSignedIn =
  <Input>(
    signIn: (deps: Deps, requestContext: RequestContext, input: Input) => Promise<SignIn>,
    status: 200 | 201 = 200,
  ) =>
  async ({ deps, requestContext, body }: { deps: Deps; requestContext: RequestContext; body: Input }) =>
    signInResponse(deps, requestContext, status, await signIn(deps, requestContext, body));
