import { run } from './cli/program.ts';
import { processShell } from './cli/shell.ts';

// Whatever a command makes (database, keys, backups) is its owner's alone.
process.umask(0o077);
run(process.argv.slice(2), processShell()).then((exitCode) => {
  process.exitCode ||= exitCode;
});
