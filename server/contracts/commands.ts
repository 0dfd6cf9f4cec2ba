import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import envPaths from 'env-paths';
import { isoTime } from '../platform/clock.ts';
import {
  announcePreparation,
  baseUrl,
  listenForStop,
  parsed,
  port,
  proxies,
  repeated,
  runCommandLine,
  say,
} from '../platform/command-line.ts';
import { createLog, type Log } from '../platform/log.ts';
import { boundYoungGeneration } from '../platform/memory.ts';
import { contractIdSchema, contractNamespaceSchema, type ContractNamespace } from '../wire/contracts.ts';
import { createContracts, type Contracts, type ContractsOptions } from './contracts.ts';
import { VERSION } from './version.ts';

type Where = { database?: string; home?: string };

/** Who did it, in the audit. */
const BY = 'command line';
const HOUR_MS = 3_600_000;

/** Where everything is kept: what was asked for, `DATABASE_URL`, or a folder for trying things out. */
const databaseOf = ({ database, home }: Where, log: Log): string => {
  const given = database ?? process.env['DATABASE_URL'];
  if (given !== undefined && given !== '') return given;
  const folder = join(home ?? envPaths('personal-data-contracts', { suffix: '' }).data, 'database');
  log.warn({ folder }, 'no --database: everything is kept in a folder, for trying things out and for one process only');
  return folder;
};

const open = (where: Where, log: Log, more: Partial<ContractsOptions> = {}): Promise<Contracts> =>
  createContracts({ database: databaseOf(where, log), log, ...more });

/** Opens the service for one command, and closes it whatever happens. */
const withContracts = async <T>(where: Where, work: (service: Contracts) => Promise<T>): Promise<T> => {
  const service = await open(where, createLog({ level: process.env['PDA_LOG_LEVEL'] ?? 'error' }), {
    onPrepare: announcePreparation,
  });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
};

type Serve = Where & { port: number; host: string; publicUrl?: string[]; domain?: string[]; proxies: number };

const serve = async (options: Serve): Promise<void> => {
  const log = createLog();
  // Before anything that takes long: whoever started this may go away in the middle of a migration.
  const stop = listenForStop();
  const { publicUrl = [], domain = [] } = options;
  const service = await open(options, log, { publicUrls: publicUrl, domains: domain, proxies: options.proxies });
  try {
    const { port: found } = await service.listen(options.port, options.host);
    boundYoungGeneration();
    say(`contracts listening on http://127.0.0.1:${found}`);
    log.info({ why: await stop }, 'stopping');
  } finally {
    await service.close();
  }
};

const domainName = (value: string): string => {
  const host = URL.parse(`http://${value}`)?.host;
  if (host === undefined || host !== value.toLowerCase()) throw new InvalidArgumentError('a domain is example.org');
  return host;
};

/** `fitness:rw`, `sleep:r`: a namespace and what may be done with it. */
const namespace = (value: string): ContractNamespace => {
  const [, name = '', rights = ''] = /^(.+):(r|w|rw)$/u.exec(value) ?? [];
  const read = contractNamespaceSchema.safeParse({
    namespace: name,
    read: rights.includes('r'),
    write: rights.includes('w'),
  });
  if (!read.success) throw new InvalidArgumentError('a namespace and its rights are fitness:rw, sleep:r or steps:w');
  return read.data;
};

const hours = (value: string): number => {
  const number = Number(value);
  if (!(number >= 0 && number <= 24 * 365)) throw new InvalidArgumentError('a number of hours, 0 or more');
  return number;
};

const count = (value: string): number => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > 100_000)
    throw new InvalidArgumentError('a whole number from 1 to 100000');
  return number;
};

type Create = Where & {
  id?: string;
  name: string;
  description?: string;
  developer?: string;
  namespace: ContractNamespace[];
};

const create = async ({ id, name, description, developer, namespace: namespaces, ...where }: Create): Promise<void> => {
  const { contract, token } = await withContracts(where, (service) =>
    service.contracts.create(
      {
        name,
        namespaces,
        ...(id === undefined ? {} : { id }),
        ...(description === undefined ? {} : { description }),
        ...(developer === undefined ? {} : { developer }),
      },
      BY,
    ),
  );
  say(`contract ${contract.contractId}`);
  say(`token ${token}`);
};

const rights = (namespaces: readonly ContractNamespace[]): string =>
  namespaces.map(({ namespace, read, write }) => `${namespace}:${read ? 'r' : ''}${write ? 'w' : ''}`).join(' ');

const show = async (id: string, where: Where): Promise<void> => {
  await withContracts(where, async (service) => {
    const contract = await service.contracts.find(id);
    say(`contract ${contract.contractId}${contract.enabled ? '' : ' (disabled)'}`);
    say(`name ${contract.name}`);
    if (contract.description !== '') say(`description ${contract.description}`);
    if (contract.developer !== '') say(`developer ${contract.developer}`);
    say(`namespaces ${rights(contract.namespaces)}`);
    say(`created ${isoTime(contract.created)}`);
    say(`joined ${await service.members.count(id)}`);
    for (const { created, ends } of await service.contracts.tokensOf(id))
      say(`token of ${isoTime(created)}${ends === null ? '' : `, ends ${isoTime(ends)}`}`);
  });
};

