/** Whose session it is; nothing else of the person, and gone with the session. */
const KEY = 'errand.left';

/** Where this device cannot store: as long as this page lives. */
let left: string | null = null;

/** Whose session is over here, and not yet on the server. */
export const leftUser = (): string | null => {
  try {
    return localStorage.getItem(KEY) ?? left;
  } catch {
    return left;
  }
};

/** Notes that the session of a person is over here, and not yet on the server, which could not be reached. */
export function leaveSession(userId: string | null): void {
  left = userId;
  try {
    if (userId === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, userId);
  } catch {
    // As above.
  }
}
