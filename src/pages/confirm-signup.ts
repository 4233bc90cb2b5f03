import { html } from 'hono/html';
import { form, newPassword } from './form.ts';
import { linkPage, onward, otherAccount } from './link-page.ts';

/** Opens the account that someone signed up for. */
export const confirmSignup = linkPage({
  ask: {
    heading: 'Confirm your address',
    content: html`<p>Is this email address yours? Then your Errand account is one click away.</p>
${otherAccount(html`Open the account of <strong data-about="email"></strong>, and go on as that one here?`)}
${form({ id: 'confirm', path: '/auth/register/confirm', button: 'Confirm', done: 'open', next: '', opens: true, withoutPassword: 'bare' })}
<p class="quiet">If you did not sign up, close this page, and no account is made.</p>`,
  },
  ends: {
    bare: {
      heading: 'Your account is open, without a password',
      content: (
        site,
      ) => html`<p>Welcome! Your account has no password yet: it was signed up without one, or several times with different ones, of which some may not be yours. Set one now, or go on and sign in by a code that is mailed to you.</p>
${form({
  id: 'set',
  path: '/me/password',
  session: true,
  username: true,
  fields: [newPassword('newPassword', 'Password')],
  button: 'Set password',
  done: 'open',
  next: '',
})}
${onward(site, 'Go on without a password')}`,
    },
    open: {
      heading: 'Your account is open',
      content: html`<p>Welcome! Sign in, in the app that you use with this server. You can close this page.</p>`,
    },
  },
  dead: {
    heading: 'This link does not work any more',
    content: (
      site,
    ) => html`<p>It works once, and for 24 hours. If you have confirmed already, all is well: simply sign in.</p>
<p>If not, sign up again, and a fresh link comes by mail.</p>
${onward(site, 'Sign in', 'sign-in')}`,
  },
  request: { path: '/auth/register/confirm' },
});
