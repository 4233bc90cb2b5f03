import { BlockList, isIP } from 'node:net';

/** Tells the address a request came from, given that of its peer and its X-Forwarded-For. */
export type AddressOf = (peer: string, forwardedFor: string | undefined) => string;

/**
 * Behind a trusted proxy the client is the right-most hop of X-Forwarded-For that is no trusted proxy itself; from
 * anyone else the header is ignored. `trusted` holds addresses and CIDR ranges, as the settings have them.
 */
export function clientAddress(trusted: readonly string[]): AddressOf {
  const proxies = new BlockList();
  for (const entry of trusted) addTo(proxies, entry);
  const isProxy = (address: string) => {
    const kind = isIP(address);
    return kind !== 0 && proxies.check(address, kind === 6 ? 'ipv6' : 'ipv4');
  };
  return (peer, forwardedFor) => {
    let client = plain(peer);
    if (trusted.length === 0 || forwardedFor === undefined) return client;
    for (const hop of forwardedFor.split(',').reverse()) {
      if (!isProxy(client)) break;
      const address = plain(withoutPort(hop.trim()));
      if (isIP(address) === 0) break;
      client = address;
    }
    return client;
  };
}

/** What limits are counted by: an IPv4 address, or the /64 network of an IPv6 one, which is one customer's. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - after.length).fill('0');
  const all = [...groups, ...zeros, ...after].slice(0, 4);
  return `${all.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Whether an address, or a host as a URL has it, is this machine itself. */
export function isLoopback(host: string): boolean {
  const address = plain(host.replace(/^\[(.*)\]$/, '$1'));
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** One spelling for each address: IPv6 compressed and without zone, IPv4 in its clothes as IPv4. */
function plain(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (isIP(bare) !== 6) return bare;
  const spelt = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(spelt) ?? [];
  if (high === undefined || low === undefined) return spelt;
  const bytes = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex');
  return bytes.join('.');
}

/** Some proxies tell the client's port as well. */
const withoutPort = (hop: string) => hop.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');

function addTo(proxies: BlockList, entry: string): void {
  const [address = '', bits] = entry.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) proxies.addAddress(address, family);
  else proxies.addSubnet(address, Number(bits), family);
}
