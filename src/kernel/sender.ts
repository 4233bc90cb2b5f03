import addressparser from 'nodemailer/lib/addressparser';

/** No quotes, comments, routes, controls or non-ASCII: what every parser on the way reads as the same one mailbox. */
export const PLAIN_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** The one address in a sender such as `Ada <ada@example.com>`, with its name; undefined where there is not just one. */
export function senderIn(from: string): { name: string; address: string } | undefined {
  const [sender, ...more] = addressparser(from, { flatten: true });
  return sender && more.length === 0 && PLAIN_ADDRESS.test(sender.address)
    ? { name: sender.name, address: sender.address }
    : undefined;
}
