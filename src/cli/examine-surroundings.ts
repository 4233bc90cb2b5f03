import { existsSync, readdirSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { isDataLocked } from '../db/open.ts';
import { isLoopback, rangesIn } from '../http/client-address.ts';
import { errnoOf } from '../kernel/errors.ts';
import { MINUTE, SECOND, toInstant } from '../kernel/instants.ts';
import { transportOf } from '../mail/transport.ts';
import { type Finding, fail, failuresOr, ok, warn } from './finding.ts';

const FIRST_YEAR = 2026;
const LAST_YEAR = 2100;
const DRIFT_MS = 5 * MINUTE;
/** Zone rules change several times a year, somewhere. */
const ZONE_DATA_YEARS = 2;
const RESPONSE_MS = 5 * SECOND;

/** How the world reaches the server: proxies, links. */
export function examineProxy({ server }: Config): Finding[] {
  const { host, public_url: publicUrl, trusted_proxies: proxies, trusted_hops: hops } = server;
  const ranges = hops === 0 ? rangesIn(proxies).filter((range) => !range.endsWith('/0')) : [];
  const believed = proxies.length > 0 ? `believes the proxies ${proxies.join(', ')}` : 'believes no proxy';
  return failuresOr(`Listens on ${host}, ${believed}; links lead to ${publicUrl}`, [
    proxies.some((range) => range.endsWith('/0')) &&
      fail(
        `server.trusted_proxies believes everyone (${proxies.join(', ')}): anyone can pretend another address`,
        'Name the address of your proxy only',
      ),
    ranges.length > 0 &&
      warn(
        `server.trusted_proxies has ranges (${ranges.join(', ')}): a client inside one can forge its address`,
        'Name the addresses of the proxies, or set server.trusted_hops to how many there are in a row',
      ),
    publicUrl.startsWith('https:') &&
      proxies.length === 0 &&
      warn(
        `server.public_url is ${publicUrl}, so a proxy stands in front, but server.trusted_proxies is empty`,
        'Set it to the address of the proxy, or all clients share one limit',
      ),
    !isLoopback(host) &&
      new URL(publicUrl).hostname === 'localhost' &&
      warn(
        `Others can reach the server at ${host}, but mailed links lead to ${publicUrl}`,
        'Set server.public_url to the address people use',
      ),
  ]);
}

/** Tells whether strangers may open accounts here: a note, as many want that. */
export function examineSignup({ auth, server, mail }: Config): Finding {
  if (auth.signup === 'closed') return ok('Closed: new accounts only by invitation or `errand create-user`');
  const isReachable =
    !isLoopback(server.host) || mail.transport === 'smtp' || server.trusted_proxies.length > 0;
  return ok(
    isReachable
      ? 'Open: everyone who reaches the server may open an account; auth.signup = "closed" ends that'
      : 'Open',
  );
}

/** Asks a running server whether it is ready; that none runs is fine. */
export async function examineServer({ server: { host, port }, database }: Config): Promise<Finding> {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const address = `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
  try {
    const status = await statusOf(reached, port);
    if (!isDataLocked(database.path)) {
      return fail(
        `At ${address} is another server: none runs on ${database.path}`,
        'Give this one another server.port, or run doctor with the settings of that server',
      );
    }
    if (status === 200) return ok(`It runs at ${address} and is ready`);
    return fail(
      `What runs at ${address} is not ready (${status})`,
      'Its log tells why; if it is another program, set server.port',
    );
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ECONNREFUSED' && isDataLocked(database.path)) {
      return warn(
        `Something runs on ${database.path}, but not at ${address}`,
        'Run doctor with the settings of the server, ERRAND_ variables included',
      );
    }
    if (code === 'ECONNREFUSED') return ok(`None runs at ${address}`);
    if (code === 'ABORT_ERR') {
      return fail(`What runs at ${address} does not respond`, 'Restart it, and see its log');
    }
    return fail(
      `At ${address} is another program, or there is no such address (${code})`,
      'Set server.host and server.port',
    );
  }
}

/** Not by `fetch`, which asks at no port that browsers block, and at no address of one link. */
const statusOf = (host: string, port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(RESPONSE_MS);
    const asking = get(
      { host, port, path: '/readyz', headers: { host: 'localhost' }, signal },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    asking.on('error', reject);
  });

/** The clock against reason, and against the files: one from the future was written while the clock was ahead. */
export function examineClock({ database, backup }: Config, now: number): Finding[] {
  const year = new Date(now).getUTCFullYear();
  const advice = 'Set the clock, and keep it by NTP';
  if (year < FIRST_YEAR || year >= LAST_YEAR) return [fail(`The clock says ${toInstant(now)}`, advice)];
  const ahead = [dirname(database.path), backup.directory]
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .find(({ at }) => at > now + DRIFT_MS);
  return failuresOr(toInstant(now), [
    ahead && warn(`${ahead.file} was written at ${toInstant(ahead.at)}, which is still to come`, advice),
  ]);
}

/** The rules of time zones, built into the program, by which recurring tasks fall due. */
export function examineZones(now: number): Finding {
  const version = process.versions.tz ?? '';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const age = new Date(now).getUTCFullYear() - Number(version.slice(0, 4));
  if (age < ZONE_DATA_YEARS) return ok(`${version}; the local zone is ${zone}`);
  const fault = version === '' ? 'There are none' : `${version} is old: zones have changed their rules since`;
  return warn(fault, 'Upgrade Errand');
}

/** Shakes hands with the mail server, credentials included; sends nothing. */
export async function examineMail(config: Config): Promise<Finding> {
  const { mail, server } = config;
  if (mail.transport === 'smtp') return handshake(config);
  if (new URL(server.public_url).hostname === 'localhost') {
    return ok('Mails are printed on the console of the server');
  }
  return warn(
    'Mails are printed on the console of the server and reach nobody else',
    'Set mail.transport to "smtp", or hand out links by `errand mail show ID`',
  );
}

async function handshake(config: Config): Promise<Finding> {
  const { from, smtp_host: host, smtp_port: port } = config.mail;
  const transport = await transportOf(config);
  try {
    const reason = await transport.verify();
    if (reason === undefined) return ok(`${host}:${port} accepts our connection; mails come from ${from}`);
    return fail(
      `${host}:${port} cannot be used: ${reason}`,
      'Fix the settings of [mail], then try `errand mail test ADDRESS`',
    );
  } finally {
    transport.close();
  }
}
