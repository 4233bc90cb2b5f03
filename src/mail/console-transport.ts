import type { Writable } from 'node:stream';
import type { Transport } from './worker.ts';

/** For those who read their mails where the server runs: plain text on stdout. Its mails stay readable in the outbox. */
export function consoleTransport(out: Writable): Transport {
  // A reader that went away is told to `write`; without a listener it would end the server as well.
  out.on('error', () => {});
  return {
    deliver: ({ to, subject, text }) =>
      new Promise((resolve) => {
        out.write(
          printable(`\n──── mail ────\nTo: ${to}\nSubject: ${subject}\n\n${text}\n──────────────\n`),
          (error) =>
            resolve(error ? { kind: 'delayed', reason: 'stdout cannot be written to' } : { kind: 'taken' }),
        );
      }),
    erasesTaken: false,
    verify: async () => undefined,
    close: () => {},
  };
}

/** Nothing that a terminal would obey. */
const printable = (text: string) => text.replaceAll(/[\p{Cc}--\n]/gv, '?');
