import { deviceStorage } from './browser-storage.ts';

/** Whose session it is; nothing else of the person, and gone with the session. */
const KEY = 'errand.left';

/** Whose session is over here, and not yet on the server. */
export const leftUser = (): string | null => deviceStorage.get(KEY);

/** Notes that the session of a person is over here, and not yet on the server, which could not be reached. */
export function leaveSession(userId: string | null): void {
  deviceStorage.set(KEY, userId);
}
