import { buildWeb } from '../src/web/build.mjs';

/** Builds the browser client before a run of tests. */
export const setup = async (): Promise<void> => {
  await buildWeb();
};
