import { html } from 'hono/html';
import { form } from './form.ts';
import { linkPage, onward, otherAccount } from './link-page.ts';

/** Gives an account its new email address. */
export const confirmEmail = linkPage({
  ask: {
    heading: 'Confirm your new address',
    content: html`<p>This address becomes that of an Errand account that exists already<span data-known="account" hidden>: the one of <strong data-about="account"></strong></span>. From then on it is what you sign in with, and our mails go to it.</p>
<p>Only do this if that account is yours. It opens no account of your own: it takes over that one, with everything in it, and its present owner can take it back for 7 days.</p>
${otherAccount(html`Give the account of <strong data-about="account"></strong> this address?`)}
${form({
  id: 'confirm',
  path: '/auth/email/change/confirm',
  button: 'Confirm',
  done: 'changed',
  next: '',
  says: 'Your address is changed. Next time, sign in with the new one.',
})}
<p class="quiet">You did not ask for this? Just close this page, and nothing changes.</p>`,
  },
  ends: {
    changed: {
      heading: 'Your address is changed',
      content: html`<p>Next time, sign in with the new email address. Where you are signed in now, you stay so. You can close this page.</p>`,
    },
  },
  dead: {
    heading: 'This link does not work any more',
    content: (
      site,
    ) => html`<p>It works once, for 30 minutes, and only until you ask for a newer one. If you have confirmed with it already, all is well.</p>
<p>If not, ask for the change again, and a fresh link comes by mail.</p>
${onward(site, 'Go to Errand')}`,
  },
  request: { path: '/auth/email/change/confirm' },
});
