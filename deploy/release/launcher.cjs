// Runs the bundle from the executable's assets, with the code cache that was made of it when it was built.
// https://nodejs.org/api/vm.html#new-vmscriptcode-options

const { getRawAsset } = require('node:sea');
const { constants, Script } = require('node:vm');

// It is in ASCII alone, and a string of so many bytes need not be decoded.
const script = new Script(Buffer.from(getRawAsset('main')).latin1Slice(), {
  filename: 'errand.cjs',
  cachedData: codeCache(),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const main = { exports: {} };
script.runInThisContext()(require, main, main.exports);

/** None in an executable for another platform than the one it was built on; one that V8 rejects costs only time. */
function codeCache() {
  try {
    return Buffer.from(getRawAsset('code-cache'));
  } catch {
    return undefined;
  }
}
