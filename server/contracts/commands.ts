import { Command, InvalidArgumentError } from 'commander';
import { isoTime } from '../platform/clock.ts';
import { announcePreparation, parseOption, collectOption, runCommandLine, print } from '../platform/cli.ts';
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
import { contractIdSchema, contractNamespaceSchema, type ContractNamespace } from '../wire/contracts.ts';
import { createContracts, type Contracts, type ContractsOptions } from './contracts.ts';
import { VERSION } from './version.ts';

/** Name in the audit log. */
const ACTOR = 'command line';
const HOUR_MS = 3_600_000;
const MAX_OVERLAP_HOURS = 24 * 365;
const MAX_AUDIT_ENTRIES = 100_000;

const open = (location: DatabaseLocation, log: Log, options: Partial<ContractsOptions> = {}): Promise<Contracts> =>
  createContracts({ database: resolveDatabase(location, 'personal-data-contracts', log), log, ...options });

const withContracts = <T>(location: DatabaseLocation, work: (service: Contracts) => Promise<T>): Promise<T> =>
  withService(
    (log) => open(location, log, { onPrepare: announcePreparation, databaseLimits: COMMAND_DATABASE_LIMITS }),
    work,
  );

const serve = (options: ServeOptions & { domain?: string[] }): Promise<void> => {
  const { publicUrl: publicUrls = [], domain: domains = [], proxies } = options;
  return serveUntilStopped('contracts', (log) => open(options, log, { publicUrls, domains, proxies }), options);
};

const parseDomain = (value: string): string => {
  const host = URL.parse(`http://${value}`)?.host;
  if (host === undefined || host !== value.toLowerCase()) throw new InvalidArgumentError('Use the form example.org.');
  return host;
};

const parseNamespace = (value: string): ContractNamespace => {
  const [, name = '', rights = ''] = /^(.+):(r|w|rw)$/u.exec(value) ?? [];
  const result = contractNamespaceSchema.safeParse({
    namespace: name,
    read: rights.includes('r'),
    write: rights.includes('w'),
  });
  if (!result.success) throw new InvalidArgumentError('Use the form fitness:rw, sleep:r or steps:w.');
  return result.data;
};

const parseHours = (value: string): number => {
  const hours = Number(value);
  if (value.trim() === '' || !(hours >= 0 && hours <= MAX_OVERLAP_HOURS))
    throw new InvalidArgumentError(`Use a number of hours from 0 to ${MAX_OVERLAP_HOURS}.`);
  return hours;
};

