import { createConfig } from '../../src/config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDeps } from '../../src/open.ts';

/** What a start does before it serves, in a process of its own: opens the database that it is given, migrates it. */
const [path] = process.argv.slice(2);
const opened = await openDeps(createConfig({ database: { path } }), silentLog, { role: 'server' });
await opened.close();
