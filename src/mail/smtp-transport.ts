import { isIP } from 'node:net';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { Config } from '../config.ts';
import { MINUTE, SECOND } from '../kernel/instants.ts';
import { PLAIN_ADDRESS, senderIn } from '../kernel/sender.ts';
import { type Delivery, MAIL_BATCH_SIZE, type Transport } from './worker.ts';

const MAX_REASON_CHARACTERS = 200;

/** Authentication required, mechanism too weak, credentials rejected, encryption required (RFC 4954, section 6). */
const CREDENTIALS_REPLIES = [530, 534, 535, 538];

/** How long the server may take; a test is less patient. */
const TIMEOUTS = {
  dnsMs: 5 * SECOND,
  connectMs: 10 * SECOND,
  /** For its first word, and for the TLS handshake. */
  greetingMs: 10 * SECOND,
  /** Without a byte. */
  silenceMs: 30 * SECOND,
  /** For a whole mail, so that one who trickles cannot hold it for ever. */
  mailMs: 2 * MINUTE,
};
export type Timeouts = typeof TIMEOUTS;

/**
 * Sends by SMTP over a few kept connections. With `smtp_tls = starttls` nothing, credentials least of all, goes to a
 * server that does not upgrade; certificates are verified always. Only an error of the recipient or of the mail
 * itself is final: a fault of sender, credentials, TLS or network affects every mail, and an admin can fix it.
 */
export function smtpTransport(
  config: Config,
  options: { timeouts?: Partial<Timeouts>; ca?: string } = {},
): Transport {
  const { mail } = config;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const from = senderIn(mail.from);
  const domain = messageIdDomain(config, from?.address ?? '');
  const mailer = createTransport({
    pool: true,
    maxConnections: MAIL_BATCH_SIZE,
    // Once, for a kept connection that the server has just closed; other trouble is the worker's to repeat.
    maxRequeues: 1,
    host: mail.smtp_host,
    name: ownName(config),
    port: mail.smtp_port,
    secure: mail.smtp_tls === 'implicit',
    requireTLS: mail.smtp_tls === 'starttls',
    ignoreTLS: mail.smtp_tls === 'none',
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(options.ca && { ca: options.ca }) },
    ...(mail.smtp_user && { auth: { user: mail.smtp_user, pass: mail.smtp_password } }),
    dnsTimeout: timeouts.dnsMs,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    deliver: async ({ id, to, subject, text, html }) => {
      if (!PLAIN_ADDRESS.test(to)) {
        return { kind: 'rejected', reason: 'the address is not one that mail can be sent to' };
      }
      try {
        await mailer.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          // No out-of-office replies (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(timeouts.mailMs),
        });
        return { kind: 'taken' };
      } catch (error) {
        return fateOf(failureOf(error), to);
      }
    },
    erasesTaken: true,
    verify: async () => {
      try {
        await mailer.verify();
        return undefined;
      } catch (error) {
        return reasonOf(failureOf(error), '');
      }
    },
    close: () => mailer.close({ force: true }),
  };
}

/** The sender's domain, or the public host for a sender that has none to speak of. */
function messageIdDomain(config: Config, sender: string): string {
  const domain = sender.slice(sender.lastIndexOf('@') + 1);
  return domain.includes('.') ? domain : new URL(config.server.public_url).hostname;
}

/** What we call ourselves to the server: the public host, an address as RFC 5321, 4.1.3, spells it. */
function ownName({ server }: Pick<Config, 'server'>): string {
  const { hostname } = new URL(server.public_url);
  if (isIP(hostname) === 4) return `[${hostname}]`;
  return hostname.replace(/^\[/, '[IPv6:');
}

const failureOf = (error: unknown): NodemailerError =>
  error instanceof Error ? error : new Error('the mail could not be sent');

function fateOf(failure: NodemailerError, to: string): Delivery {
  const isAboutMail = failure.command === 'RCPT TO' || failure.command === 'DATA';
  const isFinal =
    isAboutMail && failure.permanent === true && !CREDENTIALS_REPLIES.includes(failure.responseCode ?? 0);
  return { kind: isFinal ? 'rejected' : 'delayed', reason: reasonOf(failure, to) };
}

const REJECTED: Record<string, string> = {
  'MAIL FROM': 'the server rejected the sender',
  'RCPT TO': 'the server rejected the recipient',
  DATA: 'the server rejected the mail',
  STARTTLS: 'the server offers no STARTTLS, which mail.smtp_tls requires',
};

/**
 * Says what happened, for the log and `mail list`. The server's own words are left out once it has been told a
 * secret: filters like to quote the link that they object to.
 */
function reasonOf(failure: NodemailerError, to: string): string {
  const { code, command = '', response, message } = failure;
  if (code === 'EABORT') return 'the server took too long';
  if (response === undefined) return tlsReason(message) ?? presentable(message, to);
  const what = command.startsWith('AUTH')
    ? 'the server rejected the credentials'
    : (REJECTED[command] ?? 'the server closed the session');
  const knowsSecrets = command.startsWith('AUTH') || command === 'DATA';
  return presentable(`${what}: ${knowsSecrets ? repliesOf(response) : response}`, to);
}

const USUAL_PORTS = 'mail.smtp_tls "implicit" usually goes with port 465, "starttls" with 587';

/** What OpenSSL says of a TLS handshake, in words for an admin of Errand; within the characters that are kept. */
function tlsReason(message: string): string | undefined {
  if (/self-signed certificate|unable to (verify the first|get (local )?issuer) certificate/.test(message)) {
    return 'the server has a certificate of an unknown authority: start Errand with NODE_EXTRA_CA_CERTS=<CA file>, or with NODE_OPTIONS=--use-system-ca if this system trusts it';
  }
  if (/wrong version number|packet length too long/.test(message)) {
    return `the server speaks without TLS at this port: ${USUAL_PORTS}`;
  }
  // A server that expects TLS waits for the client to begin.
  if (message === 'Greeting never received') return `the server sent no greeting: ${USUAL_PORTS}`;
  return undefined;
}

/** `550 5.1.1` of `550 5.1.1 No such user`. */
const repliesOf = (response: string) => /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0] ?? '';

const presentable = (text: string, to: string) =>
  (to === '' ? text : text.replaceAll(new RegExp(RegExp.escape(to), 'gi'), 'the recipient'))
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_REASON_CHARACTERS);
