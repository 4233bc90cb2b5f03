import { html } from 'hono/html';
import type { Html } from './layout.ts';

export interface Field {
  /** As the API calls it. */
  name: string;
  label: string;
  type: 'text' | 'email' | 'password';
  autocomplete: 'name' | 'email' | 'current-password' | 'new-password';
  hint?: string;
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
  /** What the API calls the token. */
  token?: string;
  /** Signs in by the form's fields first, for that one request; what to say when that is refused. */
  signIn?: string;
  fields?: Field[];
  button: string;
  /** The view to show afterwards. */
  done: string;
}

/** A form that the page's script sends; without the script it stays hidden, since a browser would send it wrongly. */
export const form = ({ id, path, token = 'token', signIn, fields = [], button, done }: Form): Html => html`
<form id="${id}" method="post" novalidate hidden data-path="${path}" data-token="${token}" data-done="${done}"${
  signIn !== undefined && html` data-sign-in="${signIn}"`
}>
${fields.map((field) => fieldOf(id, field))}
<button>${button}</button>
<p role="status"></p>
</form>`;

/** What the field must be is the API's to say, so that there is one set of rules and one way to be told. */
function fieldOf(form: string, { name, label, type, autocomplete, hint }: Field): Html {
  const id = `${form}-${name}`;
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${
    autocomplete === 'new-password' && html` minlength="8"`
  } aria-describedby="${hint !== undefined && `${id}-hint `}${id}-fault">
<p class="fault" id="${id}-fault"></p>
${
  type === 'password' &&
  html`<label class="choice"><input type="checkbox" data-reveals="${id}"> Show password</label>`
}
</div>`;
}
