/**
 * What a page does in the browser. It is sent there as text, so it is JavaScript and uses nothing from outside this
 * function.
 *
 * A page holds views (`data-view`) and shows one: `ask`, `missing`, `dead`, and one for each way to be done. A
 * form says where it goes (`data-path`), what it calls the token (`data-token`) and which view is next (`data-done`), or
 * where in the web client (`data-app`) it leads (`data-next`): then a session that it opens is kept as a cookie.
 */
export function page() {
  const TIMEOUT_MS = 30_000;
  const { api, app } = document.body.dataset;
  const token = takeToken();
  /** Of the account that was just opened, while the page still asks for its password. */
  let session;
  /** Nobody is signed in to the web client: to ask who is would be an error in the console. */
  let isNobody = document.body.dataset.session === 'none';

  followTheme();
  show(token ? 'ask' : 'missing');
  if (token && document.querySelector('[data-about]')) tell();
  // A second link opened in the same tab changes only the fragment.
  addEventListener('hashchange', () => location.reload());
  addEventListener('pagehide', () => session && !app && signOut(session));
  // They may have signed in elsewhere meanwhile.
  if (document.querySelector('[data-ways]'))
    document.addEventListener('visibilitychange', async () => {
      if (document.hidden) return;
      isNobody = await comesWithoutSession();
      tell();
    });
  prepare(document);

  /** As it was chosen in the web client on this device. */
  function followTheme() {
    try {
      document.documentElement.dataset.theme = localStorage.getItem('errand.theme') ?? '';
    } catch {
      // Without storage the system's.
    }
  }

  /** Makes the forms of a part of the page work. */
  function prepare(part) {
    for (const form of part.querySelectorAll('form')) {
      form.hidden = false;
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        if (form.ariaBusy !== 'true') submit(form);
      });
    }
    for (const box of part.querySelectorAll('[data-reveals]')) {
      box.addEventListener('change', () => {
        document.getElementById(box.dataset.reveals).type = box.checked ? 'text' : 'password';
      });
    }
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

  function show(name) {
    for (const view of document.querySelectorAll('[data-view]')) {
      view.hidden = view.dataset.view !== name;
      if (view.hidden) continue;
      document.title = `${view.querySelector('h1').textContent} · Errand`;
    }
  }

  /** Fills in what the token is about; what cannot be known stays unsaid. A dead invitation says so at once. */
  async function tell() {
    const [about, person] = await Promise.all([read(), app && !isNobody ? whoIsHere() : undefined]);
    if (document.querySelector('[data-view="ask"]').hidden) return;
    if (about.isDead && document.querySelector('[data-ways]')) {
      // What is under way may have used it.
      if (!document.querySelector('form[aria-busy="true"]')) show('dead');
      return;
    }
    const own = about.account ?? about.email;
    const isOwn = person?.email === own;
    // A long address comes shortened.
    if (own && person && !isOwn && !own.includes('…')) about.other = person.email;
    showWay(isOwn && own ? 'me' : about.hasAccount ? 'account' : 'newcomer');
    for (const element of document.querySelectorAll('[data-about]')) {
      const value = about[element.dataset.about] ?? '';
      // As its default, which outlives a reset of its form.
      if (element instanceof HTMLInputElement) element.defaultValue = value;
      else element.textContent = value;
    }
    const isKnown = (name) => typeof about[name] === 'string';
    for (const element of document.querySelectorAll('[data-known]')) {
      element.hidden = !isKnown(element.dataset.known);
    }
    for (const element of document.querySelectorAll('[data-unknown]')) {
      element.hidden = isKnown(element.dataset.unknown);
    }
  }

  /** Of several ways to do the same, the one that fits. */
  function showWay(name) {
    const place = document.querySelector('[data-ways]');
    if (!place || place.dataset.ways === name) return;
    place.dataset.ways = name;
    place.replaceChildren(document.querySelector(`template[data-way="${name}"]`).content.cloneNode(true));
    prepare(place);
  }

  /** Whether this page, fetched again, says that nobody's session came with the request. */
  function comesWithoutSession() {
    return fetch(location.pathname, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then((response) => response.text())
      .then((text) => text.includes('data-session="none"'))
      .catch(() => false);
  }

  /** Who is signed in to the web client, if anyone is. */
  function whoIsHere() {
    return fetch(`${api}/me`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then((response) => (response.ok ? response.json() : undefined))
      .catch(() => undefined);
  }

  function read() {
    return post('/auth/links/read', { token }).catch(({ status }) => ({ isDead: status === 401 }));
  }

  async function submit(form) {
    form.ariaBusy = 'true';
    unmark(form);
    say(form, 'One moment…');
    try {
      const about = form.dataset.undone === undefined ? {} : await read();
      await send(form.dataset, Object.fromEntries(new FormData(form)));
      const { done, undone, withoutPassword, next, says } = form.dataset;
      if (session && withoutPassword) leave(withoutPassword);
      else if (app && next !== undefined) {
        await goOn(next, says);
        // Busy until the page is gone, so that nothing is sent twice.
        return;
      } else leave((about.isChanged && undone) || done);
    } catch (error) {
      await explain(form, error);
    }
    form.ariaBusy = 'false';
  }

  /** Does what the form is for, and tells what came of it; a session is the web client's, else it ends. */
  async function send(
    { path, token: tokenName, signIn, opens, session: isSignedIn, withoutPassword },
    fields,
  ) {
    const kept = app && { session: 'cookie' };
    if (isSignedIn !== undefined) {
      await post(path, fields, session.accessToken);
      if (!app) await signOut(session);
      session = undefined;
      return;
    }
    if (signIn !== undefined) {
      const signedIn = await post('/auth/login', { ...fields, ...kept });
      await post(path, { [tokenName]: token }, signedIn.accessToken).catch(async (error) => {
        await signOut(signedIn);
        throw error;
      });
      if (!app) await signOut(signedIn);
      return;
    }
    const opened = await post(path, { ...fields, [tokenName]: token, ...(opens !== undefined && kept) });
    if (withoutPassword !== undefined && (await lacksPassword(opened))) session = opened;
    else if (opened.refreshToken) await signOut(opened);
  }

  /** Leads into the web client, which says what has happened. */
  async function goOn(to, words) {
    // A page that signs nobody in leaves nobody else signed in either.
    if (to === 'sign-in' && !(await comesWithoutSession())) await post('/auth/logout').catch(() => {});
    try {
      if (words) sessionStorage.setItem('errand.notice', words);
    } catch {
      // Without storage only the words are lost.
    }
    keepToken(undefined);
    location.replace(new URL(app + to, location.href));
  }

  /** An account that cannot be looked up is taken to have one: a code by mail signs in either way. */
  const lacksPassword = ({ accessToken }) =>
    fetch(`${api}/me`, {
      headers: accessToken ? { Authorization: `Bearer ${accessToken}` } : {},
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
      .then((response) => response.json())
      .then(({ hasPassword }) => hasPassword === false)
      .catch(() => false);

  const signOut = ({ accessToken, refreshToken }) =>
    post('/auth/logout', refreshToken && { refreshToken }, accessToken).catch(() => {});

  async function post(path, body, accessToken) {
    const response = await fetch(api + path, {
      method: 'POST',
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(accessToken && { Authorization: `Bearer ${accessToken}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      // A session is ended also while the page goes.
      keepalive: true,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const parsed = await response.json().catch(() => ({}));
    if (response.ok) return parsed;
    throw {
      ...parsed,
      status: response.status,
      retryAfter: Number(response.headers.get('Retry-After')),
    };
  }

  /** Shows the view that ends the flow; the token has no use any more. */
  function leave(name) {
    keepToken(undefined);
    for (const form of document.forms) form.reset();
    show(name);
    document.querySelector(`[data-view="${name}"] h1`).focus();
  }

  async function explain(form, error) {
    const { status, issues = [] } = error;
    // Of an invitation: the address got an account meanwhile.
    if (status === 401 && form.closest('[data-ways="newcomer"]') && (await read()).hasAccount) return tell();
    const isDead = status === 401 && form.dataset.signIn === undefined && session === undefined;
    if (isDead || issues.some(({ path }) => path === 'token')) {
      leave('dead');
      return;
    }
    const marked = issues.map((issue) => mark(form, issue)).filter(Boolean);
    say(form, marked.length > 0 ? '' : reasonOf(form, error), true);
    marked[0]?.focus();
  }

  function reasonOf(form, { status, issues, message, retryAfter }) {
    if (status === undefined) return 'The server cannot be reached. Check your connection, then try again.';
    if (status === 429) return `Too many tries. Please wait ${inWords(retryAfter)}, then try again.`;
    if (status >= 500) return 'The server cannot do this right now. Please try again in a moment.';
    if (status === 401)
      return form.dataset.signIn ?? 'You are no longer signed in here. Ask for a password reset instead.';
    return issues?.map((issue) => issue.message).join('. ') || message || 'The server rejected this.';
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

  function say(form, text, isRejection = false) {
    const status = form.querySelector('[role="status"]');
    status.classList.toggle('rejected', isRejection);
    status.textContent = text;
  }

  function inWords(seconds) {
    if (!(seconds > 0)) return 'a little';
    if (seconds === 1) return 'a second';
    return seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  }
}
