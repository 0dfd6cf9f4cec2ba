import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { networkSchema } from '../wire/network.ts';
import { runProgram, startService, type Program, type Service } from './child.ts';
import { makeContract } from './contract.ts';
import { ACCOUNT_NAMES, OPERATOR, callerOf, furnish, makeUp, signIn, type AccountName } from './furnish.ts';
import { startLead, type Lead, type LeadKey } from './lead.ts';

/** A relay, an exchange, a contracts service and PDAs on this machine, each a process as it ships, wired together. */

export type NetworkOptions = {
  /** Where all of it is kept. */
  home: string;
  /** The relay's, by which everything is reached; 0 picks one. */
  port: number;
  /** `postgres://…` or a folder. */
  databases: { exchange: string; contracts: string };
  /**
   * First labels of the PDAs' addresses, and what their owners sign in with. Where both are one name the PDA holds its address itself, by a tunnel; else it
   * is a PDA with an address that it has anyway.
   */
  pdas: readonly { name: string; owner: string }[];
  /** Without what there is from the beginning (the operator's account is there in any case). */
  bare?: boolean;
  /** More of the environment of each process. */
  env?: Readonly<Record<string, string>>;
  onDeath?: (name: string, how: string, lastLines: string[]) => void;
};

export type Place = { name: string; url: string; host: string; pid: number; logFile: string };
export type RunningNetwork = {
  port: number;
  /** What follows a PDA's name in its address. */
  domain: string;
  relay: Place;
  exchange: Place;
  contracts: Place;
  pdas: (Place & { owner: string; password: string; home: string })[];
  passwords: Readonly<Record<AccountName | typeof OPERATOR, string>>;
  furnished: { plug: string; offer: string; contract: { id: string; token: string } } | undefined;
  /** Stops them, PDAs first. Resolves with the names of those that had to be ended. */
  close(): Promise<string[]>;
};

/** Milliseconds in which a PDA registers: it does so by itself as soon as it runs. */
const REGISTERED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** Names below it lead to this machine (RFC 6761), so a PDA is found as it would be on the internet, by `<name>.<domain>`. */
const DOMAIN = 'localhost';

const STEPS = [
  { day: '2026-03-01', steps: 4211, place: 'by the canal' },
  { day: '2026-03-02', steps: 8044, place: 'in the hills' },
  { day: '2026-03-03', steps: 11_920, place: 'to the sea' },
];

/** Waits until the exchange knows the PDA and the PDA has read the list of applications. */
const settled = async (name: string, base: string, token: string): Promise<void> => {
  const owner = callerOf(base, token);
  const deadline = performance.now() + REGISTERED_WITHIN_MS;
  for (;;) {
    const { exchange } = networkSchema.parse((await owner('GET', '/api/v2.6/owner/network')).body);
    if (exchange?.state === 'registered' && exchange.catalogueAt !== null) return;
    if (performance.now() > deadline) throw new Error(`${name} is not registered: ${exchange?.problem ?? 'no answer'}`);
    await sleep(LOOK_EVERY_MS);
  }
};

