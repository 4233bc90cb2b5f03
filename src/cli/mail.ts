import { recordAct } from '../audit/trail.ts';
import { OperatorError } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { testDelivery, transportOf } from '../mail/transport.ts';
import { retryMail } from '../storage/outbox.ts';
import { listMails, type MailSummary, showMail } from '../storage/outbox-listing.ts';
import { Email } from '../users/schema.ts';
import { type CommonOptions, readConfig, withData } from './open-data.ts';
import { printable, printableLines, printJson, printResult, table } from './output.ts';
import { parse } from './parse.ts';
import type { Shell } from './shell.ts';

export async function listOutbox(shell: Shell, options: CommonOptions): Promise<void> {
  const mails = await withData(shell, options, ({ read }) => listMails(read));
  const rows = mails.map((mail) => [mail.id, mail.kind, mail.to, mail.createdAt, fateOf(mail)]);
  printResult(shell, options, mails, table(['ID', 'KIND', 'TO', 'CREATED', 'STATE'], rows));
}

/** Prints a mail as it is sent; its links and codes are there as long as they are of use. */
export async function showFromOutbox(shell: Shell, id: string, options: CommonOptions): Promise<void> {
  const mail = await withData(shell, options, ({ read, keys }) => showMail(read, keys, id));
  if (!mail) throw noMail(id);
  if (options.json) return printJson(shell, mail);
  const { message, ...summary } = mail;
  shell.print(
    `To: ${printable(mail.to)}\nKind: ${mail.kind}\nCreated: ${mail.createdAt}\nState: ${printable(fateOf(summary))}\n`,
  );
  if (message) shell.print(`Subject: ${printable(message.subject)}\n\n${printableLines(message.text)}\n`);
  else
    shell.say(
      'errand: the content of this mail is gone: it was sent or expired, or the key file is another\n',
    );
}

/** Lets the server, or the next one that starts, try a mail again at once. */
export async function retryFromOutbox(shell: Shell, id: string, options: CommonOptions): Promise<void> {
  const isRetried = await withData(shell, options, (deps) => {
    const { read, write, keys, clock } = deps;
    const mail = showMail(read, keys, id);
    if (!mail) throw noMail(id);
    if (!mail.message) return false;
    const now = toInstant(clock.now());
    return write((tx) => {
      recordAct(deps, tx, { event: 'mail-retried', mailId: id }, 'mail retried');
      return retryMail(tx, id, now);
    });
  });
  if (!isRetried) throw new OperatorError('The content of this mail is gone; it cannot be sent again');
  shell.print('A running server sends it within seconds\n');
}

/** Sends a test mail by the configured transport and waits for its reply. */
export async function sendTest(shell: Shell, address: string, options: CommonOptions): Promise<void> {
  const to = parse(Email, address);
  const config = readConfig(shell, options);
  const transport = await transportOf(config);
  try {
    const delivery = await testDelivery(transport, to);
    if (delivery.kind !== 'taken')
      throw new OperatorError(`The test mail was not accepted: ${printable(delivery.reason)}`);
    shell.say(`errand: the ${config.mail.transport} transport accepted a test mail to ${to}\n`);
  } finally {
    transport.close();
  }
}

const noMail = (id: string) => new OperatorError(`There is no mail ${printable(id)} in the outbox`);

function fateOf({ state, sentAt, nextAttemptAt, attempts, lastError }: MailSummary): string {
  const words =
    state === 'sent'
      ? `sent ${sentAt}`
      : state === 'queued' && attempts > 0
        ? `waits until ${nextAttemptAt}`
        : state;
  return lastError === null ? words : `${words} (${lastError})`;
}
