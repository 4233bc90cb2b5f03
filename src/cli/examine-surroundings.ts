import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { MINUTE, SECOND } from '../kernel/instants.ts';
import { transportOf } from '../mail/transport.ts';
import type { Finding } from './doctor.ts';

const FIRST_YEAR = 2026;
const LAST_YEAR = 2100;
const DRIFT_MS = 5 * MINUTE;
/** Zone rules change several times a year, somewhere. */
const ZONE_DATA_YEARS = 2;
const ANSWER_MS = 5 * SECOND;

/** How the world reaches the server: proxies, links. */
export function examineProxy({ server }: Config): Finding[] {
  const { host, public_url: publicUrl, trusted_proxies: proxies } = server;
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  const findings: Finding[] = [];
  if (proxies.some((range) => range.endsWith('/0'))) {
    findings.push({
      status: 'fail',
      message: `server.trusted_proxies believes everyone (${proxies.join(', ')}): anyone can pretend another address`,
      advice: 'Name the address of your proxy only',
    });
  }
  if (publicUrl.startsWith('https:') && proxies.length === 0) {
    findings.push({
      status: 'warn',
      message: `server.public_url is ${publicUrl}, so a proxy stands in front, but server.trusted_proxies is empty`,
      advice: 'Set it to the address of the proxy, or all clients share one limit',
    });
  }
  if (!isLocal && new URL(publicUrl).hostname === 'localhost') {
    findings.push({
      status: 'warn',
      message: `Others can reach the server at ${host}, but mailed links lead to ${publicUrl}`,
      advice: 'Set server.public_url to the address people use',
    });
  }
  if (findings.length > 0) return findings;
  const believed = proxies.length > 0 ? `believes the proxies ${proxies.join(', ')}` : 'believes no proxy';
  return [{ status: 'ok', message: `Listens on ${host}, ${believed}; links lead to ${publicUrl}` }];
}

/** Asks a running server whether it is ready; that none runs is fine. */
export async function examineServer({ server: { host, port } }: Config): Promise<Finding[]> {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const address = `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
  try {
    const { status } = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    if (status === 200) return [{ status: 'ok', message: `It runs at ${address} and is ready` }];
    return [
      {
        status: 'fail',
        message: `What runs at ${address} is not ready (${status})`,
        advice: 'Its log tells why; if it is another program, set server.port',
      },
    ];
  } catch (error) {
    const isSilent = error instanceof Error && error.name === 'TimeoutError';
    if (!isSilent) return [{ status: 'ok', message: `None runs at ${address}` }];
    return [
      {
        status: 'fail',
        message: `What runs at ${address} does not answer`,
        advice: 'Restart it, and see its log',
      },
    ];
  }
}

/** The clock against reason, and against the files: time that went back makes tokens and tasks come too early. */
export function examineClock({ database }: Config, now: number): Finding[] {
  const year = new Date(now).getUTCFullYear();
  const folder = dirname(database.path);
  const advice = 'Set the clock, and keep it by NTP';
  if (year < FIRST_YEAR || year >= LAST_YEAR) {
    return [{ status: 'fail', message: `The clock says ${new Date(now).toISOString()}`, advice }];
  }
  const ahead = (existsSync(folder) ? readdirSync(folder) : [])
    .map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .find(({ at }) => at > now + DRIFT_MS);
  if (ahead) {
    const when = new Date(ahead.at).toISOString();
    return [
      {
        status: 'warn',
        message: `${join(folder, ahead.name)} was written at ${when}, which is still to come`,
        advice,
      },
    ];
  }
  return [{ status: 'ok', message: new Date(now).toISOString() }];
}

/** The rules of time zones, built into the program, by which recurring tasks fall due. */
export function examineZones(now: number): Finding[] {
  const version = process.versions.tz ?? '';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const age = new Date(now).getUTCFullYear() - Number(version.slice(0, 4));
  if (age < ZONE_DATA_YEARS) return [{ status: 'ok', message: `${version}; the local zone is ${zone}` }];
  return [
    {
      status: 'warn',
      message: version === '' ? 'There are none' : `${version} is old: zones have changed their rules since`,
      advice: 'Upgrade Errand',
    },
  ];
}

/** Shakes hands with the mail server, credentials included; sends nothing. */
export async function examineMail(config: Config): Promise<Finding[]> {
  const { mail, server } = config;
  if (mail.transport === 'smtp') return [await handshake(config)];
  if (new URL(server.public_url).hostname === 'localhost') {
    return [{ status: 'ok', message: 'Mails are printed on the console of the server' }];
  }
  return [
    {
      status: 'warn',
      message: 'Mails are printed on the console of the server and reach nobody else',
      advice: 'Set mail.transport to "smtp", or hand out links by `errand mail show ID`',
    },
  ];
}

async function handshake(config: Config): Promise<Finding> {
  const { from, smtp_host: host, smtp_port: port } = config.mail;
  const transport = transportOf(config);
  try {
    const reason = await transport.verify();
    if (reason === undefined)
      return { status: 'ok', message: `${host}:${port} talks to us; mails come from ${from}` };
    return {
      status: 'fail',
      message: `${host}:${port} cannot be used: ${reason}`,
      advice: 'Mend the settings of [mail], then try `errand mail test ADDRESS`',
    };
  } finally {
    transport.close();
  }
}