const parseCount = (value: string): number => {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1 || count > MAX_AUDIT_ENTRIES)
    throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_AUDIT_ENTRIES}.`);
  return count;
};

type CreateOptions = DatabaseLocation & {
  id?: string;
  name: string;
  description?: string;
  developer?: string;
  namespace: ContractNamespace[];
};

const create = async (options: CreateOptions): Promise<void> => {
  const { id, name, description, developer, namespace: namespaces } = options;
  const { contract, token } = await withContracts(options, (service) =>
    service.contracts.create({ id, name, description, developer, namespaces }, ACTOR),
  );
  print(`contract ${contract.contractId}`);
  print(`token ${token}`);
};

const formatRights = (namespaces: readonly ContractNamespace[]): string =>
  namespaces.map(({ namespace, read, write }) => `${namespace}:${read ? 'r' : ''}${write ? 'w' : ''}`).join(' ');

const show = async (id: string, location: DatabaseLocation): Promise<void> => {
  await withContracts(location, async (service) => {
    const contract = await service.contracts.find(id);
    print(`contract ${contract.contractId}${contract.enabled ? '' : ' (disabled)'}`);
    print(`name ${contract.name}`);
    if (contract.description !== '') print(`description ${contract.description}`);
    if (contract.developer !== '') print(`developer ${contract.developer}`);
    print(`namespaces ${formatRights(contract.namespaces)}`);
    print(`created ${isoTime(contract.created)}`);
    print(`members ${await service.members.count(id)}`);
    for (const { created, ends } of await service.contracts.tokensOf(id))
      print(`token created ${isoTime(created)}${ends === null ? '' : `, ends ${isoTime(ends)}`}`);
  });
};

const list = async (location: DatabaseLocation): Promise<void> => {
  for (const { contractId, name, enabled, namespaces } of await withContracts(location, (service) =>
    service.contracts.list(),
  ))
    print([contractId, enabled ? 'enabled' : 'disabled', formatRights(namespaces), name].join('\t'));
};

const setEnabled =
  (enabled: boolean) =>
  async (id: string, location: DatabaseLocation): Promise<void> => {
    await withContracts(location, (service) => service.contracts.setEnabled(id, enabled, ACTOR));
    print(`contract ${id} is ${enabled ? 'enabled' : 'disabled'}`);
  };

const rotateToken = async (
  id: string,
  { overlap, ...location }: DatabaseLocation & { overlap: number },
): Promise<void> => {
  const token = await withContracts(location, (service) => service.contracts.rotateToken(id, overlap * HOUR_MS, ACTOR));
  print(`token ${token}`);
};

const revokeTokens = async (id: string, location: DatabaseLocation): Promise<void> => {
  const revokedCount = await withContracts(location, (service) => service.contracts.revokeTokens(id, ACTOR));
  print(`${revokedCount} ${revokedCount === 1 ? 'token' : 'tokens'} revoked`);
};

const rotateKey = async ({ atOnce = false, ...location }: DatabaseLocation & { atOnce?: boolean }): Promise<void> => {
  const kid = await withContracts(location, (service) => service.keys.rotate(ACTOR, { atOnce }));
  print(`key ${kid}`);
};

const showPda = async (name: string, location: DatabaseLocation): Promise<void> => {
  const pda = await withContracts(location, (service) => service.members.find(name));
  print(`pda ${pda.name} at ${pda.address}, since ${isoTime(pda.since)}`);
  for (const contract of pda.joined) print(`joined ${contract}`);
};

const forgetPda = async (name: string, location: DatabaseLocation): Promise<void> => {
  await withContracts(location, (service) => service.members.forget(name, ACTOR));
  print(`pda ${name} was removed`);
};

const showAudit = async ({ take, ...location }: DatabaseLocation & { take: number }): Promise<void> => {
  const entries = await withContracts(location, (service) => service.audit.list({ take }));
  for (const { time, who, what, subject, detail } of entries)
    print([isoTime(time), who, what, subject, detail].join('\t'));
};

const buildProgram = (): Command => {
  const program = new Command('contracts')
    .description(
      'Records which PDAs joined which contract and issues short-lived tokens to the developers of contracts.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const addCommand = (group: Command, name: string, description: string): Command =>
    addDatabaseOptions(group.command(name).description(description));

  addServeOptions(program.command('serve').description('run a contracts service'))
    .option(
      '--domain <domain>',
      'accept only PDAs at <name>.<domain>; repeatable; default: any domain',
      collectOption(parseDomain),
    )
    .action(serve);

  const contracts = program.command('contract').description('contracts: create, list, show, disable, enable');
  addCommand(contracts, 'create', 'create a contract; prints its long-lived token, which is shown only once')
    .requiredOption('--name <name>', 'display name')
    .requiredOption(
      '--namespace <namespace:rights>',
      'namespace with rights, such as fitness:rw or sleep:r; repeatable',
      collectOption(parseNamespace),
    )
    .option('--id <id>', 'default: derived from the name', parseOption(contractIdSchema))
    .option('--description <text>', 'purpose of the contract')
    .option('--developer <name>', 'name of the developer')
    .action(create);
  addCommand(contracts, 'list', 'list all contracts').action(list);
  addCommand(contracts, 'show', 'show the rights of a contract, the dates of its tokens and the number of its members')
    .argument('<id>')
    .action(show);
  addCommand(contracts, 'disable', 'refuse keyrings and new members').argument('<id>').action(setEnabled(false));
  addCommand(contracts, 'enable', 'allow keyrings and new members again').argument('<id>').action(setEnabled(true));

  const tokens = program.command('token').description('long-lived tokens: rotate, revoke');
  addCommand(tokens, 'rotate', 'create a new token, which is shown only once')
    .argument('<contract>')
    .option('--overlap <hours>', 'how long the previous tokens stay valid', parseHours, 0)
    .action(rotateToken);
  addCommand(tokens, 'revoke', 'revoke all tokens of a contract').argument('<contract>').action(revokeTokens);

  const keys = program.command('key').description('keys of short-lived tokens: rotate');
  addCommand(keys, 'rotate', 'create the next key; the previous key stays published until its last token expires')
    .option('--at-once', 'remove the previous keys immediately, in case a key was compromised')
    .action(rotateKey);

  const pdas = program.command('pda').description('PDAs: show, forget');
  addCommand(pdas, 'show', 'show the address of a PDA and the contracts that it joined')
    .argument('<name>')
    .action(showPda);
  addCommand(pdas, 'forget', 'remove a PDA, so that it can join again with a new key or address')
    .argument('<name>')
    .action(forgetPda);

  addCommand(program, 'audit', 'list the audit log, newest first')
    .option('--take <n>', 'maximum number of entries', parseCount, 100)
    .action(showAudit);

  return program;
};

export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
