import { Command, InvalidArgumentError } from 'commander';
import envPaths from 'env-paths';
import { isIP } from 'node:net';
import { systemClock } from '../platform/clock.ts';
import { listenForStop, parseOption, parsePort, runCommandLine, print } from '../platform/cli.ts';
import { Failure } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { boundYoungGeneration } from '../platform/service/heap-limit.ts';
import { pdaNameSchema } from '../wire/owner.ts';
import { createRelayAddresses } from './addresses.ts';
import { RELAY_LIMITS } from './limits.ts';
import { openNameRegistry, type NameRegistry } from './names/registry.ts';
import { createRelay } from './relay.ts';
import { VERSION } from './version.ts';

type HomeOption = { home?: string };
type ServeOptions = HomeOption & {
  port: number;
  host?: string;
  domain: string;
  publicPort?: number;
  httpPort?: number;
  cert?: string;
  key?: string;
};

const homeOf = ({ home }: HomeOption): string => home ?? envPaths('personal-data-relay', { suffix: '' }).data;

const LOOPBACK = '127.0.0.1';
const ALL_INTERFACES = '::';

const certificateOf = ({ cert, key, domain }: ServeOptions): { certFile: string; keyFile: string } | undefined => {
  if (cert !== undefined && key !== undefined) return { certFile: cert, keyFile: key };
  if (createRelayAddresses({ domain }).isLocal) return undefined;
  throw new Failure('invalid_input', `The domain ${domain} needs a certificate. Pass --cert FILE and --key FILE.`);
};

const serve = async (options: ServeOptions): Promise<void> => {
  const log = createLog();
  const stop = listenForStop();
  const { domain } = options;
  const certificate = certificateOf(options);
  const relay = await createRelay({ domain, home: homeOf(options), log, certificate });
  try {
    const host = options.host ?? (relay.addresses.isLocal ? LOOPBACK : ALL_INTERFACES);
    await relay.listen(options.port, host, { publicPort: options.publicPort, httpPort: options.httpPort });
    boundYoungGeneration();
    print(`relay listening on ${relay.addresses.url()}`);
    log.info({ reason: await stop }, 'stopping');
  } finally {
    await relay.close();
  }
};

const parseDomain = (value: string): string => {
  const host = URL.parse(`http://${value}`)?.hostname;
  if (host === undefined || host !== value.toLowerCase() || isIP(host) !== 0)
    throw new InvalidArgumentError('Use the form example.org, without a port.');
  return host;
};

const openRegistry = (options: HomeOption): Promise<NameRegistry> =>
  openNameRegistry({
    home: homeOf(options),
    maxNames: RELAY_LIMITS.maxNames,
    clock: systemClock,
    log: createLog({ level: process.env['PDA_LOG_LEVEL'] ?? 'error' }),
  });

const listNames = async (options: HomeOption): Promise<void> => {
  const registry = await openRegistry(options);
  for (const { name, key, since } of await registry.list()) print([name, key, since].join('\t'));
};

const releaseName = async (name: string, options: HomeOption): Promise<void> => {
  const registry = await openRegistry(options);
  await registry.release(name);
  print(`name ${name} released`);
};

const buildProgram = (): Command => {
  const program = new Command('relay')
    .description('The public end of tunnels: forwards connections to PDAs and cannot read them.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const addCommand = (group: Command, name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option('--home <dir>', 'data folder: registered names and used claims');

  addCommand(program, 'serve', 'run a relay')
    .requiredOption('--domain <domain>', 'PDAs are <name>.<domain>; use localhost for development', parseDomain)
    .option('--port <n>', 'port to listen on; 0 picks a free port', parsePort, 0)
    .option('--host <host>', 'address to listen on; default: all addresses, or 127.0.0.1 for localhost')
    .option('--public-port <n>', 'public port, if a router forwards a different port', parsePort)
    .option('--http-port <n>', 'additional port for plain HTTP, usually 80; redirects browsers to https', parsePort)
    .option('--cert <file>', 'certificate of the domain, PEM with the chain; reloaded when it changes')
    .option('--key <file>', 'private key of the certificate, PEM')
    .action(serve);

  const names = program.command('name').description('list and release names');
  addCommand(names, 'list', 'list all names with the fingerprints of their keys and their registration dates').action(
    listNames,
  );
  addCommand(names, 'forget', 'release a name, so that any key can claim it')
    .argument('<name>', 'the label before the domain', parseOption(pdaNameSchema))
    .action(releaseName);

  return program;
};

export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
