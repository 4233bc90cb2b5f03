import { BlockList, isIP } from 'node:net';

const LOOPBACK = ['127.0.0.1', '::1'];

/** Tells the address a request came from, given that of its peer and its X-Forwarded-For. */
export type AddressOf = (peer: string, forwardedFor: string | undefined) => string;

/**
 * Behind a trusted proxy the client is the right-most hop of X-Forwarded-For that is no trusted proxy itself, or the
 * one `maxProxies` hops away, whichever comes first (0: any number); from anyone else the header is ignored.
 */
export function clientAddress(trusted: readonly string[], maxProxies = 0): AddressOf {
  const isProxy = trustedProxies(trusted);
  return (peer, forwardedFor) => {
    let client = plainAddress(peer);
    if (trusted.length === 0 || forwardedFor === undefined) return client;
    let proxies = 0;
    for (const hop of forwardedFor.split(',').reverse()) {
      if (!isProxy(client) || (maxProxies > 0 && proxies === maxProxies)) break;
      proxies += 1;
      const address = plainAddress(withoutPort(hop.trim()));
      if (isIP(address) === 0) break;
      client = address;
    }
    return client;
  };
}

/** Tells which addresses are proxies; `trusted` holds addresses and CIDR ranges, as the settings have them. */
export function trustedProxies(trusted: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const entry of trusted) addTo(proxies, entry);
  return (address) => {
    const bare = plainAddress(address);
    const kind = isIP(bare);
    return kind !== 0 && proxies.check(bare, kind === 6 ? 'ipv6' : 'ipv4');
  };
}

/** Whether a proxy on this machine is trusted, whose requests look like those of a program here. */
export function trustsLoopback(trusted: readonly string[]): boolean {
  const isProxy = trustedProxies(trusted);
  return trusted.some((entry) => isLoopback(entry.split('/')[0] ?? '')) || LOOPBACK.some(isProxy);
}

/** The trusted proxies that are ranges of many addresses: each address there can forge its own. */
export const rangesIn = (trusted: readonly string[]): string[] =>
  trusted.filter((entry) => {
    const [address = '', bits] = entry.split('/');
    return bits !== undefined && Number(bits) < (isIP(address) === 6 ? 128 : 32);
  });

/** What limits are counted by: an IPv4 address, or the /64 network of an IPv6 one. */
export const networkOf = (address: string): string => networksOf(address)[0];

/**
 * The networks that an address is in and that may be one customer's, the narrowest first: of an IPv6 one its /64, /56
 * and /48; of an IPv4 one the address alone.
 */
export function networksOf(address: string): [string, ...string[]] {
  if (isIP(address) !== 6) return [address];
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - after.length).fill('0');
  const all = [...groups, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16));
  const spelt = (some: number[], bits: number) =>
    `${some.map((group) => group.toString(16)).join(':')}::/${bits}`;
  const [subnets = 0] = all.slice(3);
  return [spelt(all, 64), spelt([...all.slice(0, 3), subnets & 0xff00], 56), spelt(all.slice(0, 3), 48)];
}

/** Whether an address, or a host as a URL has it, is this machine itself. */
export function isLoopback(host: string): boolean {
  const address = plainAddress(host.replace(/^\[(.*)\]$/, '$1'));
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** One spelling for each address: IPv6 compressed and without zone, IPv4 in its clothes as IPv4. */
export function plainAddress(address: string): string {
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
