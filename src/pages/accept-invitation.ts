import { html } from 'hono/html';
import { type Field, form, newPassword } from './form.ts';
import type { Html, Site } from './layout.ts';
import { linkPage, onward, otherAccount } from './link-page.ts';

const EMAIL: Field = { name: 'email', label: 'Email', type: 'email', autocomplete: 'email', about: 'email' };

/** What each way to join leads to. */
const JOINS = {
  button: 'Accept',
  done: 'joined',
  next: '',
  says: 'You have joined the workspace. It is now among yours.',
};

/** Takes an invitation to a workspace: as who is signed in, by opening an account, or by signing in. */
export const acceptInvitation = linkPage({
  ask: {
    heading: 'You are invited to a workspace',
    content: (
      site,
    ) => html`<p data-known="inviter" hidden><strong data-about="inviter"></strong> invites you<span data-known="workspace" hidden> to the workspace “<strong data-about="workspace"></strong>”</span> on this Errand server. Your role there: <span data-about="role"></span>.</p>
<p data-unknown="inviter">Join the people who invited you, on this Errand server.</p>
${otherAccount(html`Accept as <strong data-about="email"></strong>, and go on as that account here?`)}
<div data-ways></div>
<template data-way="me">
<p>You are signed in as <strong data-about="email"></strong>.</p>
${form({ id: 'accept', path: '/invitations/accept', ...JOINS })}
</template>
<template data-way="newcomer">
<p>Choose a name and a password<span data-known="email" hidden> for <strong data-about="email"></strong></span>, and you are in.</p>
${form({
  id: 'sign-up',
  path: '/auth/register/invited',
  token: 'invitationToken',
  opens: true,
  username: true,
  fields: [
    { name: 'name', label: 'Name', type: 'text', autocomplete: 'name' },
    newPassword('password', 'Password'),
  ],
  ...JOINS,
})}
</template>
<template data-way="account">
<p>Sign in, and you are in.</p>
${form({
  id: 'sign-in',
  path: '/invitations/accept',
  signIn: 'The email address or the password is wrong.',
  fields: [
    EMAIL,
    { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
  ],
  ...JOINS,
})}
${otherWays(site)}
</template>
<p class="quiet">Not for you? Just close this page.</p>`,
  },
  ends: {
    joined: {
      heading: 'You have joined',
      content: html`<p>The workspace is now among yours, in the app that you use with this server. You can close this page.</p>`,
    },
  },
  dead: {
    heading: 'This invitation does not work any more',
    content: (
      site,
    ) => html`<p>It works once, for 7 days, and only until a newer one is sent. If you have accepted it already, all is well: simply sign in.</p>
<p>If not, ask the people who invited you for another.</p>
${onward(site, 'Go to Errand')}`,
  },
  request: { path: '/invitations/accept', needs: 'with the access token of your account' },
});

function otherWays({ app }: Site): Html {
  if (app === undefined) return html`<p class="quiet">You are signed in for this one step only.</p>`;
  return html`<p class="quiet">No password? <a href="${app}sign-in" target="_blank">Sign in by another way</a> and come back here.</p>`;
}
