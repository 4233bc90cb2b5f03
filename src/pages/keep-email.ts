import { html } from 'hono/html';
import { form } from './form.ts';
import { storyPage } from './story.ts';

/** Keeps the e-mail address that a change is about to take away, or has. */
export const keepEmail = storyPage({
  ask: {
    heading: 'Keep your address',
    content: html`<p>Someone asked to give your Errand account another e-mail address. If that was not you, keep the one you have: the change is called off. If it has happened already it is undone: every device is signed out, and a password that was set since, or a Google or Telegram account that was linked since, does not sign in any more.</p>
${form({ id: 'keep', path: '/auth/email/change/revert', button: 'Keep my address', done: 'kept' })}
<p class="quiet">It was you? Just close this page.</p>`,
  },
  ends: {
    kept: {
      heading: 'Your address stays',
      content: html`<p>The change does not happen.</p>
<p>If you did not ask for it, someone else got into your account: choose a new password now. If signing in fails, ask for a link to reset it. You can close this page.</p>`,
    },
  },
  dead: {
    heading: 'This link does not work any more',
    content: html`<p>It works once, and for 7 days. If you have kept your address with it already, all is well.</p>
<p>If your address was taken from you and you cannot sign in, write to the people who run this server.</p>`,
  },
  request: { path: '/auth/email/change/revert' },
});
