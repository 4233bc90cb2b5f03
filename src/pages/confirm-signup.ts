import { html } from 'hono/html';
import { form } from './form.ts';
import { storyPage } from './story.ts';

/** Opens the account that someone signed up for. */
export const confirmSignup = storyPage({
  ask: {
    heading: 'Confirm your address',
    content: html`<p>This e-mail address is yours? Then your Errand account is one press away.</p>
${form({ id: 'confirm', path: '/auth/register/confirm', button: 'Open my account', done: 'open' })}
<p class="quiet">You did not sign up? Just close this page, and no account is made.</p>`,
  },
  ends: {
    open: {
      heading: 'Your account is open',
      content: html`<p>Welcome! Sign in, in the app that you use with this server. You can close this page.</p>`,
    },
  },
  dead: {
    heading: 'This link does not work any more',
    content: html`<p>It works once, and for 24 hours. If you have confirmed already, all is well: simply sign in.</p>
<p>If not, sign up once more, and a fresh link comes by mail.</p>`,
  },
  request: { path: '/auth/register/confirm' },
});
