import { resolve } from 'node:path';
import { Failure } from '../../platform/failure.ts';
import type { OwnerFunction } from '../../wire/functions.ts';
import type { Pda } from '../pda.ts';

/** `pda function …` */

type Say = (line: string) => void;

export const installFunction = async ({ functions }: Pda, path: string, say: Say): Promise<void> => {
  const { id, version, writes, approved } = await functions.install(resolve(path));
  say(`${id} ${version} installed; it stores at ${writes}`);
  if (approved === null) say('it runs once you enable it in the dashboard');
};

export const removeFunction = async ({ functions }: Pda, id: string, say: Say): Promise<void> => {
  await functions.remove(id);
  say(`${id} removed; what it stored is still here`);
};

const stateOf = ({ registered, configuration, problem, asksForMore }: OwnerFunction): string => {
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

/** A line for each, its parts with tabs between them. */
export const listFunctions = ({ functions }: Pda, say: Say): void => {
  for (const one of functions.ownerList()) {
    const where = one.place.kind === 'here' ? 'here' : one.place.host;
    say([one.id, one.version, stateOf(one), triggerOf(one), where, one.writes].join('\t'));
  }
};

const MEGABYTE = 1_048_576;

/** The same JSON, without what a terminal would obey: JSON leaves these characters as they are. */
const forTerminal = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** What it answered goes to standard output as JSON; how the run went, and its log, to standard error. */
export const tryFunction = async ({ functions }: Pda, path: string, say: Say, tell: Say): Promise<void> => {
  const tried = await functions.tryPackage(resolve(path));
  for (const line of tried.log) tell(`log: ${line}`);
  const memory = tried.peakMemoryBytes === null ? '' : `, ${Math.round(tried.peakMemoryBytes / MEGABYTE)} MB at most`;
  tell(
    `${tried.recordsIn} records in (${tried.bytesIn} bytes), ${tried.records.length} out, ${tried.durationMs ?? 0} ms${memory}; nothing was saved`,
  );
  if (tried.more) tell('there is more than fits into one request: it would be run again for the rest');
  if (tried.outcome !== 'done')
    throw new Failure(
      tried.outcome === 'stopped' || tried.outcome === null ? 'error' : tried.outcome,
      `${tried.outcome}: ${tried.message ?? ''}`,
    );
  say(forTerminal(JSON.stringify(tried.output, null, 2)));
};
