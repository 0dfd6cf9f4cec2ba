import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import envPaths from 'env-paths';
import {
  announcePreparation,
  baseUrl,
  listenForStop,
  parsed,
  port,
  proxies,
  readPassword,
  repeated,
  runCommandLine,
  say,
} from '../platform/command-line.ts';
import { createLog, type Log } from '../platform/log.ts';
import { boundYoungGeneration } from '../platform/memory.ts';
import { accountNameSchema, accountRoleSchema } from '../wire/exchange.ts';
import { addFileCommands, type Where } from './commands-files.ts';
import { createExchange, type Exchange, type ExchangeOptions } from './exchange.ts';
import { VERSION } from './version.ts';

const PAGES = fileURLToPath(new URL('../../renderer/exchange/dist', import.meta.url));

type Role = (typeof accountRoleSchema.options)[number];

/** Who did it, in the audit. */
const BY = 'command line';

/** Where everything is kept: what was asked for, `DATABASE_URL`, or a folder for trying things out. */
const databaseOf = ({ database, home }: Where, log: Log): string => {
  const given = database ?? process.env['DATABASE_URL'];
  if (given !== undefined && given !== '') return given;
  const folder = join(home ?? envPaths('personal-data-exchange', { suffix: '' }).data, 'database');
  log.warn({ folder }, 'no --database: everything is kept in a folder, for trying things out and for one process only');
  return folder;
};

/** PDAs that must have reported a name before others see it: fewer than usual where few try things out. */
const fewestPdas = (): number | undefined => {
  const given = process.env['EXCHANGE_FEWEST_PDAS'] ?? '';
  if (given === '') return undefined;
  if (/^[1-9]\d?$/u.test(given) && Number(given) <= 50) return Number(given);
  throw new Error('EXCHANGE_FEWEST_PDAS is a number from 1 to 50');
};

const open = (
  where: Where,
  log: Log,
  more: Pick<ExchangeOptions, 'pages' | 'publicUrls' | 'proxies' | 'onPrepare'> = {},
): Promise<Exchange> => {
  const secret = process.env['EXCHANGE_SECRET'];
  return createExchange({
    database: databaseOf(where, log),
    log,
    ...(secret === undefined || secret === '' ? {} : { secret }),
    fewestPdas: fewestPdas(),
    ...more,
  });
};

/** Opens the exchange for one command, and closes it whatever happens. */
const withExchange = async <T>(where: Where, work: (exchange: Exchange) => Promise<T>): Promise<T> => {
  const exchange = await open(where, createLog({ level: process.env['PDA_LOG_LEVEL'] ?? 'fatal' }), {
    onPrepare: announcePreparation,
  });
  try {
    return await work(exchange);
  } finally {
    await exchange.close();
  }
};

const serve = async (
  options: Where & { port: number; host: string; publicUrl?: string[]; proxies: number },
): Promise<void> => {
  const log = createLog();
  // Before anything that takes long: whoever started this may go away in the middle of a migration.
  const stop = listenForStop();
  const exchange = await open(options, log, {
    pages: PAGES,
    publicUrls: options.publicUrl ?? [],
    proxies: options.proxies,
  });
  try {
    const { port: found } = await exchange.listen(options.port, options.host);
    boundYoungGeneration();
    say(`exchange listening on http://127.0.0.1:${found}`);
    log.info({ why: await stop }, 'stopping');
  } finally {
    await exchange.close();
  }
};

const roles = (value: string): Role[] => {
  const read = value.split(',').map((word) => accountRoleSchema.safeParse(word.trim()));
  const good = read.flatMap((result) => (result.success ? [result.data] : []));
  if (good.length < read.length) throw new InvalidArgumentError(`roles are ${accountRoleSchema.options.join(', ')}`);
  return good;
};

const buildProgram = (): Command => {
  const program = new Command('exchange')
    .description('Where PDAs, applications, Data Plugs and Offers meet.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const database = ['--database <url-or-dir>', 'postgres://… or a folder; DATABASE_URL when not given'] as const;
  const home = ['--home <dir>', 'where the folder is when there is no database'] as const;

  program
    .command('serve')
    .description('run an exchange')
    .option('--port <n>', 'port on this machine; 0 picks one', port, 0)
    .option('--host <host>', 'address of this machine to listen on', '127.0.0.1')
    .option(...database)
    .option(...home)
    .option(
      '--public-url <url>',
      'an address under which others reach it; may be given several times',
      repeated(baseUrl),
    )
    .option('--proxies <n>', 'balancers of your own in front of it, which say who calls (x-forwarded-for)', proxies, 0)
    .action(serve);

  const accounts = program.command('account').description('accounts: create, password');
  const named = ['--name <name>', 'what it signs in with', parsed(accountNameSchema)] as const;
  const fromInput = ['--password-stdin', 'read the password from standard input'] as const;
  accounts
    .command('create')
    .description('a new account')
    .requiredOption(...named)
    .requiredOption('--roles <a,b>', accountRoleSchema.options.join(', '), roles)
    .requiredOption(...fromInput)
    .option(...database)
    .option(...home)
    .action(async (options: Where & { name: string; roles: Role[] }) => {
      const password = await readPassword();
      await withExchange(options, (exchange) =>
        exchange.accounts.create({ name: options.name, password, roles: options.roles }, BY),
      );
      say(`account ${options.name} created: ${options.roles.join(', ')}`);
    });
  accounts
    .command('password')
    .description('a new password for an account, and it is enabled; every session of it ends')
    .requiredOption(...named)
    .requiredOption(...fromInput)
    .option(...database)
    .option(...home)
    .action(async (options: Where & { name: string }) => {
      const password = await readPassword();
      await withExchange(options, (exchange) => exchange.accounts.resetPassword(options.name, password, BY));
      say('password changed; every session has ended');
    });

  addFileCommands(program, { where: [database, home], withExchange, by: BY });

  program
    .command('key')
    .description('the key that tokens are signed with')
    .command('rotate')
    .description('make a new one; the old one goes on verifying what it signed')
    .option(...database)
    .option(...home)
    .action(async (options: Where) => {
      await withExchange(options, (exchange) => exchange.accounts.rotateKey(BY));
      say('new tokens are signed with a new key');
    });

  return program;
};

export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
