import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { announcePreparation, parseOption, readPassword, runCommandLine, print } from '../platform/cli.ts';
import type { Log } from '../platform/log.ts';
import {
  addDatabaseOptions,
  addServeOptions,
  COMMAND_DATABASE_LIMITS,
  resolveDatabase,
  serveUntilStopped,
  withService,
  type DatabaseLocation,
  type ServeOptions,
} from '../platform/service/service-commands.ts';
import { accountNameSchema, accountRoleSchema, type AccountRole } from '../wire/exchange.ts';
import { addRegistrationCommands } from './commands-files.ts';
import { createExchange, type Exchange, type ExchangeOptions } from './exchange.ts';
import { VERSION } from './version.ts';

const PAGES_FOLDER = fileURLToPath(new URL('../../renderer/operator/dist', import.meta.url));

/** Name in the audit log. */
const ACTOR = 'command line';

/**
 * Returns the value of `EXCHANGE_FEWEST_PDAS`: how many PDAs must report a name before it is published. Returns
 * undefined if the variable is not set.
 * @throws Error if the value is not a whole number from 1 to 50
 */
const readMinReportingPdas = (): number | undefined => {
  const value = process.env['EXCHANGE_FEWEST_PDAS'] ?? '';
  if (value === '') return undefined;
  if (/^[1-9]\d?$/u.test(value) && Number(value) <= 50) return Number(value);
  throw new Error('EXCHANGE_FEWEST_PDAS must be a whole number from 1 to 50.');
};

const openExchange = (
  location: DatabaseLocation,
  log: Log,
  options: Pick<ExchangeOptions, 'pages' | 'publicUrls' | 'proxies' | 'onPrepare' | 'databaseLimits'> = {},
): Promise<Exchange> => {
  const secret = process.env['EXCHANGE_SECRET'];
  return createExchange({
    database: resolveDatabase(location, 'personal-data-exchange', log),
    log,
    ...(secret === undefined || secret === '' ? {} : { secret }),
    minReportingPdas: readMinReportingPdas(),
    ...options,
  });
};

const withExchange = <T>(location: DatabaseLocation, work: (exchange: Exchange) => Promise<T>): Promise<T> =>
  withService(
    (log) => openExchange(location, log, { onPrepare: announcePreparation, databaseLimits: COMMAND_DATABASE_LIMITS }),
    work,
  );

const serve = (options: ServeOptions): Promise<void> => {
  const { publicUrl: publicUrls = [], proxies } = options;
  return serveUntilStopped(
    'exchange',
    (log) => openExchange(options, log, { pages: PAGES_FOLDER, publicUrls, proxies }),
    options,
  );
};

const parseRoles = (value: string): AccountRole[] => {
  const results = value.split(',').map((word) => accountRoleSchema.safeParse(word.trim()));
  const roles = results.flatMap((result) => (result.success ? [result.data] : []));
  if (roles.length < results.length)
    throw new InvalidArgumentError(`Use one or more of: ${accountRoleSchema.options.join(', ')}.`);
  return roles;
};

const buildProgram = (): Command => {
  const program = new Command('exchange')
    .description('Registers PDAs, applications, Data Plugs and Offers.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const addCommand = (group: Command, name: string, description: string): Command =>
    addDatabaseOptions(group.command(name).description(description));

  addServeOptions(program.command('serve').description('run an exchange')).action(serve);

  const accounts = program.command('account').description('accounts: create, password');
  const nameOption = ['--name <name>', 'name for signing in', parseOption(accountNameSchema)] as const;
  const passwordOption = ['--password-stdin', 'read the password from standard input'] as const;
  addCommand(accounts, 'create', 'create an account')
    .requiredOption(...nameOption)
    .requiredOption('--roles <a,b>', accountRoleSchema.options.join(', '), parseRoles)
    .requiredOption(...passwordOption)
    .action(async (options: DatabaseLocation & { name: string; roles: AccountRole[] }) => {
      const password = await readPassword();
      await withExchange(options, (exchange) =>
        exchange.accounts.create({ name: options.name, password, roles: options.roles }, ACTOR),
      );
      print(`account ${options.name} created: ${options.roles.join(', ')}`);
    });
  addCommand(accounts, 'password', 'set a new password, enable the account and end its sessions')
    .requiredOption(...nameOption)
    .requiredOption(...passwordOption)
    .action(async (options: DatabaseLocation & { name: string }) => {
      const password = await readPassword();
      await withExchange(options, (exchange) => exchange.accounts.resetPassword(options.name, password, ACTOR));
      print('password changed; all sessions ended');
    });

  addRegistrationCommands(program, { withExchange, actor: ACTOR });

  const keys = program.command('key').description('key that signs tokens: rotate');
  addCommand(keys, 'rotate', 'create a new key; the previous key stays valid for the tokens that it signed').action(
    async (options: DatabaseLocation) => {
      await withExchange(options, (exchange) => exchange.accounts.rotateKey(ACTOR));
      print('signing key rotated');
    },
  );

  return program;
};

export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
