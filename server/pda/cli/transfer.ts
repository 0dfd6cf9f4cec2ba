import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createProgressMeter, formatMegabytes, print } from '../../platform/cli.ts';
import { Failure } from '../../platform/failure.ts';
import type { ArchiveCounts, MoveView } from '../../wire/move.ts';
import type { Pda } from '../pda.ts';

/* Commands `pda export-all` and `pda import-all`. */

type WithOwner = <T>(home: string, work: (pda: Pda) => Promise<T>) => Promise<T>;

const countsText = (counts: ArchiveCounts): string =>
  [
    `${counts.records} records at ${counts.endpoints} endpoints`,
    `${counts.files} files (${formatMegabytes(counts.fileBytes)})`,
    `${counts.applications} applications`,
    `${counts.consents} Data Debits, ${counts.activeConsents} of them active`,
    `${counts.contracts} contracts`,
    `${counts.functions} functions`,
    `${counts.people} users`,
    `${counts.access} entries in the access history`,
  ].join(', ');

const exportAll = async (withOwner: WithOwner, options: { home: string; to: string }): Promise<void> => {
  const meter = createProgressMeter('exported');
  const target = resolve(options.to);
  const { counts, bytes } = await withOwner(options.home, async (pda) =>
    pda.move.exportTo(target, meter.update),
  ).finally(() => meter.end());
  print(`${target}: ${formatMegabytes(bytes)}`);
  print(countsText(counts));
  if (counts.missing > 0)
    print(`${counts.missing} files or packages were missing, so the archive does not contain their content`);
  if (counts.later > 0)
    print(`${counts.later} files were changed during the export; the archive contains the newer content`);
  print('the archive contains no passwords, private keys or tokens; anyone who has it can read everything in it');
};

const followUpLines = ({
  applications,
  contracts,
  people,
  offers,
  functions,
  exchange,
}: NonNullable<MoveView['arrived']>['followUps']): string[] => [
  ...(applications.length > 0 ? [`sign in to these applications again: ${applications.join(', ')}`] : []),
  ...(people.length > 0 ? [`give these users a new password: ${people.join(', ')}`] : []),
  ...(offers.length > 0 ? [`Offers to claim again: ${offers.length}; until then, their providers have no access`] : []),
  ...(contracts.length > 0
    ? [`contracts that will be rejoined when you activate the account: ${contracts.join(', ')}`]
    : []),
  ...(functions.length > 0
    ? [`functions that will run again when you activate the account: ${functions.join(', ')}`]
    : []),
  ...(exchange === null ? [] : [`the account will be registered with ${exchange} when you activate it`]),
];

const importAll = async (
  withOwner: WithOwner,
  file: string,
  options: { home: string; look?: boolean },
): Promise<void> => {
  if (!existsSync(file)) throw new Failure('not_found', `The file ${file} does not exist.`);
  const path = resolve(file);
  const readMeter = createProgressMeter('read');
  const importMeter = createProgressMeter('imported');
  await withOwner(options.home, async (pda) => {
    const move = pda.move;
    const summary = await move.inspect(path, readMeter.update).finally(() => readMeter.end());
    print(`${summary.name}, as of ${summary.exported}: ${countsText(summary.counts)}`);
    if (options.look !== true) await move.importFrom(path, importMeter.update).finally(() => importMeter.end());
  });
  if (options.look === true) return;
  // Reopening the home activates the import.
  const { arrived, problem } = await withOwner(options.home, async (pda) => pda.move.view());
  if (arrived === null) throw new Failure('wrong_state', problem ?? 'Nothing was imported.');
  print('imported; sign in with the name and password that were valid before the import');
  print('the account is unreachable and sends nothing until you activate it in the dashboard: Settings, Move');
  for (const line of followUpLines(arrived.followUps)) print(line);
};

export const addTransferCommands = (program: Command, withOwner: WithOwner): void => {
  program
    .command('export-all')
    .description('write the whole account to an unencrypted archive, without secrets')
    .requiredOption('--home <dir>', 'folder of the PDA')
    .requiredOption('--to <file>', 'new ZIP file')
    .action((options: { home: string; to: string }) => exportAll(withOwner, options));
  program
    .command('import-all')
    .description('import an archive of a whole account into an account that is set up and empty')
    .requiredOption('--home <dir>', 'folder of the PDA')
    .option('--look', 'only check the archive and print a summary')
    .argument('<file>')
    .action((file: string, options: { home: string; look?: boolean }) => importAll(withOwner, file, options));
};
