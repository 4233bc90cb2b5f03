import { expect } from 'vitest';
import type { World } from './world.ts';

/** A token out of a list, which may have none. */
type Given = string | undefined;

/** The steps of signing in, and of all that is mailed for it, in the world as it is when one is taken. */
export function signInSteps(world: () => World) {
  const post = (path: string, body: unknown, token?: string) => world().call('POST', path, { body, token });
  /** The token in the newest mail to an address. */
  const tokenTo = async (email: string) => (await world().mailTo(email)).token ?? '';
  const codeTo = async (email: string) => {
    expect((await post('/auth/login/code', { email })).status).toBe(200);
    return (await world().mailTo(email.toLowerCase())).code ?? '';
  };
  const confirmCode = (email: string, code: unknown) => post('/auth/login/code/confirm', { email, code });
  const askForEmail = (accessToken: string, newEmail: string) =>
    post('/auth/email/change/request', { newEmail }, accessToken);
  const confirmEmail = (token: Given) => post('/auth/email/change/confirm', { token });
  return {
    post,
    tokenTo,
    codeTo,
    confirmCode,
    askForEmail,
    confirmEmail,
    keepEmail: (token: Given) => post('/auth/email/change/revert', { token }),
    changeEmail: async (accessToken: string, newEmail: string) => {
      await askForEmail(accessToken, newEmail);
      expect((await confirmEmail(await tokenTo(newEmail))).status).toBe(204);
    },
    /** The status of reading one's account: whether an access token works. */
    me: async (token: Given) => (await world().call('GET', '/me', { token })).status,
    logIn: (email: string, password: string) => post('/auth/login', { email, password }),
    refresh: (refreshToken: string) => post('/auth/refresh', { refreshToken }),
    logOut: (accessToken: string, refreshToken: string) =>
      post('/auth/logout', { refreshToken }, accessToken),
    logInByCode: async (email: string) => confirmCode(email, await codeTo(email)),
    register: (email: string, password = 'password1', name = 'New') =>
      post('/auth/register', { email, password, name }),
    confirmSignup: (token: Given) => post('/auth/register/confirm', { token }),
    resetTokenTo: async (email: string) => {
      expect((await post('/auth/password/reset/request', { email })).status).toBe(200);
      return tokenTo(email);
    },
    confirmReset: (token: Given, newPassword = 'new password') =>
      post('/auth/password/reset/confirm', { token, newPassword }),
  };
}
