import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  chmodSync,
  chownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { KeyFileError, openKeys, rotateAccessKey } from '../../src/kernel/keys.ts';
import { newFolder } from '../new-folder.ts';

const SOURCE = join(import.meta.dirname, '../../src/kernel/keys.ts');
const NOBODY = 65_534;
const TOKEN_MS = 15 * MINUTE;

let folder: string;
let path: string;
let warnings: string[];
beforeEach(() => {
  folder = newFolder('keys');
  path = join(folder, 'keys.json');
  warnings = [];
});

const open = (at = path) => openKeys(at, TOKEN_MS, (message) => warnings.push(message));
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
const read = () => JSON.parse(readFileSync(path, 'utf8'));
const write = (content: unknown) => writeFileSync(path, JSON.stringify(content));

/** Does something while calls of the file system are replaced. */
function onDisk(doubles: Partial<typeof fs>, work: () => void): void {
  const real = Object.fromEntries(Object.entries(fs).filter(([name]) => name in doubles));
  Object.assign(fs, doubles);
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}

const rejected = () => {
  throw new Error('EPERM');
};

async function inAnotherProcess(script: string, uid?: number): Promise<string> {
  const source = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    process.umask(0);
    const path = ${JSON.stringify(path)};
    const load = () => import(${JSON.stringify(SOURCE)});
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid }),
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return output.trim();
}

