// Compiles a bundle and writes V8's code cache of it: node --random-seed=1 code-cache.cjs BUNDLE OUTPUT
// It starts the server with a configuration file that is missing, so that all modules are evaluated and nothing else is
// done: what was compiled until then is in the cache. The fixed seed makes the cache the same each time.

const { readFileSync, writeFileSync } = require('node:fs');
const { constants, Script } = require('node:vm');

const [, , bundle, output] = process.argv;
const script = new Script(readFileSync(bundle, 'utf8'), {
  filename: 'errand.cjs',
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
process.argv = [process.execPath, 'errand', 'serve', '--config', `${output}.missing`];
process.stderr.write = () => true;
process.on('exit', () => {
  process.exitCode = 0;
  writeFileSync(output, script.createCachedData());
});
const main = { exports: {} };
script.runInThisContext()(require, main, main.exports);
