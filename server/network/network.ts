import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { replaceFileAsync } from '../platform/io/file-system.ts';
import { findFreePort } from '../platform/io/free-port.ts';
import { networkSchema } from '../wire/network.ts';
import { insteadOf, runProgram, startService, type Program, type Service } from './service-process.ts';
import { createExampleContract } from './example-contract.ts';
import {
  ACCOUNT_NAMES,
  createApiClient,
  generatePassword,
  OPERATOR_NAME,
  seedExchange,
  signIn,
  type AccountName,
  type ApiClient,
} from './seed.ts';
import { openServiceTunnel, type ServiceTunnel, type TunnelKey } from './tunnel-client.ts';

type NetworkServer = { name: string; url: string; host: string; pid: number };
export type RunningNetwork = {
  port: number;
  /** Domain with port. A PDA's host is `<name>.<domain>`. */
  domain: string;
  relay: NetworkServer;
  exchange: NetworkServer;
  contracts: NetworkServer;
  pdas: (NetworkServer & { owner: string; password: string; home: string })[];
  passwords: Readonly<Record<AccountName | typeof OPERATOR_NAME, string>>;
  /** Undefined with `skipSeed`. */
  seed: { plug: string; contract: { id: string; token: string } } | undefined;
  /** Stops all servers, PDAs first. Resolves with the names of servers that did not stop cleanly. */
  close(): Promise<string[]>;
};

/** Long enough for a slow machine, on which all servers start at the same time. */
const REGISTRATION_TIMEOUT_MS = 180_000;
const REGISTRATION_POLL_MS = 50;
/** Browsers resolve names below `localhost` to this machine (RFC 6761, section 6.3). */
const DOMAIN = 'localhost';

const STEPS = [
  { day: '2026-03-01', steps: 4211, place: 'by the canal' },
  { day: '2026-03-02', steps: 8044, place: 'in the hills' },
  { day: '2026-03-03', steps: 11_920, place: 'to the sea' },
];

const STEPS_PATH = '/api/v2.6/data/fitness/steps';

/** Stores the example records unless the endpoint has records. */
const seedSteps = async (owner: ApiClient): Promise<void> => {
  const { body } = await owner('GET', `${STEPS_PATH}?take=1`);
  if (Array.isArray(body) && body.length === 0) await owner('POST', STEPS_PATH, STEPS);
};

/** Waits until the PDA is registered at the exchange and has read the list of applications. @throws Error on failure */
const waitUntilRegistered = async (name: string, base: string, token: string): Promise<void> => {
  const owner = createApiClient(base, token);
  const deadline = performance.now() + REGISTRATION_TIMEOUT_MS;
  for (;;) {
    const { exchange } = networkSchema.parse((await owner('GET', '/api/v2.6/owner/network')).body);
    if (exchange?.state === 'registered' && exchange.catalogueAt !== null) return;
    if (performance.now() > deadline)
      throw new Error(
        `${name} did not register at the exchange or did not read its applications: ${exchange?.problem ?? 'timeout'}`,
      );
    await sleep(REGISTRATION_POLL_MS);
  }
};

