import { resolve } from 'node:path';
import { print, printError } from '../../platform/cli.ts';
import { Failure } from '../../platform/failure.ts';
import type { OwnerFunction } from '../../wire/functions.ts';
import type { Pda } from '../pda.ts';

/* Command `pda function`. */

export const installFunction = async ({ functions }: Pda, path: string): Promise<void> => {
  const { id, version, writes, approved } = await functions.install(resolve(path));
  print(`${id} ${version} installed; it stores its records at ${writes}`);
  if (approved === null) print('it does not run until you enable it in the dashboard');
};

export const removeFunction = async ({ functions }: Pda, id: string): Promise<void> => {
  await functions.remove(id);
  print(`${id} removed; its records are kept`);
};

const statusTextOf = ({ registered, configuration, problem, asksForMore }: OwnerFunction): string => {
  if (!registered) return 'removed';
  if (problem !== null) return `problem: ${problem}`;
  if (asksForMore) return 'asks for more than was approved';
  return configuration?.status.enabled === true ? 'enabled' : 'not enabled';
};

const triggerOf = ({ configuration }: OwnerFunction): string => {
  const trigger = configuration?.trigger;
  if (trigger === undefined) return '-';
  return trigger.triggerType === 'periodic' ? `periodic ${trigger.period}` : trigger.triggerType;
};

/** Prints one line with tab-separated columns for each function. */
export const listFunctions = ({ functions }: Pda): void => {
  for (const entry of functions.ownerList()) {
    const location = entry.place.kind === 'here' ? 'local' : entry.place.host;
    print([entry.id, entry.version, statusTextOf(entry), triggerOf(entry), location, entry.writes].join('\t'));
  }
};

const MEBIBYTE = 1_048_576;

/** Escapes the characters that JSON.stringify does not escape and that a terminal would interpret. */
const escapeForTerminal = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * Runs a package without storing anything. Prints the output as JSON, and the log and a summary to standard error.
 * @throws Failure if the run fails
 */
export const tryFunction = async ({ functions }: Pda, path: string): Promise<void> => {
  const run = await functions.tryPackage(resolve(path));
  for (const line of run.log) printError(`log: ${line}`);
  const memory = run.peakMemoryBytes === null ? '' : `, ${Math.round(run.peakMemoryBytes / MEBIBYTE)} MB peak memory`;
  printError(
    `${run.recordsIn} records in (${run.bytesIn} bytes), ${run.records.length} out, ${run.durationMs ?? 0} ms${memory}; nothing was saved`,
  );
  if (run.more) printError('the input exceeds one request; the function would run again for the rest');
  if (run.outcome !== 'done')
    throw new Failure(
      run.outcome === 'stopped' || run.outcome === null ? 'error' : run.outcome,
      `${run.outcome}: ${run.message ?? ''}`,
    );
  print(escapeForTerminal(JSON.stringify(run.output, null, 2)));
};
