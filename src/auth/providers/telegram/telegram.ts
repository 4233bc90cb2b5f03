import type { Deps } from '../../../deps.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import { invalid, signInFailed } from '../../../kernel/errors.ts';
import { confirmTelegramSignup } from '../../../mail/messages.ts';
import type { SignedIn } from '../../../sessions/actor.ts';
import { writeSignedIn } from '../../../sessions/authentication.ts';
import { consumeTelegramLogin, findUserByIdentity } from '../../../storage/identities.ts';
import { passwordTag } from '../../../storage/signup-attempts.ts';
import { completeSignIn, type SignIn } from '../../complete-sign-in.ts';
import { promiseAccount, requireOpen } from '../../email/signup.ts';
import type { Me, TelegramInput, TelegramLoginInput } from '../../schema.ts';
import { ACCOUNT_DISABLED, fittingName, linkIdentity, notLinked } from '../identities.ts';
import { telegramPerson } from './telegram-widget.ts';

const USED = 'The Telegram sign-in was used before';

/**
 * Signs in by what the Telegram login widget signed, each time once. Someone new must say an address (400) and is
 * asked there to confirm, as a sign-up is: undefined, the same for addresses with and without an account. 401 for
 * what is not signed, too old or used; 403 for someone new while sign-up is closed.
 */
export async function logInByTelegram(
  deps: Deps,
  requestContext: RequestContext,
  input: TelegramLoginInput,
): Promise<SignIn | undefined> {
  const now = deps.clock.now();
  const person = telegramPerson(deps.config.auth.telegram_bot_token, input, now);
  if ('error' in person) throw signInFailed(person.error);
  const { email } = input;
  const outcome = await deps.write((tx) => {
    if (!consumeTelegramLogin(tx, person.payload)) return 'used';
    const user = findUserByIdentity(tx, 'telegram', person.subject);
    if (user && user.disabled_at !== null) throw signInFailed(ACCOUNT_DISABLED);
    if (user)
      return completeSignIn(deps, tx, requestContext, { user, by: 'telegram', mode: input.session }, now);
    requireOpen(deps);
    // Throwing takes back the use: the client asks for the address, and sends the same fields again with it.
    if (email === undefined) {
      throw invalid({ path: 'email', message: 'Email is needed: this Telegram account is not linked yet' });
    }
    promiseAccount(
      deps,
      tx,
      {
        email,
        name: fittingName(person.name, email),
        password_hash: null,
        password_tag: passwordTag(deps.keys, email, null),
        invited_to: null,
        telegram_id: person.subject,
      },
      (token) => confirmTelegramSignup(deps.config, person.shownAs, token),
      now,
    );
    return 'promised';
  });
  if (outcome === 'used') throw signInFailed(USED);
  return outcome === 'promised' ? undefined : outcome;
}

/**
 * Links the Telegram account of the widget's fields to the caller's. 400 for fields that do not work, when it is
 * linked to another account, and when the caller has another one.
 */
export async function linkTelegram(deps: Deps, who: SignedIn, input: TelegramInput): Promise<Me> {
  const now = deps.clock.now();
  const person = telegramPerson(deps.config.auth.telegram_bot_token, input, now);
  if ('error' in person) throw notLinked('telegram', person.error);
  return writeSignedIn(deps, who, (tx) => {
    if (!consumeTelegramLogin(tx, person.payload)) throw notLinked('telegram', USED);
    return linkIdentity(deps, tx, who, 'telegram', person.subject, now);
  });
}
