import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { failureOf, MisuseError } from './failures.ts';
import { printableLines } from './output.ts';
import type { Shell } from './shell.ts';

/** Asked for by `--version`, which is handled outside commander: what it prints is loaded only then. */
const VERSION_ASKED = new CommanderError(0, 'errand.version', '');

/**
 * Runs the command that `args` names and returns the exit code: 0 done, 1 failed, 2 misused. Never throws.
 * What a command needs is loaded when it runs, so that the rest stays quick and touches nothing.
 */
export async function run(args: string[], shell: Shell): Promise<number> {
  try {
    const program = commandLine(shell);
    const [first, asked] = args;
    if (first === 'help' && asked !== undefined && !program.commands.some((each) => each.name() === asked)) {
      throw new MisuseError(`unknown command '${asked}'\nAdd --help for the commands.`);
    }
    await program.parseAsync(configLast(args), { from: 'user' });
    return 0;
  } catch (error) {
    if (error === VERSION_ASKED) {
      const { versionLine } = await import('../build-info.ts');
      shell.print(`${versionLine()}\n`);
      return 0;
    }
    // It has said what it has to say.
    if (error instanceof CommanderError) {
      if (error.code === 'commander.unknownOption') await hintAtSettings(shell, args);
      return error.exitCode === 0 ? 0 : 2;
    }
    const { message, exitCode } = failureOf(error);
    // What is indented is to be copied as it is, or a stack.
    for (const line of printableLines(message).split('\n'))
      shell.say(line.startsWith(' ') ? `${line}\n` : `errand: ${line}\n`);
    return exitCode;
  }
}

/** `--config FILE` is an option of each command, and may stand before it as well. */
function configLast(args: string[]): string[] {
  const count = args[0] === '--config' ? 2 : args[0]?.startsWith('--config=') ? 1 : 0;
  const end = args.indexOf('--');
  const at = end === -1 ? args.length : end;
  return [...args.slice(count, at), ...args.slice(0, count), ...args.slice(at)];
}

/** Says how to set what was given as an option and is a setting, such as `--port`. */
async function hintAtSettings(shell: Shell, args: readonly string[]): Promise<void> {
  const { everySetting } = await import('../settings.ts');
  const options = args.map((word) => /^--([\w-]+)/.exec(word)?.[1]?.replaceAll('-', '_'));
  for (const [section, key] of everySetting().filter(([, key]) => options.includes(key))) {
    const variable = `ERRAND_${section}_${key}`.toUpperCase();
    shell.say(`errand: set ${section}.${key} in the configuration file, or ${variable} in the environment\n`);
  }
}

