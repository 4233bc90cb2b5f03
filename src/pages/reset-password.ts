import { html } from 'hono/html';
import { form, newPassword } from './form.ts';
import { linkPage, onward, otherAccount } from './link-page.ts';

/** Sets a new password for someone who forgot the old one. */
export const resetPassword = linkPage({
  ask: {
    heading: 'Choose a new password',
    content: html`<p>It replaces the old one<span data-known="email" hidden> of <strong data-about="email"></strong></span>, and signs you out on every device.</p>
${otherAccount(html`Set the password of <strong data-about="email"></strong>, and sign out here?`)}
${form({
  id: 'reset',
  path: '/auth/password/reset/confirm',
  username: true,
  fields: [newPassword('newPassword', 'New password')],
  button: 'Set password',
  done: 'set',
  next: 'sign-in',
  says: 'Your new password is set. Sign in with it.',
})}
<p class="quiet">You did not ask for this? Just close this page, and your password stays as it is.</p>`,
  },
  ends: {
    set: {
      heading: 'Your new password is set',
      content: html`<p>You are signed out everywhere. Sign in again with the new password. You can close this page.</p>`,
    },
  },
  dead: {
    heading: 'This link does not work any more',
    content: (
      site,
    ) => html`<p>It works once, and for 30 minutes. If you have set a new password with it, sign in with that one.</p>
<p>If not, ask for another reset, and a fresh link comes by mail.</p>
${onward(site, 'Ask for another link', 'forgot-password')}`,
  },
  request: { path: '/auth/password/reset/confirm', body: '{ "token": "…", "newPassword": "…" }' },
});
