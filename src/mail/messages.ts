import { html } from 'hono/html';
import type { Config } from '../config.ts';
import { asRole, plainWords, shownAddress } from './plain-words.ts';

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

// What people typed reaches addresses that are not proved theirs only as `plain-words` lets it: a stranger must not be
// able to send words of their own through us.

export const confirmSignup = (config: Config, token: string): Message =>
  message({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      'Someone, most likely you, signed up for Errand with this address. Confirm it to open your account.',
      'The link works for 24 hours. If it was not you, ignore this mail: no account is made.',
    ],
    ...linkTo(config, 'confirm_signup', 'Confirm my address', token),
  });

// Here a stranger's name is the point: confirming opens an account that this Telegram account signs in to.
export const confirmTelegramSignup = (config: Config, telegramAccount: string, token: string): Message =>
  message({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Someone signed up for Errand with this address, to sign in by the Telegram account ${telegramAccount}. If it is yours, confirm the address to open your account.`,
      'The link works for 24 hours. If it was not you, ignore this mail: no account is made. Confirm nothing for others: that Telegram account could then sign in.',
    ],
    ...linkTo(config, 'confirm_signup', 'Confirm my address', token),
  });

/** For a sign-up beyond those that are kept: it cannot be confirmed, an earlier one can. */
export const signupsWaiting = (config: Config, email: string): Message =>
  message({
    subject: 'Use an earlier mail to confirm your address',
    paragraphs: [
      `Someone, most likely you, signed up again with ${accountAt(config, email)}. Several sign-ups of this address wait to be confirmed already, and only those can be: open the link of an earlier mail.`,
      'Where they have different passwords, your account opens without one, and you set it then. If it was not you, ignore this mail: no account is made.',
    ],
  });

export const openedWithoutPassword = (config: Config, email: string): Message =>
  message({
    subject: 'Your account has no password yet',
    paragraphs: [
      `You have confirmed a sign-up with ${accountAt(config, email)}. This address was signed up several times within a day, with different passwords. Some may not be yours, so your account has none.`,
      'A sign-in code sent to this address signs you in, and a password reset sets a password.',
    ],
  });

export const accountExists = (config: Config, email: string): Message =>
  message({
    subject: 'You already have an account',
    paragraphs: [
      `Someone, perhaps you, tried to sign up with ${accountAt(config, email)}, but it has an account already. Nothing was changed.`,
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

export const passwordChanged = (config: Config, email: string): Message =>
  message({
    subject: 'Your password was changed',
    paragraphs: [
      `The password of ${accountAt(config, email)} was just set or changed, and other sessions were ended.`,
      'If it was not you, ask for a password reset at once.',
    ],
  });

export const passwordRemoved = (config: Config, email: string): Message =>
  message({
    subject: 'Your password was removed',
    paragraphs: [
      `A change of address was undone for ${accountAt(config, email)}. The password that was set in the week before that change was asked for, or since, was removed with it. A sign-in code sent to this address always signs in.`,
      'To have a password again, ask for a password reset.',
    ],
  });

export const signInMethodChanged = (
  config: Config,
  email: string,
  method: string,
  change: 'added' | 'removed',
): Message =>
  message({
    subject: `${method} was ${change} as a way to sign in`,
    paragraphs: [
      change === 'added'
        ? `From now on a ${method} account also signs in to ${accountAt(config, email)}.`
        : `From now on ${method} no longer signs in to ${accountAt(config, email)}. A sign-in code sent to this address always does.`,
      'If it was not you, ask for a password reset at once, which ends all sessions, and look at your ways to sign in.',
    ],
  });

// Confirming takes over an account that someone else may have made, and can take back.
export const confirmEmail = (config: Config, presentEmail: string, token: string): Message =>
  message({
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `Someone, most likely you, asked to use this address for an Errand account that exists already: the one of ${shownAddress(presentEmail)} at ${config.server.public_url}.`,
      'Confirm only if that account is yours: this opens no account of your own, it takes over that one, with everything in it. Its present owner can take it back for 7 days.',
      'The link works for 30 minutes, and once. If it was not you, ignore this mail: nothing changes.',
    ],
    ...linkTo(config, 'confirm_email', 'Use this address', token),
  });

export const addressTaken = (config: Config, email: string): Message =>
  message({
    subject: 'Someone asked to use your address',
    paragraphs: [
      `Someone asked to use this address for their account, but it belongs to yours already: ${accountAt(config, email)}. Nothing was changed.`,
    ],
  });

export const keepEmail = (config: Config, newEmail: string, token: string): Message =>
  message({
    subject: 'Your e-mail address is about to change',
    paragraphs: [
      `Someone, most likely you, asked to change the address of your Errand account to ${newEmail}.`,
      'If it was not you, keep your address with the link below: it cancels the change. If the change has happened it is undone: all sessions end, and passwords set, or Google or Telegram accounts linked, in the 7 days before it was asked for or since no longer sign in. The link works for 7 days.',
    ],
    ...linkTo(config, 'keep_email', 'Keep my address', token),
  });

export const invitation = (
  config: Config,
  { inviter, workspaceTitle, role }: { inviter: Inviter; workspaceTitle: string; role: string },
  token: string,
): Message =>
  message({
    subject: 'You are invited to a workspace',
    paragraphs: [
      `${inviterShown(inviter)} invites you to ${workspaceShown(workspaceTitle)} in Errand at ${config.server.public_url}, ${asRole(role)}. If you have no account yet, sign up with this address.`,
      'The link works for 7 days. If you do not know the sender, ignore this mail: nothing happens.',
    ],
    ...linkTo(config, 'accept_invitation', 'See the invitation', token),
  });

/** To who became the owner of a workspace, and to who was. */
export const ownerChanged = (
  config: Config,
  {
    to,
    other,
    workspaceTitle,
    isNew,
  }: { to: string; other: Inviter; workspaceTitle: string; isNew: boolean },
): Message =>
  message({
    subject: isNew ? 'You own a workspace now' : 'You handed a workspace over',
    paragraphs: isNew
      ? [
          `${inviterShown(other)} handed ${workspaceShown(workspaceTitle)} over to ${accountAt(config, to)}.`,
          'You can delete it and hand it over yourself, and what it holds counts toward your quotas.',
        ]
      : [
          `${inviterShown(other)} owns ${workspaceShown(workspaceTitle)} now: it was handed over with ${accountAt(config, to)}, which stays as an admin.`,
          'If it was not you, ask for a password reset at once, which ends all sessions, and write to the new owner.',
        ],
  });

export const sessionsEnded = (config: Config, email: string): Message =>
  message({
    subject: 'You were signed out everywhere',
    paragraphs: [
      `A refresh token of ${accountAt(config, email)} was used twice, which can mean that someone copied it. To be safe, all your sessions were ended.`,
      'Sign in again. If this comes back, change your password.',
    ],
  });

export const apiTokenCreated = (config: Config, email: string, title: string): Message =>
  message({
    subject: 'An API token was made for your account',
    paragraphs: [
      `A new API token${titled(title)} now lets a script work in the name of ${accountAt(config, email)}.`,
      'If it was not you, ask for a password reset at once, which revokes all tokens and ends all sessions.',
    ],
  });

export const apiTokenExpiring = (config: Config, email: string, title: string, day: string): Message =>
  message({
    subject: 'An API token ends soon',
    paragraphs: [
      `The API token${titled(title)} of ${accountAt(config, email)} ends on ${day}.`,
      'What uses it stops working then: make another one in time, or let it end.',
    ],
  });

const titled = (title: string): string => {
  const words = plainWords(title);
  return words === '' ? '' : ` “${words}”`;
};

export const deliveryTest = (): Message =>
  message({ subject: 'A test of mail delivery', paragraphs: ['Mails from your Errand server arrive.'] });

interface Inviter {
  name: string;
  email: string;
}

function inviterShown({ name, email }: Inviter): string {
  const plain = plainWords(name);
  return plain === '' ? shownAddress(email) : `${plain} (${shownAddress(email)})`;
}

function workspaceShown(title: string): string {
  const plain = plainWords(title);
  return plain === '' ? 'a workspace' : `the workspace “${plain}”`;
}

/** Names an account by its address and server, for someone who has several of either. */
const accountAt = ({ server }: Config, email: string) =>
  `the Errand account ${email} at ${server.public_url}`;

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

/** Colours that can be read on white and on black: programs choose the ground, and some change it. */
const BUTTON =
  'display:inline-block;padding:0.7em 1.4em;border-radius:0.5em;background-color:#1c6b4f;color:#ffffff;font-weight:bold;text-decoration:none';
const BODY =
  'max-width:34em;margin:0 auto;padding:1.5em 1em;font-family:system-ui,-apple-system,sans-serif;font-size:16px;line-height:1.5';
const QUIET = 'font-size:0.875em;overflow-wrap:anywhere;word-break:break-word';
const CODE = 'font-size:2em;letter-spacing:0.15em';

const htmlOf = ({ subject, paragraphs, link, token, code }: Parameters<typeof message>[0]): string =>
  String(html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${subject}</title></head><body style="${BODY}">
<p style="font-size:1.125em"><strong>Errand</strong></p>
<h1 style="font-size:1.375em;line-height:1.25">${subject}</h1>
${paragraphs.map((text) => html`<p>${text}</p>\n`)}${
  code !== undefined && html`<p style="${CODE}"><code>${code}</code></p>\n`
}${
  link &&
  html`<p style="margin:1.75em 0"><a href="${link.url}" style="${BUTTON}">${link.label}</a></p>
<p style="${QUIET}">If the button does not work, open this address: ${link.url}</p>\n`
}${
  token !== undefined &&
  html`<p style="${QUIET}">If an app asks you for the token of this mail, it is <code>${token}</code></p>\n`
}</body></html>
`);
