interface BrowserStorage {
  get(key: string): string | null;
  /** Null removes it. */
  set(key: string, value: string | null): void;
}

/** What belongs to this device. */
export const deviceStorage = storageOf(() => localStorage);
/** What belongs to this tab, reloads included. */
export const tabStorage = storageOf(() => sessionStorage);

/** A storage that may be denied or full: what it does not take is kept as long as this page lives. */
function storageOf(storage: () => Storage): BrowserStorage {
  const unstored = new Map<string, string>();
  return {
    get: (key) => {
      try {
        return unstored.get(key) ?? storage().getItem(key);
      } catch {
        return null;
      }
    },
    set: (key, value) => {
      unstored.delete(key);
      try {
        if (value === null) storage().removeItem(key);
        else storage().setItem(key, value);
      } catch {
        if (value !== null) unstored.set(key, value);
      }
    },
  };
}
