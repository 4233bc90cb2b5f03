// Tries the built executable as a stranger's machine meets it: alone in a folder, with an empty environment.
// node test/smoke.mjs [dist/errand]

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_WITHIN_MS = 10_000;
const STOP_WITHIN_MS = 20_000;

const built = resolve(process.argv[2] ?? join(import.meta.dirname, '../dist/errand'));
const box = mkdtempSync(join(tmpdir(), 'errand-smoke-'));
const cwd = join(box, 'empty');
// A copy, so that an errand.native/ beside the built one does not spare it the unpacking.
const errand = join(box, 'errand');
const port = await freePort();
const running = new Set();

try {
  copyFileSync(built, errand);
  chmodSync(errand, 0o755);
  mkdirSync(cwd);

  writesNothing(['--version'], /^errand \d+\.\d+\.\d+ \(Node\.js \d+\.\d+\.\d+, SQLite \d+\.\d+\.\d+\)\n$/);
  writesNothing(['--help'], /serve/);
  writesNothing(['serve', '--help'], /--config/);

  const first = await start();
  const unpacked = readdirSync(join(cwd, 'data')).find((name) => name.startsWith('errand-native-'));
  assert.ok(unpacked, 'the addons are unpacked in the data folder');
  assert.equal(statSync(join(cwd, 'data', unpacked)).mode & 0o777, 0o700);
  await fillLog(await signIn());
  assert.doesNotMatch(first.talk(), /thread failed/);
  await stop(first);

  const second = await start();
  await stop(second);
  console.log(
    `First healthy response ${first.ms} ms after exec on new data, ${second.ms} ms on data that is there.`,
  );
} finally {
  for (const server of running) server.kill('SIGKILL');
  rmSync(box, { recursive: true, force: true });
}

function run(parameters, input = '') {
  const done = spawnSync(errand, parameters, {
    cwd,
    env: {},
    input,
    encoding: 'utf8',
    timeout: START_WITHIN_MS,
  });
  assert.equal(done.status, 0, `errand ${parameters.join(' ')}: ${done.error ?? done.stderr}`);
  return done;
}

function writesNothing(parameters, expected) {
  const unpackedInTmp = () => readdirSync('/tmp').filter((name) => name.startsWith('errand-native-'));
  const before = unpackedInTmp();
  const { stdout, stderr } = run(parameters);
  assert.match(stdout, expected);
  assert.equal(stderr, '');
  assert.deepEqual(readdirSync(cwd), []);
  assert.deepEqual(unpackedInTmp(), before);
}

async function start() {
  const begun = performance.now();
  const server = spawn(errand, ['serve'], { cwd, env: { ERRAND_SERVER_PORT: String(port) } });
  running.add(server);
  const exit = new Promise((untilIdle) => server.once('exit', (code, signal) => untilIdle(code ?? signal)));
  let talk = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (talk += text));
  while (!(await isHealthy())) {
    assert.equal(server.exitCode, null, `the server stopped: ${talk}`);
    assert.ok(performance.now() - begun < START_WITHIN_MS, `no healthy response: ${talk}`);
    await sleep(2);
  }
  return { server, exit, talk: () => talk, ms: Math.round(performance.now() - begun) };
}

async function isHealthy() {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
  } catch {
    return false;
  }
}

/** Through both addons: an account made beside the running server, its password checked, its data read. */
async function signIn() {
  const account = { email: 'smoke@example.com', password: 'a password for smoke' };
  run(
    ['create-user', '--email', account.email, '--name', 'Smoke', '--password-stdin'],
    `${account.password}\n`,
  );
  const { accessToken } = await ask('/auth/login', undefined, account);
  const me = await ask('/me', accessToken);
  assert.equal(me.email, account.email);
  return accessToken;
}

/** Through the thread: enough is written for the log to be copied into the file while the server runs. */
async function fillLog(accessToken) {
  const [{ id }] = (await ask('/me/workspaces', accessToken)).items;
  const [{ id: listId }] = (await ask(`/workspaces/${id}/lists`, accessToken)).items;
  const task = { listId, title: 'Long', description: 'x'.repeat(50_000) };
  const isCopied = () => statSync(join(cwd, 'data/errand.db')).size > 16_000_000;
  for (let i = 0; i < 1_000 && !isCopied(); i += 1) await ask(`/workspaces/${id}/tasks`, accessToken, task);
  assert.ok(isCopied(), 'the log is copied into the file');
}

async function ask(path, accessToken, body) {
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(accessToken && { authorization: `Bearer ${accessToken}` }),
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${text}`);
  return JSON.parse(text);
}

async function stop({ server, exit, talk }) {
  server.kill('SIGTERM');
  const code = await Promise.race([exit, sleep(STOP_WITHIN_MS, 'not stopped', { ref: false })]);
  assert.equal(code, 0, `after SIGTERM: ${talk()}`);
  running.delete(server);
  assert.doesNotMatch(talk(), /\(node:\d+\)/, 'Node has nothing to warn about');
}

function freePort() {
  return new Promise((untilIdle, fail) => {
    const probe = createServer().once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => untilIdle(port));
    });
  });
}
