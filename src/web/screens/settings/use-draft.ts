import { useState } from 'preact/hooks';

/** What stands in a field: what was typed since `present` came, else `present`. */
export function useDraft(present: string): [text: string, setText: (text: string) => void] {
  const [draft, setDraft] = useState({ of: present, text: present });
  const isOld = draft.of !== present;
  if (isOld) setDraft({ of: present, text: present });
  return [isOld ? present : draft.text, (text) => setDraft({ of: present, text })];
}
