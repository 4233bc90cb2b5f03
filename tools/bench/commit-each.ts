/** Loaded before Errand: has its writer commit each transaction function by itself, to show what sharing commits is worth. */
import { registerHooks } from 'node:module';

const TRANSACTIONS = new URL('../../src/db/transactions.ts', import.meta.url).href;
const SHARED = 'const MAX_FUNCTIONS_PER_COMMIT = 256;';

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (url !== TRANSACTIONS) return loaded;
    const source = String(loaded.source);
    if (!source.includes(SHARED)) throw new Error(`There is no "${SHARED}" in ${url}`);
    return { ...loaded, source: source.replace(SHARED, 'const MAX_FUNCTIONS_PER_COMMIT = 1;') };
  },
});
