import { hrefOf } from '../../shell/navigation.ts';
import { type AuthorizationRequest, keepRequest, takeReturned } from '../../shell/provider-return.ts';

/** What Google or Telegram sent back with the browser. */
export type Proof =
  | { provider: 'google'; body: { idToken: string } }
  | { provider: 'telegram'; body: Record<string, unknown> };

/** Leaves for Google, which comes back with an ID token behind the `#`. */
export function leaveForGoogle(
  clientId: string,
  purpose: AuthorizationRequest['purpose'],
  to: string | null = null,
): void {
  const request = ask('google', purpose, to);
  const address = new URL('https://accounts.google.com/o/oauth2/v2/auth');
  address.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: returnAddress().href,
    response_type: 'id_token',
    scope: 'openid email profile',
    state: request.state,
    nonce: request.nonce,
    prompt: 'select_account',
  }).toString();
  location.assign(address);
}

/** Leaves for Telegram, which comes back with signed facts behind the `#`. */
export function leaveForTelegram(
  botId: string,
  purpose: AuthorizationRequest['purpose'],
  to: string | null = null,
): void {
  const request = ask('telegram', purpose, to);
  const back = returnAddress();
  back.searchParams.set('state', request.state);
  const address = new URL('https://oauth.telegram.org/auth');
  address.search = new URLSearchParams({
    bot_id: botId,
    origin: location.origin,
    return_to: back.href,
    request_access: 'write',
  }).toString();
  location.assign(address);
}

/** The proof that came back, once; `invalid` where it belongs to no request of this tab for that purpose. */
export function takeReturn(
  purpose: AuthorizationRequest['purpose'],
): { proof: Proof | 'invalid'; to: string | null } | undefined {
  const taken = takeReturned();
  if (!taken) return undefined;
  const { returned, request } = taken;
  const proof =
    request?.purpose === purpose ? proofIn(returned.fragment, returned.state, request) : undefined;
  return { proof: proof ?? 'invalid', to: request?.to ?? null };
}

/** The proof in a fragment, if it is the reply to what was asked. */
function proofIn(
  fragment: URLSearchParams,
  state: string | null,
  request: AuthorizationRequest | undefined,
): Proof | undefined {
  if (!request || state === null || state !== request.state) return undefined;
  const idToken = fragment.get('id_token');
  if (request.provider === 'google' && idToken !== null) {
    const claims = jsonIn(idToken.split('.')[1]);
    return claims?.nonce === request.nonce ? { provider: 'google', body: { idToken } } : undefined;
  }
  const facts = jsonIn(fragment.get('tgAuthResult') ?? undefined);
  return request.provider === 'telegram' && facts ? { provider: 'telegram', body: facts } : undefined;
}

function ask(
  provider: Proof['provider'],
  purpose: AuthorizationRequest['purpose'],
  to: string | null,
): AuthorizationRequest {
  const request = { provider, purpose, state: randomText(), nonce: randomText(), to };
  keepRequest(request);
  return request;
}

const returnAddress = () => new URL(hrefOf('/sign-in'), location.origin);

/** By `getRandomValues`, since plain http has no `randomUUID`. */
const randomText = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The object that base64url holds as JSON. */
function jsonIn(encoded: string | undefined): Record<string, unknown> | undefined {
  try {
    const binary = atob((encoded ?? '').replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
