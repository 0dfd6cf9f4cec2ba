import type { FunctionRun, NamedBundle, OwnerFunction } from '../../../shared/api/contract.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { type DataNames, DERIVED_NAMES } from '../../../shared/components/display-names.ts';
import { type PlainProperty, bundleText, plainBundle } from '../../../shared/consent/bundle-text.ts';
import { m } from '../../../shared/messages/texts.ts';
import { isOn } from './status/state.ts';

const texts = m.functions;
/** HTTP status of the response if the run started and failed. */
const RUN_FAILED_STATUS = 502;

export function nameOf({ id, configuration }: OwnerFunction): string {
  return configuration?.info.name ?? id;
}

export function bundleOf(ownerFunction: OwnerFunction): NamedBundle | undefined {
  const approvedBundle = ownerFunction.approved?.dataBundle;
  const requestedBundle = ownerFunction.configuration?.dataBundle;
  return isOn(ownerFunction) ? (approvedBundle ?? requestedBundle) : (requestedBundle ?? approvedBundle);
}

export function readsText(bundle: NamedBundle, names: DataNames): string {
  return bundleText(bundle.bundle, names);
}

export function limitsText({ memoryMb, timeoutMs }: OwnerFunction['limits']): string {
  return memoryMb === null ? texts.facts.limitsRemote(timeoutMs) : texts.facts.limitsLocal(memoryMb, timeoutMs);
}

/**
 * Describes the data that a function reads. If it reads only new data, a limit applies per run: the next run receives
 * the remaining records.
 */
export function describeReads(
  bundle: NamedBundle,
  reads: OwnerFunction['reads'],
  names: DataNames = DERIVED_NAMES,
): PlainProperty[] {
  return plainBundle(bundle.bundle, names).map((property) => {
    const { limit, entries } = property;
    if (reads === 'all' || limit === 0 || !Number.isFinite(limit)) return property;
    const isFiltered = entries.some(({ filters }) => filters !== undefined);
    return { ...property, amount: (isFiltered ? texts.scope.matchingPerRun : texts.scope.allPerRun)(limit) };
  });
}

/** Returns true if a cycle prevented the run: the chain of the run begins and ends with the same function. */
export function isCycle({ outcome, chain }: Pick<FunctionRun, 'outcome' | 'chain'>): boolean {
  return outcome === 'stopped' && chain.length > 1 && chain[0] === chain.at(-1);
}

export function outcomeText(run: Pick<FunctionRun, 'outcome' | 'chain'>): string {
  if (run.outcome === null) return texts.runs.outcomes.running;
  return isCycle(run) ? texts.runs.outcomes.cycle : texts.runs.outcomes[run.outcome];
}

export function runProblemTitle(name: string, error: unknown): string {
  const { code, status } = toProblem(error);
  // Without a readable response from the PDA, it is unknown whether the run started.
  if (code === 'unreachable' || code === 'unreadable') return texts.actions.mayHaveStarted(name);
  return (status === RUN_FAILED_STATUS ? texts.actions.runFailed : texts.actions.notRun)(name);
}

export type RunStatus = 'running' | 'done' | 'undone' | 'stopped' | 'failed';

export function runStatusOf({ outcome, undone }: Pick<FunctionRun, 'outcome' | 'undone'>): RunStatus {
  if (outcome === null) return 'running';
  if (undone !== null) return 'undone';
  if (outcome === 'done') return 'done';
  return outcome === 'stopped' ? 'stopped' : 'failed';
}
