import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { listenForStop, port, runCommandLine, say } from '../platform/command-line.ts';
import { makeUp } from './furnish.ts';
import { startNetwork, type RunningNetwork } from './network.ts';

const DEFAULT_PORT = 4800;
const PDAS = ['ada', 'bea'];
const PAGES = ['renderer/dist/index.html', 'renderer/exchange/dist/index.html'].map((path) =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url)),
);

/** `postgres://…/name` stands for the databases `name_exchange` and `name_contracts`: the two services share none. */
const databaseUrl = (value: string): URL => {
  const url = URL.parse(value);
  if (url === null || !/^postgres(?:ql)?:$/u.test(url.protocol) || url.pathname.length < 2)
    throw new InvalidArgumentError('it is postgres://user@host/name');
  return url;
};
const databasesOf = (url: URL | undefined, home: string): { exchange: string; contracts: string } => {
  const of = (service: string): string => {
    if (url === undefined) return join(home, service, 'database');
    const own = new URL(url);
    own.pathname += `_${service}`;
    return own.href;
  };
  return { exchange: of('exchange'), contracts: of('contracts') };
};

const table = (rows: readonly (readonly string[])[]): string => {
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

const shown = ({ relay, exchange, contracts, pdas, passwords, furnished }: RunningNetwork): string =>
  table([
    ['what', 'address', 'name', 'password'],
    ...pdas.map(({ url, owner, password }) => ['PDA', url, owner, password]),
    ...Object.entries(passwords).map(([name, password]) => ['exchange', exchange.url, name, password]),
    ['relay', relay.url, '', ''],
    ['contracts', contracts.url, furnished?.contract.id ?? '', furnished?.contract.token ?? ''],
  ]);

/** What the examples read from their environment, as a file for a shell. */
const settings = ({ exchange, contracts, domain, pdas, passwords, furnished }: RunningNetwork, plug: string): string =>
  Object.entries({
    EXCHANGE: exchange.url,
    CONTRACTS: contracts.url,
    PDA_DOMAIN: domain,
    ...Object.fromEntries(pdas.map(({ name, password }) => [`${name.toUpperCase()}_PASSWORD`, password])),
    ...Object.fromEntries(Object.entries(passwords).map(([name, word]) => [`${name.toUpperCase()}_PASSWORD`, word])),
    CONTRACT_ID: furnished?.contract.id ?? '',
    CONTRACT_TOKEN: furnished?.contract.token ?? '',
    PLUG_NAME: furnished?.plug ?? '',
    PLUG_PASSWORD: plug,
  })
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');

/** The plug's maker has told the exchange its hash: it stays as long as the sandbox does. */
const plugPassword = async (file: string): Promise<string> => {
  const before = existsSync(file) ? await readFile(file, 'utf8') : '';
  return /^export PLUG_PASSWORD='(.+)'$/mu.exec(before)?.[1] ?? makeUp();
};

const run = async (options: { home?: string; port: number; database?: URL }): Promise<void> => {
  // Before anything that takes long: whoever started this may go away in the middle of it.
  const stop = listenForStop();
  const isKept = options.home !== undefined;
  const home = isKept ? resolve(options.home ?? '') : await mkdtemp(join(tmpdir(), 'pda-network-'));
  if (isKept) await mkdir(home, { recursive: true, mode: 0o700 });
  try {
    if (!PAGES.every((page) => existsSync(page)))
      say('The pages are not built: everything works but what a person looks at. Build them with: npm run build\n');
    say('Starting…');
    const network = await startNetwork({
      home,
      port: options.port,
      databases: databasesOf(options.database, home),
      pdas: PDAS.map((name) => ({ name, owner: name })),
      onDeath: (name, how, lines) =>
        say(`\n${name} has ended (${how}). The others go on. It wrote last:\n${lines.join('\n')}\n`),
    });
    try {
      const file = join(home, 'network.env');
      await writeFile(file, settings(network, await plugPassword(file)), { mode: 0o600 });
      const until = isKept ? '' : ', which goes at the end (--home keeps it)';
      say(`\n${shown(network)}\n`);
      say(`Everything is in ${home}${until}; what they log is in logs/.`);
      say(`For the examples, in another terminal:  . ${file}`);
      say(`network listening on http://127.0.0.1:${network.port}`);
      await stop;
      say('\nStopping…');
    } finally {
      const late = await network.close();
      if (late.length > 0) say(`${late.join(', ')} did not stop in order.`);
    }
  } finally {
    if (!isKept) await rm(home, { recursive: true, force: true });
  }
};

const buildProgram = (): Command =>
  new Command('network')
    .description(
      'A relay, an exchange, a contracts service and two PDAs on this machine, wired together: to try things out.',
    )
    .showHelpAfterError()
    .option('--home <dir>', 'where it is kept; a temporary folder when not given')
    .option('--port <n>', 'the one port by which all are reached; 0 picks one', port, DEFAULT_PORT)
    .option('--database <url>', 'postgres://…/name: the databases name_exchange and name_contracts', databaseUrl)
    .action(run);

export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
