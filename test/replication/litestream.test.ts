import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentOf } from '../content.ts';
import { addTasks } from '../many-tasks.ts';
import { homeOf } from '../people.ts';
import { expectSound } from '../soundness.ts';
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
  // The one that is shipped, on this data, to a folder, and in more of a hurry.
  const shipped = readFileSync(SHIPPED, 'utf8');
  const [databases = ''] = shipped.split('      - type: s3');
  const ours = databases
    .replaceAll('/var/lib/errand/errand.db', original())
    .replace('    replicas:', '    monitor-interval: 10ms\n    replicas:');
  writeFileSync(
    configured(),
    `${ours}      - type: file\n        path: ${join(world.folder, 'replica')}\n        sync-interval: 10ms\n`,
  );
});
afterEach(async () => {
  for (const tool of tools) tool.kill('SIGKILL');
  await world.close();
  rmSync(world.folder, { recursive: true, force: true });
});

/** Starts to replicate, and has done so once; what is answered ends it when all that is committed is in the replica. */
async function replicate(): Promise<() => Promise<void>> {
  const tool = spawn('litestream', ['replicate', '-config', configured()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  tools.push(tool);
  const lines = createInterface({ input: tool.stdout });
  lines.on('line', (line) => said.push(line));
  for await (const [line] of on(lines, 'line')) if (line.includes('wal segment written')) break;
  return async () => {
    const ended = once(tool, 'exit');
    tool.kill('SIGINT');
    // It may complain that it was stopped in its last checkpoint: what it is to keep, it has by then.
    await ended;
  };
}

const createTasks = async () => addTasks(world, await homeOf(world, ada), MANY);

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
    expect(contentOf(join(folder, 'errand.db'))).toEqual(contentOf(original()));
    const elsewhere = await openWorld({ folder });
    try {
      expectSound(elsewhere);
      const { body } = await elsewhere.call('POST', '/auth/login', { body: ada });
      expect(body.user).toMatchObject({ id: ada.id });
    } finally {
      await elsewhere.close();
    }
  });

  it('is kept in one generation while Errand is started anew', async () => {
    const finish = await replicate();
    await createTasks();
    await world.opened.close();
    world = await openWorld({ folder: world.folder, settings });
    await createTasks();
    await finish();
    // Had Errand emptied the log, Litestream would have lost its place, and begun another with a new snapshot.
    expect(said.filter((line) => line.includes('new generation'))).toHaveLength(1);
    expect(contentOf(join(restored(), 'errand.db'))).toEqual(contentOf(original()));
  });

  it('is replicated when Litestream comes back, also what was committed while it was away', async () => {
    const finish = await replicate();
    await createTasks();
    await finish();
    await createTasks();
    const finishAgain = await replicate();
    await createTasks();
    await finishAgain();
    expect(contentOf(join(restored(), 'errand.db'))).toEqual(contentOf(original()));
  });
});
