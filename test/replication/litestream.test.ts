import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentOf } from '../content.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { homeOf } from '../people.ts';
import { openWorld, type Person, type World } from '../world.ts';

const SHIPPED = join(import.meta.dirname, '../../deploy/litestream.yml');
const settings = { database: { external_replication: true } };

/** Together they fill more of the log than Litestream leaves in it. */
const MANY = 3_000;

let world: World;
let ada: Person;
let tools: ChildProcess[];
/** What Litestream logged. */
let said: string[];
const configured = () => join(world.folder, 'litestream.yml');
const original = () => join(world.folder, 'errand.db');

beforeEach(async () => {
  tools = [];
  said = [];
  world = await openWorld({ settings });
  ada = await world.signUp();
  configure();
});
afterEach(async () => {
  for (const tool of tools) tool.kill('SIGKILL');
  await world.close();
  rmSync(world.folder, { recursive: true, force: true });
});

/** The configuration that is shipped, on this data, to a folder, and in more of a hurry. */
function configure(...options: string[]): void {
  const shipped = readFileSync(SHIPPED, 'utf8');
  const [databases = ''] = shipped.split('      - type: s3');
  const ours = ['monitor-interval: 10ms', ...options, 'replicas:'].join('\n    ');
  const replica = `      - type: file\n        path: ${join(world.folder, 'replica')}\n        sync-interval: 10ms\n`;
  writeFileSync(
    configured(),
    databases.replaceAll('/var/lib/errand/errand.db', original()).replace('replicas:', ours) + replica,
  );
}

/** Starts to replicate, and has done so once; what is returned kills it when all that is committed is in the replica. */
async function replicate(): Promise<() => Promise<void>> {
  const tool = spawn('litestream', ['replicate', '-config', configured()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  tools.push(tool);
  const lines = createInterface({ input: tool.stdout });
  lines.on('line', (line) => said.push(line));
  const written = on(lines, 'line', { close: ['close'] });
  const replicated = async () => {
    for (;;) {
      const { value, done } = await written.next();
      if (done) throw new Error(`Litestream ended: ${said.at(-1)}`);
      if (value[0].includes('wal segment written')) return;
    }
  };
  await replicated();
  return async () => {
    const all = rowsIn(original());
    while (!isDeepStrictEqual(rowsIn(join(restored(), 'errand.db')), all)) await replicated();
    const ended = once(tool, 'exit');
    // Asked to stop, it may give up in the midst of a checkpoint, and lose its place by itself.
    tool.kill('SIGKILL');
    await ended;
  };
}

const createTasks = async () => addTasks(world, await homeOf(world, ada), MANY);

/** Every row of Errand's own, by table; not those of Litestream, which writes some after it has replicated. */
const rowsIn = (path: string) =>
  Object.entries(contentOf(path)).filter(([table]) => !table.startsWith('_litestream'));

function restored(): string {
  const folder = mkdtempSync(join(world.folder, 'restored-'));
  const words = ['restore', '-config', configured(), '-o', join(folder, 'errand.db'), original()];
  execFileSync('litestream', words, { stdio: 'pipe' });
  return folder;
}

describe('with Litestream beside it, everything committed', () => {
  it('can be restored elsewhere, and is opened there', async () => {
    const finish = await replicate();
    await createTasks();
    await finish();
    const folder = restored();
    expect(rowsIn(join(folder, 'errand.db'))).toEqual(rowsIn(original()));
    const elsewhere = await openWorld({ folder });
    try {
      expectIntegrity(elsewhere);
      const { body } = await elsewhere.call('POST', '/auth/login', { body: ada });
      expect(body.user).toMatchObject({ id: ada.id });
    } finally {
      await elsewhere.close();
    }
  });

  it('is kept in one generation while Errand is restarted, also when Litestream was away', async () => {
    // Without a checkpoint of its own it only loses its place by another's.
    configure('max-checkpoint-page-count: 1000000', 'min-checkpoint-page-count: 1000000');
    const restart = async () => {
      await createTasks();
      await world.opened.close();
      world = await openWorld({ folder: world.folder, settings });
      await createTasks();
    };
    const finish = await replicate();
    await restart();
    await finish();
    await restart();
    const finishAgain = await replicate();
    await finishAgain();
    expect(said.filter((line) => line.includes('new generation'))).toHaveLength(1);
    expect(rowsIn(join(restored(), 'errand.db'))).toEqual(rowsIn(original()));
  });

  it('is replicated when Litestream comes back, also what was committed while it was away', async () => {
    const finish = await replicate();
    await createTasks();
    await finish();
    await createTasks();
    const finishAgain = await replicate();
    await createTasks();
    await finishAgain();
    expect(rowsIn(join(restored(), 'errand.db'))).toEqual(rowsIn(original()));
  });
});
