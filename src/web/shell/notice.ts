const KEY = 'errand.notice';

/** Leaves something to be said by the next screen. */
export function leaveNotice(words: string): void {
  try {
    sessionStorage.setItem(KEY, words);
  } catch {
    // Only the words are lost.
  }
}

/** What was left to be said here, once: by the page of a mailed link, or by the screen before. */
export function takeNotice(): string | undefined {
  try {
    const notice = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return notice ?? undefined;
  } catch {
    return undefined;
  }
}
