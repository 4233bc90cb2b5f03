import { expect } from 'vitest';
import { world } from './ada.ts';

// The steps of signing in, and of all that is mailed for it, in the world of the test under way.

/** A token out of a list, which may have none. */
type Given = string | undefined;

export const post = (path: string, body: unknown, token?: string) =>
  world.call('POST', path, { body, token });
/** The token in the newest mail to an address. */
export const tokenTo = async (email: string) => (await world.mailTo(email)).token ?? '';
export const codeTo = async (email: string) => {
  expect((await post('/auth/login/code', { email })).status).toBe(200);
  return (await world.mailTo(email.toLowerCase())).code ?? '';
};
export const confirmCode = (email: string, code: unknown) =>
  post('/auth/login/code/confirm', { email, code });
export const askForEmail = (accessToken: string, newEmail: string) =>
  post('/auth/email/change/request', { newEmail }, accessToken);
export const confirmEmail = (token: Given) => post('/auth/email/change/confirm', { token });
export const keepEmail = (token: Given) => post('/auth/email/change/revert', { token });
export const changeEmail = async (accessToken: string, newEmail: string) => {
  await askForEmail(accessToken, newEmail);
  expect((await confirmEmail(await tokenTo(newEmail))).status).toBe(204);
};
/** The status of reading one's account: whether an access token works. */
export const me = async (token: Given) => (await world.call('GET', '/me', { token })).status;
export const logIn = (email: string, password: string) => post('/auth/login', { email, password });
export const refresh = (refreshToken: string) => post('/auth/refresh', { refreshToken });
export const logOut = (accessToken: string, refreshToken: string) =>
  post('/auth/logout', { refreshToken }, accessToken);
export const logInByCode = async (email: string) => confirmCode(email, await codeTo(email));
export const register = (email: string, password = 'password1', name = 'New') =>
  post('/auth/register', { email, password, name });
export const confirmSignup = (token: Given) => post('/auth/register/confirm', { token });
export const resetTokenTo = async (email: string) => {
  expect((await post('/auth/password/reset/request', { email })).status).toBe(200);
  return tokenTo(email);
};
export const confirmReset = (token: Given, newPassword = 'new password') =>
  post('/auth/password/reset/confirm', { token, newPassword });
