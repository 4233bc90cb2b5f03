import {
  closeSync,
  constants,
  cpSync,
  createReadStream,
  ftruncateSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const CALLS = ['pwrite64', 'ftruncate', 'unlink', 'fsync', 'fdatasync'];
/** What a disk writes as a whole. */
const SECTOR = 512;

/** The words before a command whose writes to these files are to be traced, each of its threads into `trace.<id>`. */
export const tracingWrites = (trace: string, files: string[]): string[] => [
  'strace',
  ...['-D', '-ff', '-ttt', '-T', '-y', '-xx', '-s', '1000000', '-o', trace, '-e', `trace=${CALLS.join(',')}`],
  ...files.flatMap((file) => ['-P', file]),
];

/** Something done to a file; instants are milliseconds since the epoch. */
interface Deed {
  file: string;
  began: number;
  ended: number;
  /** Since when the disk may hold it: the beginning of a change, the end of a sync. */
  at: number;
  /** Undefined for a sync. */
  change: Change | undefined;
}
type Change =
  | { kind: 'write'; offset: number; bytes: Buffer }
  | { kind: 'cut'; size: number }
  | { kind: 'remove' };

const LINE =
  /^(?<at>\d+\.\d+) (?<call>\w+)\((?:\d+<(?<of>[^>]+)>|"(?<path>[^"]*)")(?<rest>.*)\) += (?<returned>-?\d+).* <(?<took>[\d.]+)>$/s;

/** What was done to the files, in the order of `at`. */
export async function deedsIn(trace: string): Promise<Deed[]> {
  const traces = readdirSync(dirname(trace)).filter((name) => name.startsWith(`${basename(trace)}.`));
  const deeds: Deed[] = [];
  for (const name of traces) {
    const input = createReadStream(join(dirname(trace), name), 'latin1');
    for await (const line of createInterface({ input })) deeds.push(...deedOf(line));
  }
  return deeds.sort((a, b) => a.at - b.at);
}

function deedOf(line: string): Deed[] {
  const { at, call, of, path, rest = '', returned, took } = LINE.exec(line)?.groups ?? {};
  if (!call || !CALLS.includes(call) || Number(returned) < 0) return [];
  const began = Number(at) * 1_000;
  const ended = began + Number(took) * 1_000;
  const file = basename(unescaped(of ?? path ?? '').toString());
  const change = changeBy(call, rest);
  return [{ file, began, ended, at: change ? began : ended, change }];
}

function changeBy(call: string, rest: string): Change | undefined {
  if (call === 'unlink') return { kind: 'remove' };
  if (call === 'ftruncate') return { kind: 'cut', size: Number(rest.slice(2)) };
  if (call !== 'pwrite64') return undefined;
  const [, text = '', offset] = /^, "([^"]*)", \d+, (\d+)$/.exec(rest) ?? [];
  return { kind: 'write', offset: Number(offset), bytes: unescaped(text) };
}

/** Of `\x68\x69`. */
const unescaped = (text: string): Buffer =>
  text.startsWith('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text, 'latin1');

/** A folder as a disk holds it for certain, and what may be there beyond that. */
export class Disk {
  private pending: Deed[] = [];
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  do(deed: Deed): void {
    if (deed.change) {
      this.pending.push(deed);
      return;
    }
    const isCovered = ({ file, ended }: Deed) => file === deed.file && ended <= deed.began;
    for (const { change, file } of this.pending.filter(isCovered)) {
      if (change) make(change, join(this.folder, file));
    }
    this.pending = this.pending.filter((each) => !isCovered(each));
  }

  /** Copies into a new folder what is there once the power was cut: each sector not synced is, by that chance. */
  cut(copy: string, chance: number): void {
    cpSync(this.folder, copy, { recursive: true });
    for (const { change, file } of this.pending) {
      for (const part of change ? sectorsOf(change) : []) {
        if (Math.random() < chance) make(part, join(copy, file));
      }
    }
  }
}

function make(change: Change, path: string): void {
  if (change.kind === 'remove') {
    rmSync(path, { force: true });
    return;
  }
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  if (change.kind === 'cut') ftruncateSync(file, change.size);
  else writeSync(file, change.bytes, 0, change.bytes.length, change.offset);
  closeSync(file);
}

function* sectorsOf(change: Change): Generator<Change> {
  if (change.kind !== 'write') return yield change;
  const { offset, bytes } = change;
  for (let at = 0; at < bytes.length; ) {
    const end = at + SECTOR - ((offset + at) % SECTOR);
    yield { kind: 'write', offset: offset + at, bytes: bytes.subarray(at, end) };
    at = end;
  }
}
