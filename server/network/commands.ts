import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { listenForStop, parsePort, runCommandLine, print } from '../platform/cli.ts';
import { replaceFileAsync } from '../platform/io/file-system.ts';
import { generatePassword } from './seed.ts';
import { startNetwork, type RunningNetwork } from './network.ts';

const DEFAULT_PORT = 4800;
const PDA_NAMES = ['ada', 'bea'];
const PAGE_FILES = ['renderer/dashboard/dist/index.html', 'renderer/operator/dist/index.html'].map((path) =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url)),
);

const parseDatabaseUrl = (value: string): URL => {
  const url = URL.parse(value);
  if (url === null || !/^postgres(?:ql)?:$/u.test(url.protocol) || url.pathname.length < 2)
    throw new InvalidArgumentError('Use the form postgres://user@host/name.');
  return url;
};

const databasesOf = (url: URL | undefined, home: string): { exchange: string; contracts: string } => {
  const databaseOf = (service: string): string => {
    if (url === undefined) return join(home, service, 'database');
    const serviceUrl = new URL(url);
    serviceUrl.pathname += `_${service}`;
    return serviceUrl.href;
  };
  return { exchange: databaseOf('exchange'), contracts: databaseOf('contracts') };
};

const formatTable = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const formatSummary = ({ relay, exchange, contracts, pdas, passwords, seed }: RunningNetwork): string =>
  formatTable([
    ['server', 'address', 'name', 'password'],
    ...pdas.map(({ url, owner, password }) => ['PDA', url, owner, password]),
    ...Object.entries(passwords).map(([name, password]) => ['exchange', exchange.url, name, password]),
    ['relay', relay.url, '', ''],
    ['contracts', contracts.url, seed?.contract.id ?? '', seed?.contract.token ?? ''],
  ]);

const formatEnvironment = (
  { exchange, contracts, domain, pdas, passwords, seed }: RunningNetwork,
  plugPassword: string,
): string =>
  Object.entries({
    EXCHANGE: exchange.url,
    CONTRACTS: contracts.url,
    PDA_DOMAIN: domain,
    ...Object.fromEntries(pdas.map(({ name, password }) => [`${name.toUpperCase()}_PASSWORD`, password])),
    ...Object.fromEntries(
      Object.entries(passwords).map(([name, password]) => [`${name.toUpperCase()}_PASSWORD`, password]),
    ),
    CONTRACT_ID: seed?.contract.id ?? '',
    CONTRACT_TOKEN: seed?.contract.token ?? '',
    PLUG_NAME: seed?.plug ?? '',
    PLUG_PASSWORD: plugPassword,
  })
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');

/** Returns the password of an earlier start, if any, because the exchange may already store its hash. */
const readOrGeneratePlugPassword = async (file: string): Promise<string> => {
  const existing = existsSync(file) ? await readFile(file, 'utf8') : '';
  return /^export PLUG_PASSWORD='(.+)'$/mu.exec(existing)?.[1] ?? generatePassword();
};

const run = async (options: { home?: string; port: number; database?: URL }): Promise<void> => {
  // Listens before the slow start, because the parent process may exit in the meantime.
  const stop = listenForStop();
  const isPersistent = options.home !== undefined;
  const home = isPersistent ? resolve(options.home ?? '') : await mkdtemp(join(tmpdir(), 'pda-network-'));
  if (isPersistent) await mkdir(home, { recursive: true, mode: 0o700 });
  try {
    if (!PAGE_FILES.every((page) => existsSync(page)))
      print('Some web pages are not built. Their servers offer only the API. To build them: npm run build\n');
    print('Starting…');
    let isStarting = true;
    void stop.then(() => {
      if (isStarting) print('Stopping when all servers have started…');
    });
    const network = await startNetwork({
      home,
      port: options.port,
      databases: databasesOf(options.database, home),
      pdas: PDA_NAMES.map((name) => ({ name, owner: name })),
      onWait: (reason) => print(`${reason}\nTrying again for a minute…`),
      onUnexpectedExit: (name, reason, lines) =>
        print(
          `\n${name} exited unexpectedly (${reason}). The other servers keep running. Last output:\n${lines.join('\n')}\n`,
        ),
    });
    isStarting = false;
    try {
      const file = join(home, 'network.env');
      const environment = formatEnvironment(network, await readOrGeneratePlugPassword(file));
      await replaceFileAsync(file, environment);
      print(`\n${formatSummary(network)}\n`);
      print(`Data: ${home}${isPersistent ? '' : ' (deleted on exit; use --home to keep it)'}.`);
      print(`Logs: ${join(home, 'logs')}.`);
      print(`To run the examples, load their environment in another terminal:  . ${file}`);
      print(`network listening on http://127.0.0.1:${network.port}`);
      await stop;
      print('\nStopping…');
    } finally {
      const uncleanNames = await network.close();
      if (uncleanNames.length > 0) print(`Not stopped cleanly: ${uncleanNames.join(', ')}.`);
    }
  } finally {
    if (!isPersistent) await rm(home, { recursive: true, force: true });
  }
};

const buildProgram = (): Command =>
  new Command('network')
    .description('Run a relay, an exchange, a contracts service and two PDAs on this machine, connected to each other.')
    .showHelpAfterError()
    .option('--home <dir>', 'data folder; default: a temporary folder')
    .option('--port <n>', 'port of the relay and of all addresses; 0 picks a free port', parsePort, DEFAULT_PORT)
    .option(
      '--database <url>',
      'postgres://…/name uses the databases name_exchange and name_contracts; default: embedded databases',
      parseDatabaseUrl,
    )
    .action(run);

export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
