import { useState } from 'preact/hooks';

/** What stands in a field: what was typed and is not yet `present`, else `present`. */
export function useDraft(present: string): [text: string, setText: (text: string) => void] {
  const [typed, setTyped] = useState<string>();
  if (typed === present) setTyped(undefined);
  return [typed ?? present, setTyped];
}
