import { html } from 'hono/html';
import { form } from './form.ts';
import { storyPage } from './story.ts';

/** Gives an account its new e-mail address. */
export const confirmEmail = storyPage({
  ask: {
    heading: 'Confirm your new address',
    content: html`<p>From then on you sign in to Errand with this e-mail address, and our mails go to it.</p>
${form({ id: 'confirm', path: '/auth/email/change/confirm', button: 'Use this address', done: 'changed' })}
<p class="quiet">You did not ask for this? Just close this page, and nothing changes.</p>`,
  },
  ends: {
    changed: {
      heading: 'Your address is changed',
      content: html`<p>Next time, sign in with the new e-mail address. Where you are signed in now, you stay so. You can close this page.</p>`,
    },
  },
  dead: {
    heading: 'This link does not work any more',
    content: html`<p>It works once, for 30 minutes, and only until you ask for a newer one. If you have confirmed with it already, all is well.</p>
<p>If not, ask for the change once more, and a fresh link comes by mail.</p>`,
  },
  request: { path: '/auth/email/change/confirm' },
});
