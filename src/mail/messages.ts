import { html } from 'hono/html';
import type { Config } from '../config.ts';

/** A mail's content, ready to be sent. */
export interface Message {
  subject: string;
  text: string;
  html: string;
  /** What it carries, for those who read mails on the console. */
  link?: string;
  token?: string;
  code?: string;
}

// What people typed (names, titles) stays out of mails to addresses that are not proved theirs: a stranger must not
// be able to send words of their own through us.

export const confirmSignup = (config: Config, token: string): Message =>
  message({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      'Someone, most likely you, signed up for Errand with this address. Confirm it to open your account.',
      'The link works for 24 hours. If it was not you, ignore this mail: no account is made.',
    ],
    ...linkTo(config, 'confirm_signup', 'Confirm my address', token),
  });

// Here a stranger's name is the point: whoever confirms opens an account that this Telegram account enters.
export const confirmTelegramSignup = (config: Config, telegramAccount: string, token: string): Message =>
  message({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Someone signed up for Errand with this address, to sign in by the Telegram account ${telegramAccount}. If it is yours, confirm the address to open your account.`,
      'The link works for 24 hours. If it was not you, ignore this mail: no account is made. Confirm nothing for others: that Telegram account could then sign in.',
    ],
    ...linkTo(config, 'confirm_signup', 'Confirm my address', token),
  });

export const accountExists = (): Message =>
  message({
    subject: 'You already have an account',
    paragraphs: [
      'Someone, perhaps you, tried to sign up for Errand with this address, but it has an account already. Nothing was changed.',
      'Sign in as usual. If you forgot your password, ask for a reset or for a sign-in code.',
    ],
  });

export const loginCode = (code: string): Message =>
  message({
    subject: 'Your sign-in code',
    paragraphs: [
      'Enter this code to sign in to Errand. It works for 10 minutes, and once.',
      'If you did not ask for it, ignore this mail and give the code to no one.',
    ],
    code,
  });

export const resetPassword = (config: Config, token: string): Message =>
  message({
    subject: 'Reset your password',
    paragraphs: [
      'Someone, most likely you, asked to reset the password of your Errand account.',
      'The link works for 30 minutes, and once. If it was not you, ignore this mail: your password stays as it is.',
    ],
    ...linkTo(config, 'reset_password', 'Choose a new password', token),
  });

export const passwordChanged = (): Message =>
  message({
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your Errand account was just set or changed, and other sessions were ended.',
      'If it was not you, ask for a password reset at once.',
    ],
  });

export const passwordRemoved = (): Message =>
  message({
    subject: 'Your password was removed',
    paragraphs: [
      'A change of the address of your Errand account was undone, and with it the password that was set since. A sign-in code sent to this address always signs in.',
      'To have a password again, ask for a password reset.',
    ],
  });

export const signInMethodChanged = (method: string, change: 'added' | 'removed'): Message =>
  message({
    subject: `${method} was ${change} as a way to sign in`,
    paragraphs: [
      change === 'added'
        ? `From now on a ${method} account also signs in to your Errand account.`
        : `From now on ${method} does not sign in to your Errand account any more. A sign-in code sent to this address always does.`,
      'If it was not you, ask for a password reset at once, which ends all sessions, and look at your ways to sign in.',
    ],
  });

export const confirmEmail = (config: Config, token: string): Message =>
  message({
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      'Someone, most likely you, asked to use this address for their Errand account.',
      'The link works for 30 minutes, and once. If it was not you, ignore this mail: nothing changes.',
    ],
    ...linkTo(config, 'confirm_email', 'Use this address', token),
  });

export const addressTaken = (): Message =>
  message({
    subject: 'Someone asked to use your address',
    paragraphs: [
      'Someone asked to use this address for their Errand account, but it belongs to yours already. Nothing was changed.',
    ],
  });

export const keepEmail = (config: Config, newEmail: string, token: string): Message =>
  message({
    subject: 'Your e-mail address is about to change',
    paragraphs: [
      `Someone, most likely you, asked to change the address of your Errand account to ${newEmail}.`,
      'If it was not you, keep your address with the link below: it cancels the change. If the change has happened it is undone: all sessions end, and a password set since, or a Google or Telegram account linked since, does not sign in any more. The link works for 7 days.',
    ],
    ...linkTo(config, 'keep_email', 'Keep my address', token),
  });

// An invitation must say whom it is from, so it names the inviter by what is proved and leaves no room for words:
// their address. The title of the workspace and their name are told inside, to those who have an account.
export const invitation = (config: Config, inviterEmail: string, role: string, token: string): Message =>
  message({
    subject: 'You are invited to a workspace',
    paragraphs: [
      `${inviterEmail} invites you to share a workspace in Errand, as ${role}. If you have no account yet, sign up with this address.`,
      'The link works for 7 days. If you do not know the sender, ignore this mail: nothing happens.',
    ],
    ...linkTo(config, 'accept_invitation', 'See the invitation', token),
  });

export const sessionsEnded = (): Message =>
  message({
    subject: 'You were signed out everywhere',
    paragraphs: [
      'A sign-in of your Errand account was used twice, which can mean that someone copied it. To be safe, all your sessions were ended.',
      'Sign in again. If this comes back, change your password.',
    ],
  });

export const deliveryTest = (): Message =>
  message({ subject: 'A test of mail delivery', paragraphs: ['Mails from your Errand server arrive.'] });

/** To the built-in page of that name, unless the settings know another. */
function linkTo(
  { mail, server }: Config,
  page: 'confirm_signup' | 'reset_password' | 'confirm_email' | 'accept_invitation' | 'keep_email',
  label: string,
  token: string,
) {
  const template = mail[`link_${page}`] || `${server.public_url}/${page.replace('_', '-')}#token={token}`;
  return { link: { label, url: template.replaceAll('{token}', encodeURIComponent(token)) }, token };
}

export function message(content: {
  subject: string;
  paragraphs: string[];
  link?: { label: string; url: string };
  token?: string;
  code?: string;
}): Message {
  const { subject, paragraphs, link, token, code } = content;
  const facts = [link && `Link: ${link.url}`, token && `Token: ${token}`, code && `Code: ${code}`];
  return {
    subject,
    text: [...paragraphs, facts.filter(Boolean).join('\n')].filter(Boolean).join('\n\n'),
    html: htmlOf(content),
    ...(link && { link: link.url }),
    ...(token && { token }),
    ...(code && { code }),
  };
}

const htmlOf = ({ subject, paragraphs, link, token, code }: Parameters<typeof message>[0]): string =>
  String(html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head><body style="font-family:sans-serif;max-width:34em;line-height:1.5">
${paragraphs.map((text) => html`<p>${text}</p>\n`)}${
  link && html`<p><a href="${link.url}">${link.label}</a></p>\n`
}${token !== undefined && html`<p>Token, for programs: <code>${token}</code></p>\n`}${
  code !== undefined && html`<p style="font-size:1.6em"><code>${code}</code></p>\n`
}</body></html>
`);