/** Ours, for the names of the services: a name is the key's that had it first, also the next day. */
const leadKey = async (file: string): Promise<LeadKey> => {
  if (!existsSync(file)) {
    const made = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    await writeFile(file, made.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  }
  const privateKey = createPrivateKey(await readFile(file, 'utf8'));
  return { privateKey, publicKey: createPublicKey(privateKey) };
};

/** A port of 127.0.0.1 that no program uses. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

export const startNetwork = async (options: NetworkOptions): Promise<RunningNetwork> => {
  const { home, databases } = options;
  const env = { ...process.env, ...options.env, PDA_ALLOW_LOOPBACK: '1', EXCHANGE_FEWEST_PDAS: '1' };
  const logs = join(home, 'logs');
  await mkdir(logs, { recursive: true, mode: 0o700 });
  /** What is to be stopped, in the order in which it was started. */
  const running: (Service | Lead)[] = [];

  const close = async (): Promise<string[]> => {
    const late: string[] = [];
    // The last that was started is the first to go: nobody calls somebody who is gone already.
    for (const service of running.splice(0).toReversed()) if (!(await service.stop())) late.push(service.name);
    return late;
  };

  const run = async (name: string, program: Program, args: readonly string[], port = 0): Promise<Service> => {
    const onDeath = (how: string, lines: string[]): void => options.onDeath?.(name, how, lines);
    const logFile = join(logs, `${name}.log`);
    const service = await startService({ name, program, port, args, env, logFile, onDeath });
    running.push(service);
    return service;
  };

  // The first of all: what the others are called has its port in it. And where it is taken, there may be a sandbox already.
  const folder = join(home, 'relay');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const key = await leadKey(join(folder, 'services.pem'));
  const { port, pid } = await run('relay', 'relay', ['--domain', DOMAIN, '--home', folder], options.port);
  const { host: domain, origin } = new URL(`http://${DOMAIN}:${port}`);
  const relay: Place = { name: 'relay', url: origin, host: domain, pid, logFile: join(logs, 'relay.log') };

  /**
   * @param options.held whether the server connects to the relay itself
   * @param options.publicPort port of an account's public address; other servers have one port for everything
   */
  const start = async (
    name: string,
    program: Program,
    args: readonly string[],
    { held = false, publicPort }: { held?: boolean; publicPort?: number | undefined } = {},
  ): Promise<Place> => {
    const host = `${name}.${domain}`;
    const url = `http://${host}`;
    const service = await run(name, program, held ? args : [...args, '--public-url', url]);
    const to = publicPort ?? service.port;
    if (!held) running.push(await startLead({ relay: { port, host: domain }, name, key, to }));
    return { name, url, host, pid: service.pid, logFile: join(logs, `${name}.log`) };
  };
  /** For ourselves, who need no name service. */
  const direct = (name: string): string => {
    const service = running.find((one): one is Service => one.name === name && 'port' in one);
    return `http://127.0.0.1:${service?.port ?? 0}`;
  };

  const makeOperator = async (password: string): Promise<void> => {
    const where = ['--name', OPERATOR, '--password-stdin', '--database', databases.exchange];
    const create = ['account', 'create', '--roles', 'administrator', ...where];
    await runProgram('exchange', create, { input: password, env }).catch(async (error: unknown) => {
      if (!/already/u.test(String(error))) throw error;
      await runProgram('exchange', ['account', 'password', ...where], { input: password, env });
    });
  };

  const makeHome = async ({ name, owner }: { name: string; owner: string }) => {
    const folder = join(home, name);
    const password = makeUp();
    const isNew = !existsSync(join(folder, 'pda.sqlite'));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const where = ['--home', folder, '--password-stdin'];
    const args = isNew ? ['init', '--name', owner, ...where] : ['password', ...where];
    await runProgram('pda', args, { input: password, env });
    const held = name === owner;
    const publicPort = held ? undefined : await freePort();
    const config = {
      exchange: { url: `http://exchange.${domain}` },
      contracts: { url: `http://contracts.${domain}` },
      ...(held ? { tunnel: { relay: relay.url, domain: DOMAIN } } : { publicPort }),
      development: { allowLoopback: true },
    };
    await writeFile(join(folder, 'config.json'), `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
    return { name, owner, home: folder, password, isNew, held, publicPort };
  };

  try {
    const passwords = {
      [OPERATOR]: makeUp(),
      ...(Object.fromEntries(ACCOUNT_NAMES.map((name) => [name, makeUp()])) as Record<AccountName, string>),
    };
    const furnishes = options.bare !== true;
    const [contract, ...homes] = await Promise.all([
      furnishes ? makeContract(databases.contracts, env) : undefined,
      ...options.pdas.map((pda) => makeHome(pda)),
      makeOperator(passwords[OPERATOR]),
    ]);
    const made = homes.filter((one) => one !== undefined);
    const [exchange, contracts] = await Promise.all([
      start('exchange', 'exchange', ['--database', databases.exchange]),
      start('contracts', 'contracts', ['--database', databases.contracts, '--domain', domain]),
    ]);
    const furnished =
      contract === undefined ? undefined : { ...(await furnish(direct('exchange'), passwords)), contract };
    const pdas = await Promise.all(
      made.map(async (one) => {
        const place = await start(one.name, 'pda', ['--home', one.home], one);
        const token = await signIn(direct(one.name), one.owner, one.password);
        if (furnishes && one.isNew)
          await callerOf(direct(one.name), token)('POST', '/api/v2.6/data/fitness/steps', STEPS);
        await settled(one.name, direct(one.name), token);
        return { ...place, owner: one.owner, password: one.password, home: one.home };
      }),
    );
    return { port, domain, relay, exchange, contracts, pdas, passwords, furnished, close };
  } catch (error) {
    await close();
    throw error;
  }
};
