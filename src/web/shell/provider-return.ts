import { tabStorage } from './browser-storage.ts';

/** What Google or Telegram sent back with the browser. */
interface Returned {
  fragment: URLSearchParams;
  state: string | null;
}

/** What was asked for, so that only a return from that very request is believed. */
export interface AuthorizationRequest {
  provider: 'google' | 'telegram';
  /** To sign in, or to add the account to the one that is signed in. */
  purpose: 'sign-in' | 'link';
  state: string;
  nonce: string;
  /** Where the person wanted to go. */
  to: string | null;
}

const KEY = 'errand.sign-in';
let returned: Returned | undefined;

/** Takes what came back out of the address, before anything else reads that. */
export function startProviderReturn(): void {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (!['id_token', 'tgAuthResult', 'error'].some((name) => fragment.has(name))) return;
  returned = { fragment, state: fragment.get('state') ?? new URLSearchParams(location.search).get('state') };
  history.replaceState(null, '', location.pathname);
}

/** Whether an account elsewhere came back to be linked. */
export const isLinking = (): boolean => returned !== undefined && pendingRequest()?.purpose === 'link';

export function keepRequest(next: AuthorizationRequest): void {
  tabStorage.set(KEY, JSON.stringify(next));
}

/** What came back, and what it should be the reply to; once. */
export function takeReturned():
  | { returned: Returned; request: AuthorizationRequest | undefined }
  | undefined {
  if (!returned) return undefined;
  const taken = { returned, request: pendingRequest() };
  returned = undefined;
  tabStorage.set(KEY, null);
  return taken;
}

function pendingRequest(): AuthorizationRequest | undefined {
  try {
    return JSON.parse(tabStorage.get(KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
