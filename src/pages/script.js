/**
 * What a page does in the browser. Sent there as text, hence JavaScript, and hence nothing from outside this function.
 *
 * A page holds views (`data-view`) of which one is seen: `ask`, `missing`, `dead`, and one for each way to be done. A
 * form says where it goes (`data-path`), what it calls the token (`data-token`) and which view is next (`data-done`).
 */
export function page() {
  const UNANSWERED_MS = 30_000;
  const { api } = document.body.dataset;
  const token = takeToken();

  show(token ? 'ask' : 'missing');
  // A second link opened in the same tab changes only the fragment.
  addEventListener('hashchange', () => location.reload());
  for (const form of document.forms) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (form.ariaBusy !== 'true') submit(form);
    });
  }
  for (const box of document.querySelectorAll('[data-reveals]')) {
    box.addEventListener('change', () => {
      document.getElementById(box.dataset.reveals).type = box.checked ? 'text' : 'password';
    });
  }

  /** Out of the address bar, into this tab's own memory of the page: a reload still knows the token. */
  function takeToken() {
    const found = new URLSearchParams(location.hash.slice(1)).get('token') || history.state?.token;
    keepToken(found);
    return found;
  }

  function keepToken(kept) {
    history.replaceState(kept ? { token: kept } : null, '', location.pathname + location.search);
  }

  function show(name, values = {}) {
    for (const view of document.querySelectorAll('[data-view]')) {
      view.hidden = view.dataset.view !== name;
      if (view.hidden) continue;
      for (const blank of view.querySelectorAll('[data-blank]')) {
        blank.textContent = values[blank.dataset.blank] ?? '';
      }
      document.title = `${view.querySelector('h1').textContent} · Errand`;
    }
  }

  async function submit(form) {
    form.ariaBusy = 'true';
    unmark(form);
    say(form, 'One moment…');
    try {
      const values = await send(form.dataset, Object.fromEntries(new FormData(form)));
      leave(form.dataset.done, values);
    } catch (refusal) {
      explain(form, refusal);
    } finally {
      form.ariaBusy = 'false';
    }
  }

  /** Does what the form is for, and ends every session that came of it. */
  async function send({ path, token: tokenName, signIn }, fields) {
    if (signIn === undefined) {
      const answer = await post(path, { ...fields, [tokenName]: token });
      if (answer.refreshToken) await signOut(answer);
      return { ...fields, ...answer };
    }
    const session = await post('/auth/login', fields);
    try {
      return await post(path, { [tokenName]: token }, session.accessToken);
    } finally {
      await signOut(session);
    }
  }

  const signOut = ({ accessToken, refreshToken }) =>
    post('/auth/logout', { refreshToken }, accessToken).catch(() => {});

  async function post(path, body, accessToken) {
    const response = await fetch(api + path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(accessToken && { Authorization: `Bearer ${accessToken}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(UNANSWERED_MS),
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw {
      ...answer,
      status: response.status,
      retryAfter: Number(response.headers.get('Retry-After')),
    };
  }

  /** Shows the view that ends the story; the token has no use any more. */
  function leave(name, values) {
    keepToken(undefined);
    for (const form of document.forms) form.reset();
    show(name, values);
    document.querySelector(`[data-view="${name}"] h1`).focus();
  }

  function explain(form, refusal) {
    const { status, issues = [] } = refusal;
    const isDead = status === 401 && form.dataset.signIn === undefined;
    if (isDead || issues.some(({ path }) => path === 'token')) {
      leave('dead');
      return;
    }
    const marked = issues.map((issue) => mark(form, issue)).filter(Boolean);
    say(form, marked.length > 0 ? '' : reasonOf(form, refusal), true);
    marked[0]?.focus();
  }

  function reasonOf(form, { status, issues, message, retryAfter }) {
    if (status === undefined) return 'The server cannot be reached. Check your connection, then try again.';
    if (status === 429) return `Too many tries. Please wait ${inWords(retryAfter)}, then try again.`;
    if (status >= 500) return 'The server cannot do this right now. Please try again in a moment.';
    if (status === 401) return form.dataset.signIn;
    return issues?.map((issue) => issue.message).join('. ') || message || 'The server refused this.';
  }

  /** Writes an issue below the field it is about, if the form has that field. */
  function mark(form, { path, message }) {
    const field = form.elements.namedItem(path);
    if (!field) return undefined;
    const fault = document.getElementById(`${field.id}-fault`);
    field.ariaInvalid = 'true';
    fault.textContent = [fault.textContent, message].filter(Boolean).join('. ');
    return field;
  }

  function unmark(form) {
    for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid');
    for (const fault of form.querySelectorAll('.fault')) fault.textContent = '';
  }

  function say(form, text, isRefusal = false) {
    const status = form.querySelector('[role="status"]');
    status.classList.toggle('refused', isRefusal);
    status.textContent = text;
  }

  function inWords(seconds) {
    if (!(seconds > 0)) return 'a little';
    if (seconds === 1) return 'a second';
    return seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  }
}
