import { html } from 'hono/html';
import { type Field, form, newPassword } from './form.ts';
import { storyPage } from './story.ts';

const EMAIL: Field = {
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'email',
  hint: 'The one that the invitation came to.',
};

/** Takes an invitation to a workspace, with an account or by signing up for one. */
export const acceptInvitation = storyPage({
  ask: {
    heading: 'You are invited to a workspace',
    content: html`<p>Join the people who invited you, on this Errand server.</p>
<details name="way" open>
<summary>I have an account</summary>
${form({
  id: 'sign-in',
  path: '/invitations/accept',
  signIn: 'The e-mail address or the password is wrong.',
  fields: [
    EMAIL,
    { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
  ],
  button: 'Sign in and join',
  done: 'joined',
})}
<p class="quiet">You are signed in for this one step only.</p>
</details>
<details name="way">
<summary>I am new here</summary>
${form({
  id: 'sign-up',
  path: '/auth/register',
  token: 'invitationToken',
  fields: [
    { name: 'name', label: 'Your name', type: 'text', autocomplete: 'name' },
    EMAIL,
    newPassword('password', 'Password'),
  ],
  button: 'Sign up and join',
  done: 'mailed',
})}
</details>
<p class="quiet">Not for you? Just close this page.</p>`,
  },
  ends: {
    joined: {
      heading: 'You have joined',
      content: html`<p>“<span data-blank="title"></span>” is now among your workspaces, in the app that you use with this server. You can close this page.</p>`,
    },
    mailed: {
      heading: 'A mail is on its way',
      content: html`<p>Open the link that we send to <strong data-blank="email"></strong>: it opens your account, and you have joined. You can close this page.</p>`,
    },
  },
  dead: {
    heading: 'This invitation does not work any more',
    content: html`<p>It works once, for 7 days, and only until a newer one is sent. If you have accepted it already, all is well: simply sign in.</p>
<p>If not, ask the people who invited you for another.</p>`,
  },
  request: { path: '/invitations/accept', needs: 'with the access token of your account' },
});
