import { run } from './cli/program.ts';
import { processShell } from './cli/shell.ts';

// Whatever a command makes (database, keys, backups) is its owner's alone.
process.umask(0o077);
const exitCode = await run(process.argv.slice(2), processShell());
process.exitCode ||= exitCode;
