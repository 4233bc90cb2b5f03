import { html } from 'hono/html';
import type { Html } from './layout.ts';

export interface Field {
  /** As the API calls it. */
  name: string;
  label: string;
  type: 'text' | 'email' | 'password';
  autocomplete: 'name' | 'email' | 'current-password' | 'new-password';
  hint?: string;
  /** Filled in with what the token is about. */
  about?: string;
}

export const newPassword = (name: string, label: string): Field => ({
  name,
  label,
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 8 characters; a few words are good.',
});

interface Form {
  /** Unique in its page. */
  id: string;
  /** Relative to the API. */
  path: `/${string}`;
  /** Sent in the name of the account that the form before it opened, and ends that session. */
  session?: true;
  /** Tells password managers whose password it is: the address that the token was mailed to. */
  username?: true;
  /** The view to show instead of `done` where the token undid what had happened. */
  undone?: string;
  /** The view to show instead of `done` where the account that it opened has no password. */
  withoutPassword?: string;
  /** What the API calls the token. */
  token?: string;
  /** Signs in by the form's fields first, for that one request; what to say when that is rejected. */
  signIn?: string;
  fields?: Field[];
  button: string;
  /** The view to show afterwards, where there is no web client. */
  done: string;
  /** Where in the web client it leads afterwards; absent: to `done` in any case. */
  next?: string;
  /** What the web client says there. */
  says?: string;
  /** Its response is a session, which the web client goes on with. */
  opens?: true;
}

/** A form that the page's script sends; without the script it stays hidden, since a browser would send it wrongly. */
export const form = ({
  id,
  path,
  session,
  withoutPassword,
  username,
  undone,
  token = 'token',
  signIn,
  fields = [],
  button,
  done,
  next,
  says,
  opens,
}: Form): Html => html`
<form id="${id}" method="post" novalidate hidden data-path="${path}" data-token="${token}" data-done="${done}"${
  signIn !== undefined && html` data-sign-in="${signIn}"`
}${next !== undefined && html` data-next="${next}"`}${says !== undefined && html` data-says="${says}"`}${opens && html` data-opens`}${session && html` data-session`}${undone !== undefined && html` data-undone="${undone}"`}${withoutPassword !== undefined && html` data-without-password="${withoutPassword}"`}>
${username && html`<input type="email" autocomplete="username" data-about="email" hidden>`}
${fields.map((field) => fieldOf(id, field))}
<button>${button}</button>
<p role="status"></p>
</form>`;

/** What the field must be is the API's to say, so that there is one set of rules and one way to be told. */
function fieldOf(form: string, { name, label, type, autocomplete, hint, about }: Field): Html {
  const id = `${form}-${name}`;
  return html`<div class="field">
<label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${
    autocomplete === 'new-password' && html` minlength="8"`
  }${about !== undefined && html` data-about="${about}"`} aria-describedby="${hint !== undefined && `${id}-hint `}${id}-fault">
<p class="fault" id="${id}-fault"></p>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${
  type === 'password' &&
  html`<label class="choice"><input type="checkbox" data-reveals="${id}"> Show what is typed</label>`
}
</div>`;
}
