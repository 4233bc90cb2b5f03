import { tabStorage } from './browser-storage.ts';

const KEY = 'errand.notice';

/** Leaves something to be said by the next screen. */
export function leaveNotice(words: string): void {
  tabStorage.set(KEY, words);
}

/** What was left to be said here, once: by the page of a mailed link, or by the screen before. */
export function takeNotice(): string | undefined {
  const notice = tabStorage.get(KEY);
  tabStorage.set(KEY, null);
  return notice ?? undefined;
}
