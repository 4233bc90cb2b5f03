import { html } from 'hono/html';
import { form } from './form.ts';
import { linkPage, onward } from './link-page.ts';

/** Keeps the email address that a change is about to take away, or has. */
export const keepEmail = linkPage({
  ask: {
    heading: 'Keep your address',
    content: html`<p>Someone asked to give your Errand account another email address. If that was not you, keep the one you have: the change is called off.</p>
<p>If it has happened already, it is undone: every device is signed out, and passwords that were set, or Google or Telegram accounts that were linked, in the 7 days before it was asked for or since no longer sign in.</p>
${form({ id: 'keep', path: '/auth/email/change/revert', button: 'Keep my address', done: 'kept', undone: 'undone' })}
<p class="quiet">Was it you? Then close this page.</p>`,
  },
  ends: {
    undone: {
      heading: 'Your address is back',
      content: (
        site,
      ) => html`<p>The change had happened, and is undone: your account has its old address again. Every device is signed out, and ways to sign in that were added in the 7 days before the change, or since, are removed.</p>
<p>Someone else got into your account, unless it was you: sign in, by a mailed code if the password does not work, and choose a new password now.</p>
${onward(site, 'Sign in', 'sign-in')}`,
    },
    kept: {
      heading: 'Your address stays',
      content: (site) => html`<p>The change does not happen. Nothing else is touched.</p>
<p>If you did not ask for it, someone else got into your account, and is still signed in: set a new password now, by a mailed link. That ends what they can do: it signs out every device and revokes API tokens. Then look at Security for Google or Telegram accounts that are not yours.</p>
${onward(site, 'Set a new password', 'forgot-password')}`,
    },
  },
  dead: {
    heading: 'This link does not work any more',
    content: (
      site,
    ) => html`<p>It works once, and for 7 days. If you have kept your address with it already, all is well.</p>
<p>If your address was taken from you and you cannot sign in, write to the people who run this server.</p>
${onward(site, 'Go to Errand')}`,
  },
  request: { path: '/auth/email/change/revert' },
});
