import { query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Visitor } from '../http/request.ts';
import { invalid, signInFailed } from '../kernel/errors.ts';
import { confirmTelegramSignup } from '../mail/messages.ts';
import { type SignedIn, writeSignedIn } from '../sessions/door.ts';
import type { SignedInAnswer } from '../sessions/schema.ts';
import { signedInAnswer, startSession } from '../sessions/tokens.ts';
import { findUserByIdentity, fittingName, linkIdentity, notLinked } from './identities.ts';
import type { Me, TelegramInput, TelegramLoginInput } from './schema.ts';
import { demandOpen, promiseAccount } from './signup.ts';
import { type TelegramPerson, telegramPerson } from './telegram-widget.ts';

const USED = 'The Telegram sign-in was used before';

/**
 * Signs in by what the Telegram login widget signed, each time once. Someone new must say an address (400) and is
 * asked there to confirm, as a sign-up is: undefined, the same for addresses with and without an account. 401 for
 * what is not signed, too old or used; 403 for someone new while sign-up is closed.
 */
export async function logInByTelegram(
  deps: Deps,
  visitor: Visitor,
  input: TelegramLoginInput,
): Promise<SignedInAnswer | undefined> {
  const now = deps.clock.now();
  const person = telegramPerson(deps.config.auth.telegram_bot_token, input, now);
  if ('refusal' in person) throw signInFailed(person.refusal);
  const { email } = input;
  const outcome = await deps.write((tx) => {
    if (!use(tx, person)) return 'used';
    const user = findUserByIdentity(tx, 'telegram', person.subject);
    if (user) return { user, session: startSession(deps, tx, visitor, user.id, now) };
    demandOpen(deps);
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
        invited_to: null,
        telegram_id: person.subject,
      },
      (token) => confirmTelegramSignup(deps.config, person.shownAs, token),
      now,
    );
    return 'promised';
  });
  if (outcome === 'used') throw signInFailed(USED);
  return outcome === 'promised' ? undefined : signedInAnswer(deps, outcome.user, outcome.session, now);
}

/**
 * Links the Telegram account of the widget's fields to the caller's. 400 for fields that do not work, when it is
 * linked to another account, and when the caller has another one.
 */
export async function linkTelegram(deps: Deps, who: SignedIn, input: TelegramInput): Promise<Me> {
  const now = deps.clock.now();
  const person = telegramPerson(deps.config.auth.telegram_bot_token, input, now);
  if ('refusal' in person) throw notLinked('telegram', person.refusal);
  return writeSignedIn(deps, who, (tx) => {
    if (!use(tx, person)) throw notLinked('telegram', USED);
    return linkIdentity(deps, tx, who, 'telegram', person.subject, now);
  });
}

/** Spends what was signed; false when it was spent before. */
const use = (tx: Tx, { payload }: TelegramPerson): boolean =>
  tx.run(
    query
      .insertInto('used_telegram_logins')
      .values(payload)
      .onConflict((conflict) => conflict.doNothing()),
  ) > 0;
