// Writes V8's code cache of the bundle, for assets by name on standard input: node --random-seed=1 code-cache.cjs OUTPUT
// It starts the server as the executable would, asks once and stops: what was compiled until then is in the cache.
// The fixed seed makes the cache the same each time, but for what depends on the pace of the machine.

const { tracingChannel } = require('node:diagnostics_channel');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { get } = require('node:http');
const { constants, Script } = require('node:vm');

const [, , output] = process.argv;
const assets = JSON.parse(readFileSync(0, 'utf8'));
const sea = {
  isSea: () => true,
  getRawAsset: (name) => new Uint8Array(readFileSync(assets[name])).buffer,
  getAsset: (name, encoding) => readFileSync(assets[name], encoding),
};
const script = new Script(sea.getAsset('main', 'latin1'), {
  filename: 'errand.cjs',
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
// Not removed by this process: Windows keeps the files of addons that are loaded.
const folder = `${output}.start`;
mkdirSync(folder);
process.chdir(folder);
process.env = { ERRAND_SERVER_PORT: '0', ERRAND_LOG_LEVEL: 'error' };
process.argv = [process.execPath, 'errand', 'serve'];
tracingChannel('net.server.listen').subscribe({
  asyncEnd({ server }) {
    const { port } = server.address();
    get({ port, path: '/api/health' }, (response) =>
      response.resume().on('end', () => process.emit('SIGTERM')),
    );
  },
});
process.on('exit', () => writeFileSync(output, script.createCachedData()));
const main = { exports: {} };
script.runInThisContext()((name) => (name === 'node:sea' ? sea : require(name)), main, main.exports);
