import { Command, InvalidArgumentError } from 'commander';
import envPaths from 'env-paths';
import { isIP } from 'node:net';
import { systemClock } from '../platform/clock.ts';
import { listenForStop, parsed, port, runCommandLine, say } from '../platform/command-line.ts';
import { Failure } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { boundYoungGeneration } from '../platform/memory.ts';
import { pdaNameSchema } from '../wire/owner.ts';
import { createAddresses } from './addresses.ts';
import { RELAY_LIMITS } from './limits.ts';
import { openNames, type Names } from './names.ts';
import { createRelay } from './relay.ts';
import { VERSION } from './version.ts';

type Where = { home?: string };
type Serve = Where & {
  port: number;
  host?: string;
  domain: string;
  publicPort?: number;
  httpPort?: number;
  cert?: string;
  key?: string;
};

const homeOf = ({ home }: Where): string => home ?? envPaths('personal-data-relay', { suffix: '' }).data;

/** Addresses of this machine that are listened on when none is given: only itself where names only lead to itself, else all. */
const THIS_MACHINE = '127.0.0.1';
const EVERYWHERE = '::';

const certificateOf = ({ cert, key, domain }: Serve): { certFile: string; keyFile: string } | undefined => {
  if (cert !== undefined && key !== undefined) return { certFile: cert, keyFile: key };
  if (createAddresses({ domain }).local) return undefined;
  throw new Failure(
    'invalid_input',
    `The relay's own name, ${domain}, needs a certificate: --cert FILE and --key FILE.`,
  );
};

const serve = async (options: Serve): Promise<void> => {
  const log = createLog();
  const stop = listenForStop();
  const { domain } = options;
  const certificate = certificateOf(options);
  const relay = await createRelay({
    domain,
    home: homeOf(options),
    log,
    ...(certificate === undefined ? {} : { certificate }),
  });
  try {
    const host = options.host ?? (relay.addresses.local ? THIS_MACHINE : EVERYWHERE);
    await relay.listen(options.port, host, {
      ...(options.publicPort === undefined ? {} : { publicPort: options.publicPort }),
      ...(options.httpPort === undefined ? {} : { httpPort: options.httpPort }),
    });
    boundYoungGeneration();
    say(`relay listening on ${relay.addresses.url()}`);
    log.info({ why: await stop }, 'stopping');
  } finally {
    await relay.close();
  }
};

const domainName = (value: string): string => {
  const host = URL.parse(`http://${value}`)?.hostname;
  if (host === undefined || host !== value.toLowerCase() || isIP(host) !== 0)
    throw new InvalidArgumentError('a domain is example.org, without a port');
  return host;
};

const namesOf = (where: Where): Promise<Names> =>
  openNames({
    home: homeOf(where),
    most: RELAY_LIMITS.names,
    clock: systemClock,
    log: createLog({ level: process.env['PDA_LOG_LEVEL'] ?? 'error' }),
  });

const listNames = async (where: Where): Promise<void> => {
  for (const { name, key, since } of await (await namesOf(where)).list()) say([name, key, since].join('\t'));
};

const forgetName = async (name: string, where: Where): Promise<void> => {
  await (await namesOf(where)).forget(name);
  say(`name ${name} is forgotten`);
};

const buildProgram = (): Command => {
  const program = new Command('relay')
    .description('The public end of tunnels: passes visitors on to PDAs, without being able to read what is said.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const below = (group: Command, name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option('--home <dir>', 'where it is kept which name belongs to which key');

  below(program, 'serve', 'run a relay')
    .requiredOption('--domain <domain>', 'PDAs are <name>.<domain>; localhost for trying things out', domainName)
    .option('--port <n>', 'port on this machine; 0 picks one', port, 0)
    .option('--host <host>', 'address of this machine to listen on; all of them, or 127.0.0.1 for localhost')
    .option('--public-port <n>', 'port under which others reach it, where a router forwards another one', port)
    .option('--http-port <n>', 'a port for plain HTTP beside it, usually 80: it sends browsers on to https', port)
    .option('--cert <file>', "certificate of the relay's own name, PEM with the chain; read anew when it changes")
    .option('--key <file>', 'its private key, PEM')
    .action(serve);

  const names = program.command('name').description('names: list, forget');
  below(names, 'list', 'all names, the keys that they belong to, and since when').action(listNames);
  below(names, 'forget', 'for an owner who has another key now: whoever comes first has it then')
    .argument('<name>', 'as before the domain', parsed(pdaNameSchema))
    .action(forgetName);

  return program;
};

export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
