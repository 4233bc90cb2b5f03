import type { Deps } from '../deps.ts';
import type { AuthOptions } from './schema.ts';

/** Returns which ways to sign in the settings offer; nothing else of them. */
export function authOptions({ config: { auth, mail } }: Pick<Deps, 'config'>): AuthOptions {
  const [clientId] = auth.google_client_ids;
  const [botId = ''] = auth.telegram_bot_token.split(':');
  const botName = auth.telegram_bot_name;
  return {
    signup: auth.signup,
    google: clientId === undefined ? null : { clientId },
    telegram: botId === '' || botName === '' ? null : { botName, botId },
    mail: mail.transport,
  };
}