describe('the key file', () => {
  it('is made private and alone, and is the same for the next start', () => {
    const { kid, key } = open().signing();
    expect(modeOf(path)).toBe('600');
    expect(readdirSync(folder)).toEqual(['keys.json']);
    expect(key).toHaveLength(32);
    expect(open().signing()).toMatchObject({ kid, key });
    expect(new Set([read().access[0].key, read().codes, read().outbox]).size).toBe(3);
  });

  it('is on the disk, and so is its name, made or taken over', () => {
    const { fsyncSync, fstatSync, linkSync, renameSync } = fs;
    const steps: string[] = [];
    const noted = {
      fsyncSync: (file: number) => {
        steps.push(fstatSync(file).isDirectory() ? 'folder synced' : 'file synced');
        fsyncSync(file);
      },
      linkSync: (from: string, to: string) => {
        steps.push('linked');
        linkSync(from, to);
      },
      renameSync: (from: string, to: string) => {
        steps.push('renamed');
        renameSync(from, to);
      },
    };
    onDisk(noted as Partial<typeof fs>, () => {
      open();
      rotateAccessKey(path, Date.now(), TOKEN_MS);
    });
    const made = ['file synced', 'linked', 'folder synced'];
    expect(steps).toEqual([...made, 'file synced', 'renamed', 'folder synced']);
  });

  it('is one for all, however many processes start at the same time under whatever umask', async () => {
    const script = `
      const { openKeys } = await load();
      const { kid } = openKeys(path, 1, () => {}).signing();
      console.log(kid);`;
    const kids = await Promise.all(Array.from({ length: 6 }, () => inAnotherProcess(script)));
    expect(new Set(kids)).toEqual(new Set([open().signing().kid]));
    expect(readdirSync(folder)).toEqual(['keys.json']);
    expect(modeOf(path)).toBe('600');
  });

  it('is whole or not there when a start is killed before it has its name', async () => {
    await inAnotherProcess(`
      fs.linkSync = () => process.kill(process.pid, 'SIGKILL');
      syncBuiltinESMExports();
      (await load()).openKeys(path, 1, () => {});`);
    expect(readdirSync(folder)).not.toContain('keys.json');
    expect(open().signing().kid).toBe(read().access[0].kid);
  });

  it('has its mode tightened where others could read it', () => {
    open();
    for (const wide of [0o644, 0o640, 0o606, 0o601]) {
      chmodSync(path, wide);
      open();
      expect(modeOf(path)).toBe('600');
    }
    chmodSync(path, 0o400);
    open();
    expect(modeOf(path)).toBe('400');
    expect(warnings).toEqual([]);
  });

  it('is used all the same where its mode cannot be changed, with a warning', () => {
    open();
    chmodSync(path, 0o644);
    onDisk({ chmodSync: rejected }, () => expect(open().signing().kid).toBe(read().access[0].kid));
    expect(warnings).toEqual([expect.stringContaining(`${path} can be read by others`)]);
  });

  it('needs no folder that could be written to, once it is there', () => {
    const { kid } = open().signing();
    onDisk({ openSync: rejected, linkSync: rejected }, () => expect(open().signing().kid).toBe(kid));
  });

  it('that is not there, or a link to nowhere, is said to be so', () => {
    const missing = join(folder, 'missing/keys.json');
    expect(() => open(missing)).toThrow(KeyFileError);
    expect(() => open(missing)).toThrow(`${missing} cannot be made (ENOENT)`);
    symlinkSync(join(folder, 'nowhere.json'), path);
    for (const attempt of [() => open(), () => rotateAccessKey(path, Date.now(), TOKEN_MS)]) {
      expect(attempt).toThrow(KeyFileError);
      expect(attempt).toThrow(`${path} cannot be read (ENOENT)`);
    }
  });

  it.each<[string, () => void]>([
    ['empty', () => writeFileSync(path, '')],
    ['garbage', () => writeFileSync(path, 'To whom it may concern')],
    ['cut off', () => writeFileSync(path, readFileSync(path).subarray(0, 100))],
    ['without access keys', () => write({ ...read(), access: [] })],
    ['without a key for codes', () => write({ ...read(), codes: undefined })],
    ['with a key too short', () => write({ ...read(), outbox: 'c2hvcnQ' })],
    [
      'with an access key too short',
      () => write({ ...read(), access: [{ ...read().access[0], key: 'c2hvcnQ' }] }),
    ],
    ['with a key of other letters', () => write({ ...read(), outbox: '!'.repeat(43) })],
  ])('is rejected by name with the way out when it is %s, and not touched', (_kind, spoil) => {
    open();
    spoil();
    const before = readFileSync(path);
    for (const attempt of [() => open(), () => rotateAccessKey(path, Date.now(), TOKEN_MS)]) {
      expect(attempt).toThrow(KeyFileError);
      expect(attempt).toThrow(path);
      expect(attempt).toThrow(/Restore it.*or remove it/);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('that merely cannot be read is never said to be damaged, lest someone remove it', async () => {
    open();
    const isRoot = process.getuid?.() === 0;
    chmodSync(path, isRoot ? 0o600 : 0o000);
    chmodSync(folder, 0o755);
    const message = await inAnotherProcess(
      `const { openKeys } = await load();
      try { openKeys(path, 1, () => {}); } catch (error) { console.log(error.message); }`,
      isRoot ? NOBODY : undefined,
    );
    expect(message).toContain(path);
    expect(message).toContain('cannot be read (EACCES)');
    expect(message).not.toMatch(/damaged|remove/);
  });

  it("that cannot be made names the folder's fault and leaves nothing", async () => {
    const isRoot = process.getuid?.() === 0;
    chmodSync(folder, 0o500);
    if (isRoot) chownSync(folder, NOBODY, NOBODY);
    const message = await inAnotherProcess(
      `const { openKeys, KeyFileError } = await load();
      try { openKeys(path, 1, () => {}); } catch (error) { console.log(error instanceof KeyFileError, error.message); }`,
      isRoot ? NOBODY : undefined,
    );
    chmodSync(folder, 0o700);
    expect(message).toMatch(new RegExp(`^true .*${path}.*EACCES`));
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a rotation', () => {
  it('makes a new key sign at once, and lets the old one verify until its last token is out', () => {
    const keys = open();
    const old = keys.signing();
    const now = Date.now();
    const kid = rotateAccessKey(path, now, TOKEN_MS);
    keys.refresh();
    expect(keys.signing().kid).toBe(kid);
    expect(keys.verifying(kid, now)).toEqual(keys.signing().key);
    expect(keys.verifying(old.kid, now + TOKEN_MS)).toEqual(old.key);
    expect(keys.verifying(old.kid, now + TOKEN_MS + MINUTE)).toEqual(old.key);
    expect(keys.verifying(old.kid, now + TOKEN_MS + MINUTE + 1)).toBeUndefined();
    expect(keys.verifying('unknown', now)).toBeUndefined();
    expect(keys.verifying(kid, now + 1_000 * TOKEN_MS)).toBeDefined();
  });

  it('goes through a link to the key file', () => {
    const keys = open();
    const link = join(folder, 'link.json');
    symlinkSync(path, link);
    const kid = rotateAccessKey(link, Date.now(), TOKEN_MS);
    keys.refresh();
    expect(keys.signing().kid).toBe(kid);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('keeps the old key for tokens that a running server signed before it noticed', () => {
    const keys = open();
    const { kid } = keys.signing();
    const now = Date.now();
    rotateAccessKey(path, now, TOKEN_MS);
    keys.refresh();
    const noticedAt = now + 5 * SECOND;
    expect(keys.verifying(kid, noticedAt + TOKEN_MS)).toBeDefined();
  });

  it('drops keys whose last token is out from the file, and no others', () => {
    const { kid: first } = open().signing();
    const now = Date.now();
    const second = rotateAccessKey(path, now, TOKEN_MS);
    const third = rotateAccessKey(path, now + MINUTE, TOKEN_MS);
    const kids = () => read().access.map((entry: { kid: string }) => entry.kid);
    expect(kids()).toEqual([first, second, third]);
    const fourth = rotateAccessKey(path, now + TOKEN_MS + 2 * MINUTE, TOKEN_MS);
    expect(kids()).toEqual([second, third, fourth]);
    const fifth = rotateAccessKey(path, now + TOKEN_MS + 2 * MINUTE + 1, TOKEN_MS);
    expect(kids()).toEqual([third, fourth, fifth]);
  });

  it('is noticed by refresh, however soon another follows, and changes no other key', () => {
    const keys = open();
    const sealed = keys.seal('a letter');
    const hash = keys.codeHash('123456');
    for (let i = 0; i < 20; i++) {
      const kid = rotateAccessKey(path, Date.now(), TOKEN_MS);
      keys.refresh();
      expect(keys.signing().kid).toBe(kid);
    }
    expect(keys.unseal(sealed)).toBe('a letter');
    expect(open().unseal(sealed)).toBe('a letter');
    expect(open().codeHash('123456')).toBe(hash);
    expect(modeOf(path)).toBe('600');
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('at the same time as others, and wherever one is killed, leaves a whole file', async () => {
    open();
    const script = (dies: string) => `
      const { rename } = { rename: fs.renameSync };
      fs.renameSync = (...given) => { ${dies} rename(...given); };
      syncBuiltinESMExports();
      const { rotateAccessKey } = await load();
      for (let i = 0; i < 20; i++) rotateAccessKey(path, Date.now(), ${TOKEN_MS});
      console.log('done');`;
    const outcomes = await Promise.all(
      ['', '', '', `process.kill(process.pid, 'SIGKILL');`].map((dies) => inAnotherProcess(script(dies))),
    );
    expect(outcomes).toEqual(['done', 'done', 'done', '']);
    expect(open().signing().key).toHaveLength(32);
  });
});

describe('refresh', () => {
  it('keeps the keys there are and warns once when the file is damaged or gone, until it is well again', () => {
    const keys = open();
    const { kid } = keys.signing();
    const whole = readFileSync(path);
    for (const spoil of [() => writeFileSync(path, 'garbage'), () => rmSync(path)]) {
      spoil();
      keys.refresh();
      keys.refresh();
      expect(keys.signing().kid).toBe(kid);
    }
    expect(warnings).toHaveLength(2);
    for (const warning of warnings) expect(warning).toContain(path);
    writeFileSync(path, whole, { mode: 0o600 });
    const rotated = rotateAccessKey(path, Date.now(), TOKEN_MS);
    keys.refresh();
    expect(keys.signing().kid).toBe(rotated);
    expect(warnings).toHaveLength(2);
  });

  it('takes a file of the same size that was written in place of the old one, by the same name', () => {
    const keys = open();
    const { kid } = keys.signing();
    const other = 'x'.repeat(kid.length);
    const { ino, size, mtimeMs } = statSync(path);
    writeFileSync(path, readFileSync(path, 'utf8').replace(kid, other));
    utimesSync(path, new Date(), new Date(mtimeMs + 1));
    expect(statSync(path)).toMatchObject({ ino, size });
    keys.refresh();
    expect(keys.signing().kid).toBe(other);
  });
});

describe('what is sealed', () => {
  it('opens to the same text, whatever the text, and never looks the same twice', () => {
    const keys = open();
    for (const text of ['', 'a letter', '☃'.repeat(10_000)]) {
      expect(keys.unseal(keys.seal(text))).toBe(text);
      expect(keys.seal(text).equals(keys.seal(text))).toBe(false);
    }
  });

  it('opens neither with any one bit changed, nor cut, nor with another key', () => {
    const keys = open();
    const sealed = keys.seal('ab');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const tampered = Buffer.from(sealed);
      tampered[bit >> 3] = (sealed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(keys.unseal(tampered), `bit ${bit}`).toBeUndefined();
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(keys.unseal(sealed.subarray(0, length)), `length ${length}`).toBeUndefined();
    }
    expect(keys.unseal(Buffer.concat([sealed, Buffer.alloc(1)]))).toBeUndefined();
    expect(open(join(folder, 'others.json')).unseal(sealed)).toBeUndefined();
  });

  it('and the hash of a code depend on the key', () => {
    const others = open(join(folder, 'others.json'));
    expect(open().codeHash('123456')).not.toBe(others.codeHash('123456'));
  });
});
