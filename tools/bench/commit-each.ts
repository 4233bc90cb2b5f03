/** Loaded before Errand: has its writer commit each job by itself, to show what sharing commits is worth. */
import { registerHooks } from 'node:module';

const WRITER = new URL('../../src/db/writer.ts', import.meta.url).href;
const SHARED = 'const JOBS_PER_COMMIT = 256;';

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (url !== WRITER) return loaded;
    const source = String(loaded.source);
    if (!source.includes(SHARED)) throw new Error(`There is no "${SHARED}" in ${url}`);
    return { ...loaded, source: source.replace(SHARED, 'const JOBS_PER_COMMIT = 1;') };
  },
});