/** Loads or creates the key of the service tunnels. It is stored, because the relay binds a name to its first key. */
const loadOrCreateTunnelKey = async (file: string): Promise<TunnelKey> => {
  if (!existsSync(file)) {
    const keyPair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    await replaceFileAsync(file, keyPair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  }
  const privateKey = createPrivateKey(await readFile(file, 'utf8'));
  return { privateKey, publicKey: createPublicKey(privateKey) };
};

/**
 * Starts all servers. Resolves when every PDA is registered at the exchange.
 * @throws Error if a step fails. All servers are stopped by then, including those that were still starting.
 */
export const startNetwork = async (options: {
  home: string;
  /** Port of the relay, through which all servers are reached. 0 selects a free port. */
  port: number;
  /** `postgres://…` or a folder, for each service. */
  databases: { exchange: string; contracts: string };
  /**
   * `name` is the first label of the address, `owner` the sign-in name. If both are equal, the PDA opens its own
   * tunnel. Otherwise this process opens one for the PDA, because a PDA's own tunnel has the name of the owner.
   */
  pdas: readonly { name: string; owner: string }[];
  /** Creates only the operator's account: no other accounts, applications, plugs, Offers, contracts or records. */
  skipSeed?: boolean;
  env?: Readonly<Record<string, string>>;
  onUnexpectedExit?: (name: string, reason: string, lastLines: string[]) => void;
  /** Called if the start waits for another process, such as one left over from a killed start. */
  onWait?: (reason: string) => void;
}): Promise<RunningNetwork> => {
  const { home, databases } = options;
  const env = { ...process.env, ...options.env, PDA_ALLOW_LOOPBACK: '1', EXCHANGE_FEWEST_PDAS: '1' };
  const programOptions = { env, onWait: options.onWait };
  const logs = join(home, 'logs');
  await mkdir(logs, { recursive: true, mode: 0o700 });
  const services: (Service | ServiceTunnel)[] = [];

  const close = async (): Promise<string[]> => {
    const uncleanNames: string[] = [];
    // In reverse order, so that no running server depends on a stopped server.
    for (const service of services.splice(0).toReversed()) if (!(await service.stop())) uncleanNames.push(service.name);
    return uncleanNames;
  };

  const startProcess = async (name: string, program: Program, args: readonly string[], port = 0): Promise<Service> => {
    const onUnexpectedExit = (reason: string, lines: string[]): void => options.onUnexpectedExit?.(name, reason, lines);
    const logFile = join(logs, `${name}.log`);
    const service = await startService({ name, program, port, args, env, logFile, onUnexpectedExit });
    services.push(service);
    return service;
  };

  // The relay starts first, because its port is part of all addresses.
  const relayHome = join(home, 'relay');
  await mkdir(relayHome, { recursive: true, mode: 0o700 });
  const key = await loadOrCreateTunnelKey(join(relayHome, 'services.pem'));
  const { port, pid } = await startProcess('relay', 'relay', ['--domain', DOMAIN, '--home', relayHome], options.port);
  const { host: domain, origin } = new URL(`http://${DOMAIN}:${port}`);
  const relay: NetworkServer = { name: 'relay', url: origin, host: domain, pid };

  /**
   * Starts a server and makes it reachable through the relay.
   * @param options.publicPort port of a PDA's public address; other servers have only one port
   */
  const startBehindRelay = async (
    name: string,
    program: Program,
    args: readonly string[],
    { hasOwnTunnel = false, publicPort }: { hasOwnTunnel?: boolean; publicPort?: number | undefined } = {},
  ): Promise<NetworkServer> => {
    const host = `${name}.${domain}`;
    const url = `http://${host}`;
    const service = await startProcess(name, program, hasOwnTunnel ? args : [...args, '--public-url', url]);
    const targetPort = publicPort ?? service.port;
    if (!hasOwnTunnel) services.push(await openServiceTunnel({ relay: new URL(origin), name, key, targetPort }));
    return { name, url, host, pid: service.pid };
  };
  const starts: Promise<NetworkServer>[] = [];
  const start = (...args: Parameters<typeof startBehindRelay>): Promise<NetworkServer> => {
    const promise = startBehindRelay(...args);
    starts.push(promise);
    return promise;
  };
  /** Returns the server's loopback address, because this process may be unable to resolve names below `localhost`. */
  const localUrlOf = (name: string): string => {
    const service = services.find((candidate): candidate is Service => candidate.name === name && 'port' in candidate);
    return `http://127.0.0.1:${service?.port ?? 0}`;
  };

  const createOperator = async (password: string): Promise<void> => {
    const accountOptions = ['--name', OPERATOR_NAME, '--password-stdin', '--database', databases.exchange];
    const runAccount = (...args: string[]): Promise<string> =>
      runProgram('exchange', ['account', ...args, ...accountOptions], { ...programOptions, input: password });
    const setPassword = (): Promise<string> => runAccount('password');
    await runAccount('create', '--roles', 'administrator').catch(insteadOf(/already/u, setPassword));
  };

  const prepareHome = async ({ name, owner }: { name: string; owner: string }) => {
    const folder = join(home, name);
    const password = generatePassword();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const runPda = (...args: string[]): Promise<string> =>
      runProgram('pda', [...args, '--home', folder, '--password-stdin'], { ...programOptions, input: password });
    const setPassword = (): Promise<string> => runPda('password');
    // Also completes a database that an interrupted start left without an owner.
    await runPda('init', '--name', owner).catch(insteadOf(/already set up/u, setPassword));
    const hasOwnTunnel = name === owner;
    const publicPort = hasOwnTunnel ? undefined : await findFreePort();
    const config = {
      exchange: { url: `http://exchange.${domain}` },
      contracts: { url: `http://contracts.${domain}` },
      ...(hasOwnTunnel ? { tunnel: { relay: relay.url, domain: DOMAIN } } : { publicPort }),
      development: { allowLoopback: true },
    };
    await replaceFileAsync(join(folder, 'config.json'), `${JSON.stringify(config, undefined, 2)}\n`);
    return { name, owner, home: folder, password, hasOwnTunnel, publicPort };
  };

  try {
    const passwords = {
      [OPERATOR_NAME]: generatePassword(),
      ...(Object.fromEntries(ACCOUNT_NAMES.map((name) => [name, generatePassword()])) as Record<AccountName, string>),
    };
    const shouldSeed = options.skipSeed !== true;
    const [contract, homes] = await Promise.all([
      shouldSeed ? createExampleContract(databases.contracts, programOptions) : undefined,
      Promise.all(options.pdas.map((pda) => prepareHome(pda))),
      createOperator(passwords[OPERATOR_NAME]),
    ]);
    const [exchange, contracts] = await Promise.all([
      start('exchange', 'exchange', ['--database', databases.exchange]),
      start('contracts', 'contracts', ['--database', databases.contracts, '--domain', domain]),
    ]);
    const seed =
      contract === undefined ? undefined : { ...(await seedExchange(localUrlOf('exchange'), passwords)), contract };
    const pdas = await Promise.all(
      homes.map(async (pda) => {
        const server = await start(pda.name, 'pda', ['--home', pda.home], pda);
        const localUrl = localUrlOf(pda.name);
        const token = await signIn(localUrl, pda.owner, pda.password);
        if (shouldSeed) await seedSteps(createApiClient(localUrl, token));
        await waitUntilRegistered(pda.name, localUrl, token);
        return { ...server, owner: pda.owner, password: pda.password, home: pda.home };
      }),
    );
    return { port, domain, relay, exchange, contracts, pdas, passwords, seed, close };
  } catch (error) {
    // `close` stops only servers that have started.
    await Promise.allSettled(starts);
    await close();
    throw error;
  }
};
