import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createProgressMeter, formatMegabytes, print } from '../../platform/cli.ts';
import { Failure } from '../../platform/failure.ts';
import type { ArchiveCounts, MoveView } from '../../wire/move.ts';
import type { Pda } from '../pda.ts';

/** `pda export-all`, `pda import-all` */

type WithOwner = <T>(home: string, work: (pda: Pda) => Promise<T>) => Promise<T>;

const inWords = (counts: ArchiveCounts): string =>
  [
    `${counts.records} records at ${counts.endpoints} endpoints`,
    `${counts.files} files (${formatMegabytes(counts.fileBytes)})`,
    `${counts.applications} applications`,
    `${counts.consents} Data Debits, ${counts.activeConsents} of them active`,
    `${counts.contracts} contracts`,
    `${counts.functions} functions`,
    `${counts.people} people`,
    `${counts.access} lines of access history`,
  ].join(', ');

const exportAll = async (withOwner: WithOwner, options: { home: string; to: string }): Promise<void> => {
  const meter = createProgressMeter('exported');
  const to = resolve(options.to);
  const { counts, bytes } = await withOwner(options.home, async (pda) => pda.move.exportTo(to, meter.update)).finally(
    () => meter.end(),
  );
  print(`${to}: ${formatMegabytes(bytes)}`);
  print(inWords(counts));
  if (counts.missing > 0) print(`${counts.missing} files were not where they should be: their bytes are not in it`);
  if (counts.later > 0) print(`${counts.later} files were changed meanwhile: their bytes are of a little later`);
  print('it contains no password, key or token; anyone who has it can read everything else');
};

/** What the owner has to do at the new place, one line for each. */
const whatIsLeft = ({
  applications,
  contracts,
  people,
  offers,
  functions,
  exchange,
}: NonNullable<MoveView['arrived']>['followUps']): string[] => [
  ...(applications.length > 0 ? [`sign in to these applications again: ${applications.join(', ')}`] : []),
  ...(people.length > 0 ? [`give these people a new password: ${people.join(', ')}`] : []),
  ...(offers.length > 0
    ? [`${offers.length} claimed offers: their providers have no access until they are claimed again`]
    : []),
  ...(contracts.length > 0 ? [`rejoined when you settle: ${contracts.join(', ')}`] : []),
  ...(functions.length > 0 ? [`run again once you settle: ${functions.join(', ')}`] : []),
  ...(exchange === null ? [] : [`registered with ${exchange} once you settle`]),
];

const importAll = async (
  withOwner: WithOwner,
  file: string,
  options: { home: string; look?: boolean },
): Promise<void> => {
  if (!existsSync(file)) throw new Failure('not_found', `There is no file ${file}.`);
  const path = resolve(file);
  const look = createProgressMeter('read');
  const put = createProgressMeter('imported');
  await withOwner(options.home, async (pda) => {
    const move = pda.move;
    const found = await move.lookAt(path, look.update).finally(() => look.end());
    print(`${found.name}, as it was on ${found.exported}: ${inWords(found.counts)}`);
    if (options.look !== true) await move.importFrom(path, put.update).finally(() => put.end());
  });
  if (options.look === true) return;
  // Reopening the home activates the import.
  const { arrived, problem } = await withOwner(options.home, async (pda) => pda.move.view());
  if (arrived === null) throw new Failure('wrong_state', problem ?? 'Nothing was imported.');
  print('imported; sign in with the name and the password of this account');
  print('it is dark, and nothing goes out from it, until you settle it in the dashboard: Settings, Move');
  for (const line of whatIsLeft(arrived.followUps)) print(line);
};

export const addMoveCommands = (program: Command, withOwner: WithOwner): void => {
  program
    .command('export-all')
    .description('write the whole account as one open archive, without secrets')
    .requiredOption('--home <dir>', 'the folder that is the PDA')
    .requiredOption('--to <file>', 'a new zip file')
    .action((options: { home: string; to: string }) => exportAll(withOwner, options));
  program
    .command('import-all')
    .description('bring such an archive into an account that was set up and not used yet')
    .requiredOption('--home <dir>', 'the folder that is the PDA')
    .option('--look', 'only read it to its end, and say what is in it')
    .argument('<file>')
    .action((file: string, options: { home: string; look?: boolean }) => importAll(withOwner, file, options));
};