const list = async (where: Where): Promise<void> => {
  for (const { contractId, name, enabled, namespaces } of await withContracts(where, (service) =>
    service.contracts.list(),
  ))
    say([contractId, enabled ? 'enabled' : 'disabled', rights(namespaces), name].join('\t'));
};

const setEnabled =
  (enabled: boolean) =>
  async (id: string, where: Where): Promise<void> => {
    await withContracts(where, (service) => service.contracts.setEnabled(id, enabled, BY));
    say(`contract ${id} is ${enabled ? 'enabled' : 'disabled'}`);
  };

const rotateToken = async (id: string, { overlap, ...where }: Where & { overlap: number }): Promise<void> => {
  const token = await withContracts(where, (service) => service.contracts.rotateToken(id, overlap * HOUR_MS, BY));
  say(`token ${token}`);
};

const revokeTokens = async (id: string, where: Where): Promise<void> => {
  const ended = await withContracts(where, (service) => service.contracts.revokeTokens(id, BY));
  say(`${ended} ${ended === 1 ? 'token' : 'tokens'} revoked`);
};

const rotateKey = async ({ atOnce = false, ...where }: Where & { atOnce?: boolean }): Promise<void> => {
  const kid = await withContracts(where, (service) => service.keys.rotate(BY, { atOnce }));
  say(`key ${kid}`);
};

const showPda = async (name: string, where: Where): Promise<void> => {
  const pda = await withContracts(where, (service) => service.members.find(name));
  say(`pda ${pda.name} at ${pda.address}, since ${isoTime(pda.since)}`);
  for (const contract of pda.joined) say(`joined ${contract}`);
};

const forgetPda = async (name: string, where: Where): Promise<void> => {
  await withContracts(where, (service) => service.members.forget(name, BY));
  say(`pda ${name} is forgotten`);
};

const showAudit = async ({ take, ...where }: Where & { take: number }): Promise<void> => {
  const entries = await withContracts(where, (service) => service.audit.list({ take }));
  for (const { time, who, what, subject, detail } of entries)
    say([isoTime(time), who, what, subject, detail].join('\t'));
};

const buildProgram = (): Command => {
  const program = new Command('contracts')
    .description('Which PDAs joined which contract, and the short-lived tokens that open them.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const withDatabase = (command: Command): Command =>
    command
      .option('--database <url-or-dir>', 'postgres://… or a folder; DATABASE_URL when not given')
      .option('--home <dir>', 'where the folder is when there is no database');
  const below = (group: Command, name: string, description: string): Command =>
    withDatabase(group.command(name).description(description));

  below(program, 'serve', 'run a contracts service')
    .option('--port <n>', 'port on this machine; 0 picks one', port, 0)
    .option('--host <host>', 'address of this machine to listen on', '127.0.0.1')
    .option(
      '--public-url <url>',
      'an address under which others reach it; may be given several times',
      repeated(baseUrl),
    )
    .option(
      '--domain <domain>',
      'where the PDAs are found, as <name>.<domain>; may be given several times, anywhere when not given',
      repeated(domainName),
    )
    .option('--proxies <n>', 'balancers of your own in front of it, which say who calls (x-forwarded-for)', proxies, 0)
    .action(serve);

  const contracts = program.command('contract').description('contracts: create, list, show, disable, enable');
  below(contracts, 'create', 'a new contract; its long-lived token is shown this once')
    .requiredOption('--name <name>', 'what people read')
    .requiredOption(
      '--namespace <namespace:rights>',
      'fitness:rw, sleep:r; may be given several times',
      repeated(namespace),
    )
    .option('--id <id>', 'made from the name when not given', parsed(contractIdSchema))
    .option('--description <text>', 'what it is for')
    .option('--developer <name>', 'whose it is')
    .action(create);
  below(contracts, 'list', 'all contracts').action(list);
  below(contracts, 'show', 'one contract: who may do what, and how many joined').argument('<id>').action(show);
  below(contracts, 'disable', 'no more keyrings, and nobody joins').argument('<id>').action(setEnabled(false));
  below(contracts, 'enable', 'the opposite').argument('<id>').action(setEnabled(true));

  const tokens = program.command('token').description('long-lived tokens: rotate, revoke');
  below(tokens, 'rotate', 'a new token, shown this once')
    .argument('<contract>')
    .option('--overlap <hours>', 'the one before is good for so long', hours, 0)
    .action(rotateToken);
  below(tokens, 'revoke', 'ends all tokens of a contract').argument('<contract>').action(revokeTokens);

  const keys = program.command('key').description('keys of short-lived tokens: rotate');
  below(keys, 'rotate', 'the next key; the one before is published until its last token is over')
    .option('--at-once', 'forget the others: for a key that somebody else may have')
    .action(rotateKey);

  const pdas = program.command('pda').description('PDAs: show, forget');
  below(pdas, 'show', 'where a PDA is, and what it joined').argument('<name>').action(showPda);
  below(pdas, 'forget', 'for one that has another key or address now: it can join anew')
    .argument('<name>')
    .action(forgetPda);

  below(program, 'audit', 'what was done here, the newest first')
    .option('--take <n>', 'entries', count, 100)
    .action(showAudit);

  return program;
};

export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
