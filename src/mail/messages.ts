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

type Links = 'confirm_signup' | 'reset_password' | 'confirm_email' | 'accept_invitation' | 'keep_email';

const PAGES: Record<Links, string> = {
  confirm_signup: '/confirm-signup',
  reset_password: '/reset-password',
  confirm_email: '/confirm-email',
  accept_invitation: '/accept-invitation',
  keep_email: '/keep-email',
};

// What people typed (names, titles) stays out of mails to addresses that are not proved theirs: a stranger must not
// be able to send words of their own through us.

export const confirmSignup = (config: Config, token: string): Message =>
  message({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      'Someone, most likely you, signed up for Errand with this address. Confirm it to open your account.',
      'The link works for 24 hours. If it was not you, ignore this mail: no account is made.',
    ],
    link: { label: 'Confirm my address', url: linkTo(config, 'confirm_signup', token) },
    token,
  });

// Here a stranger's name is the point: whoever confirms opens an account that this Telegram account enters.
export const confirmTelegramSignup = (config: Config, telegramAccount: string, token: string): Message =>
  message({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Someone signed up for Errand with this address, to sign in by the Telegram account ${telegramAccount}. If it is yours, confirm the address to open your account.`,
      'The link works for 24 hours. If it was not you, ignore this mail: no account is made. Confirm nothing for others: that Telegram account could then sign in.',
    ],
    link: { label: 'Confirm my address', url: linkTo(config, 'confirm_signup', token) },
    token,
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
    link: { label: 'Choose a new password', url: linkTo(config, 'reset_password', token) },
    token,
  });

export const passwordChanged = (): Message =>
  message({
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your Errand account was just set or changed, and other sessions were ended.',
      'If it was not you, ask for a password reset at once.',
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
    link: { label: 'Use this address', url: linkTo(config, 'confirm_email', token) },
    token,
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
    link: { label: 'Keep my address', url: linkTo(config, 'keep_email', token) },
    token,
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
    link: { label: 'See the invitation', url: linkTo(config, 'accept_invitation', token) },
    token,
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

const linkTo = (config: Config, page: Links, token: string): string =>
  (config.mail[`link_${page}`] || `${config.server.public_url}${PAGES[page]}#token={token}`).replaceAll(
    '{token}',
    encodeURIComponent(token),
  );

export function message(content: {
  subject: string;
  paragraphs: string[];
  link?: { label: string; url: string };
  token?: string;
  code?: string;
}): Message {
  const { subject, paragraphs, link, token, code } = content;
  const facts = [
    ...(link ? [`Link: ${link.url}`] : []),
    ...(token ? [`Token: ${token}`] : []),
    ...(code ? [`Code: ${code}`] : []),
  ];
  return {
    subject,
    text: [...paragraphs, ...(facts.length > 0 ? [facts.join('\n')] : [])].join('\n\n'),
    html: htmlOf(content),
    ...(link && { link: link.url }),
    ...(token && { token }),
    ...(code && { code }),
  };
}

function htmlOf({ subject, paragraphs, link, token, code }: Parameters<typeof message>[0]): string {
  const parts = [
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(link ? [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`] : []),
    ...(token ? [`<p>Token, for programs: <code>${escapeHtml(token)}</code></p>`] : []),
    ...(code ? [`<p style="font-size:1.6em"><code>${escapeHtml(code)}</code></p>`] : []),
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body style="font-family:sans-serif;max-width:34em;line-height:1.5">\n${parts.join('\n')}\n</body></html>\n`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
