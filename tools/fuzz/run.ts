/**
 * Sends Errand all requests of its OpenAPI document, valid and not, and checks every response against what was
 * promised:
 *   npm run fuzz -- [--requests 100000] [--seed 1] [--sockets] [--limits]
 * Prints what came back by route, memory and holds of the event loop; exit code 1 when anything was found.
 */
import { parseArgs } from 'node:util';
import { fuzz } from './campaign.ts';
import { ownMs } from './loop.ts';
import { openOutside } from './outside.ts';
import { growthOf, MAX_HELD_MS, neverAccepted, printed } from './report.ts';
import { overSockets } from './sockets.ts';
import { inProcess } from './target.ts';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Over HTTP against a process of its own, rather than in this one. */
    sockets: { type: 'boolean', default: false },
    /** With rate limits, which are off otherwise. */
    limits: { type: 'boolean', default: false },
  },
});

const outside = await openOutside(options.limits);
const target = await (options.sockets ? overSockets : inProcess)(outside.options);
const report = await fuzz({
  target,
  requests: Number(options.requests),
  seed: Number(options.seed),
  isLimited: options.limits,
  idToken: outside.idToken,
  onProgress: ({ requests, seconds, findings, memory }) =>
    process.stderr.write(
      `${requests} requests, ${seconds.toFixed(0)} s, ${findings.length} findings, heap ${memory.at(-1)?.heapMb.toFixed(1)} MB\n`,
    ),
});
const faults = await target.close();
await outside.close();

const unreached = neverAccepted(report);
const growth = growthOf(report);
const tooLong = report.holds.filter((hold) => ownMs(hold) > MAX_HELD_MS);
const verdicts = [
  ...faults.map((fault) => `the database is damaged: ${fault}`),
  ...unreached.map((name) => `never accepted: ${name}`),
  ...(growth.isTooMuch ? [`memory grew by ${growth.mb.toFixed(1)} MB`] : []),
  ...tooLong.map((hold) => `the event loop was held for ${ownMs(hold).toFixed(0)} ms by ${hold.during}`),
];
process.stdout.write(`${[printed(report), ...verdicts].join('\n')}\n`);
process.exitCode = report.findings.length + verdicts.length > 0 ? 1 : 0;
