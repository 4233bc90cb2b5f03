const KEY = 'errand.notice';

/** What the page of a mailed link left to be said here, once. */
export function takeNotice(): string | undefined {
  try {
    const notice = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return notice ?? undefined;
  } catch {
    return undefined;
  }
}
