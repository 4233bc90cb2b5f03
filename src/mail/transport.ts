import type { Config } from '../config.ts';
import type { Transport } from './worker.ts';

/** The transport that `mail.transport` names. */
export function transportOf(_config: Config): Transport {
  return consoleTransport((text) => process.stdout.write(text));
}

/** For those who read their mails where the server runs: plain text on stdout. */
export const consoleTransport = (print: (text: string) => void): Transport => ({
  deliver: async ({ to, subject, text }) => {
    print(`\n──── mail ────\nTo: ${to}\nSubject: ${subject}\n\n${text}\n──────────────\n`);
    return { kind: 'taken' };
  },
  erasesTaken: false,
  verify: async () => undefined,
  close: () => {},
});