/** Every command with its arguments; each is done by the file of its name. */
function commandLine(shell: Shell): Command {
  // Before a command is loaded, which is work as well.
  const lowerPriority = () => shell.lowerPriority();
  const program = new Command('errand')
    .description('A task-management backend in one executable and one SQLite file')
    .option('-V, --version', 'print the versions of Errand, its runtime and SQLite')
    .on('option:version', () => {
      throw VERSION_ASKED;
    })
    .exitOverride()
    .showHelpAfterError('errand: Add --help for the options.')
    .configureOutput({
      writeOut: shell.print,
      writeErr: shell.say,
      outputError: (text, write) => write(text.replaceAll(/^(error: )?(?=.)/gm, 'errand: ')),
    });

  add(
    program,
    'serve',
    'serve until SIGTERM or SIGINT; migrates the database first, and makes one where there is none',
  ).action(async (options) => (await import('./serve.ts')).serveUntilSignal(shell, options));

  add(program, 'migrate', 'bring the database to the newest schema, or show where it is')
    .addOption(new Option('--to-latest', 'run every pending migration (default)').conflicts('status'))
    .option('--status', 'only list the migrations done and pending')
    .addOption(
      new Option(
        '--rehearse',
        'migrate a copy, and tell the time, space and rows it takes: changes nothing, also beside a running server',
      ).conflicts(['status', 'toLatest']),
    )
    .addOption(
      new Option(
        '--remake-search',
        'then rebuild the search index, if `errand doctor` finds it damaged',
      ).conflicts(['status', 'rehearse']),
    )
    .addOption(json())
    .hook('preAction', (command) => command.opts().rehearse && lowerPriority())
    .action(async (options) => (await import('./migrate.ts')).migrateData(shell, options));

  add(
    program,
    'create-user',
    'open an account with its default workspace; the password is asked for, unless an option says how',
  )
    .option('--email <address>', 'e-mail address, taken as proved; required')
    .option('--name <name>', 'name of the person; required')
    .addOption(passwordFromStdin().conflicts('password'))
    .option('--no-password', 'an account without a password: signs in by mailed code')
    .option('--workspace-title <title>', "title of the default workspace (default: <name>'s workspace)")
    .addOption(json())
    .action(async (options) => (await import('./create-user.ts')).createUser(shell, options));

  add(program, 'export', 'write everything of an account as JSON: profile, owned workspaces, notifications')
    .requiredOption('--user <address>', 'e-mail address of the account')
    .option('--output <file>', 'a new file, readable by its owner only (default: stdout)')
    .addOption(new Option('--json', 'print JSON, as it always does'))
    .hook('preAction', lowerPriority)
    .action(async (options) => (await import('./export.ts')).exportUser(shell, options));

  add(
    program,
    'import',
    'import an exported document into new workspaces of an account, also while the server runs',
  )
    .argument('<file>')
    .requiredOption('--user <address>', 'e-mail address of the account')
    .option('--dry-run', 'only tell what would be imported')
    .addOption(json())
    .hook('preAction', lowerPriority)
    .action(async (file, options) => (await import('./import.ts')).importFile(shell, file, options));

  add(program, 'backup', 'copy the database to one file, also while the server runs, and check the copy')
    .argument('[file]', 'a new file (default: into the backup directory, where the newest ones are kept)')
    .addOption(json())
    .hook('preAction', lowerPriority)
    .action(async (file, options) => (await import('./backup.ts')).backUp(shell, file, options));

  add(program, 'restore', 'put a backup into the place of the database; the file that was there is kept')
    .argument('<file>')
    .option('--yes', 'confirm: replace the database')
    .option('--keep-sessions', 'do not end the sessions, codes, mailed links and unsent mails in it')
    .addOption(json())
    .action(async (file, options) => (await import('./restore.ts')).restore(shell, file, options));

  const users = group(program, 'users', 'list accounts and help their owners');
  add(users, 'list', 'list accounts with their last sign-in, and what they own; the oldest first')
    .option('--search <text>', 'only those whose address or name contains this')
    .option('--disabled', 'only disabled accounts')
    .option('--limit <n>', 'at most so many (default: all)', positiveInteger)
    .option('--page <n>', 'which page of --limit accounts (default: 1)', positiveInteger)
    .addOption(json())
    .action(async (options) => (await import('./users.ts')).listUsers(shell, options));
  add(users, 'set-password', 'set a new password as a reset does: ends all sessions and mails a notice')
    .argument('<email>')
    .addOption(passwordFromStdin())
    .action(async (email, options) => (await import('./users.ts')).setPassword(shell, email, options));
  add(users, 'sign-out', 'end all sessions of an account, at once')
    .argument('<email>')
    .addOption(json())
    .action(async (email, options) => (await import('./users.ts')).signOut(shell, email, options));

  add(users, 'disable', 'end all sessions of an account, and let nobody sign in to it')
    .argument('<email>')
    .addOption(json())
    .action(async (email, options) => (await import('./users.ts')).disableUser(shell, email, options));
  add(users, 'enable', 'let the owner of a disabled account sign in again')
    .argument('<email>')
    .addOption(json())
    .action(async (email, options) => (await import('./users.ts')).enableUser(shell, email, options));

  add(
    users,
    'delete',
    'delete an account permanently; workspaces that others are in pass to them, the others are deleted with it',
  )
    .argument('<email>')
    .option('--yes', 'confirm: delete the account permanently')
    .addOption(json())
    .action(async (email, options) => (await import('./users.ts')).deleteUser(shell, email, options));

  add(program, 'log', 'show what was done to accounts, keys and the database, the newest first')
    .option('--user <account>', 'only what concerns this account: its address, or the id of a deleted one')
    .option('--limit <n>', 'at most so many', positiveInteger, 1_000)
    .addOption(json())
    .action(async (options) => (await import('./log.ts')).showLog(shell, options));

  const mail = group(program, 'mail', 'look into the outbox, and test delivery');
  add(mail, 'list', 'list the mails that wait, were sent, or failed')
    .addOption(json())
    .action(async (options) => (await import('./mail.ts')).listOutbox(shell, options));
  add(mail, 'show', 'show a mail, with the link and code it carries while they are of use')
    .argument('<id>')
    .addOption(json())
    .action(async (id, options) => (await import('./mail.ts')).showFromOutbox(shell, id, options));
  add(mail, 'retry', 'let the server send a mail at once, again if it was sent')
    .argument('<id>')
    .action(async (id, options) => (await import('./mail.ts')).retryFromOutbox(shell, id, options));
  add(mail, 'test', 'send a test mail by the configured transport, now')
    .argument('<address>')
    .action(async (address, options) => (await import('./mail.ts')).sendTest(shell, address, options));

  const keys = group(program, 'keys', 'care for the key file');
  add(
    keys,
    'rotate',
    'sign access tokens with a new key; the old one stays valid until the last token it signed has expired',
  )
    .addOption(json())
    .action(async (options) => (await import('./keys.ts')).rotateKeys(shell, options));

  add(program, 'config', 'print the effective settings as TOML, secrets masked')
    .option('--check', 'only say whether they are valid')
    .addOption(json())
    .action(async (options) => (await import('./config.ts')).printConfig(shell, options));

  add(program, 'doctor', 'check settings, files, database, clock, mail and backups, and say what to do')
    .addOption(json())
    .hook('preAction', lowerPriority)
    .action(async (options) => (await import('./doctor.ts')).examine(shell, options));

  return program;
}

/** A command, with the option that all of them take. */
const add = (parent: Command, name: string, description: string): Command =>
  group(parent, name, description).option(
    '--config <file>',
    'configuration file (default: $ERRAND_CONFIG, else config.toml if there is one)',
  );

const group = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description);

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

const json = () => new Option('--json', 'print JSON');

const passwordFromStdin = () => new Option('--password-stdin', 'read the password from stdin');
