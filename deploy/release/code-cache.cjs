// Writes V8's code cache of the bundle, for assets by name on standard input: node --random-seed=1 code-cache.cjs OUTPUT
// It starts the server on an empty folder as the executable would, asks once and stops: what was compiled until then is
// in the cache. The fixed seed makes the cache the same each time.

const { tracingChannel } = require('node:diagnostics_channel');
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { get } = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');

const [, , output] = process.argv;
const assets = JSON.parse(readFileSync(0, 'utf8'));
const sea = {
  isSea: () => true,
  getRawAsset: (name) => new Uint8Array(readFileSync(assets[name])).buffer,
  getAsset: (name, encoding) => readFileSync(assets[name], encoding),
};
const script = new Script(sea.getAsset('main', 'utf8'), {
  filename: 'errand.cjs',
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const folder = mkdtempSync(join(tmpdir(), 'errand-'));
process.chdir(folder);
process.env = { TMPDIR: folder, ERRAND_SERVER_PORT: '0', ERRAND_LOG_LEVEL: 'error' };
process.argv = [process.execPath, 'errand', 'serve'];
tracingChannel('net.server.listen').subscribe({
  asyncEnd({ server }) {
    const { port } = server.address();
    get({ port, path: '/api/health' }, (response) =>
      response.resume().on('end', () => process.emit('SIGTERM')),
    );
  },
});
process.on('exit', () => {
  process.chdir('/');
  rmSync(folder, { recursive: true });
  writeFileSync(output, script.createCachedData());
});
const main = { exports: {} };
script.runInThisContext()((name) => (name === 'node:sea' ? sea : require(name)), main, main.exports);
