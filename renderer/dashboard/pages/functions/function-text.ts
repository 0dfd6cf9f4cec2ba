import type { FunctionRun, NamedBundle, OwnerFunction } from '../../../shared/api/contract.ts';
import { toSentenceCase } from '../../../shared/components/program-names.ts';
import { type PlainProperty, bundleText, plainBundle } from '../../../shared/consent/bundle-text.ts';
import { m } from '../../../shared/messages/texts.ts';
import { isOn } from './status/state.ts';

const words = m.functions;

/** What a function calls itself; its id as long as that is not known. */
export function nameOf({ id, configuration }: OwnerFunction): string {
  return configuration?.info.name ?? id;
}

/** The bundle that counts: what was approved, as long as it is on; else what it asks for. */
export function bundleOf(one: OwnerFunction): NamedBundle | undefined {
  const approved = one.approved?.dataBundle;
  const asked = one.configuration?.dataBundle;
  return isOn(one) ? (approved ?? asked) : (asked ?? approved);
}

/** "5 fields of Steps and Sleep" */
export function readsText(bundle: NamedBundle): string {
  return bundleText(bundle.bundle);
}

/**
 * The same field by field. Of one that gets what is new, a limit bounds each run and not what it gets in all: the rest comes in the
 * next one.
 */
export function plainReads(bundle: NamedBundle, reads: OwnerFunction['reads']): PlainProperty[] {
  return plainBundle(bundle.bundle).map((property) => {
    const { limit, entries } = property;
    if (reads === 'all' || limit === 0 || !Number.isFinite(limit)) return property;
    const fitting = entries.some(({ filters }) => filters !== undefined);
    return { ...property, amount: (fitting ? words.scope.atOnceFitting : words.scope.atOnce)(limit) };
  });
}

export function capital(text: string): string {
  return toSentenceCase(text);
}

/** A circle ends where it began. Something else that was not run is only that. */
export function isCircle({ outcome, chain }: Pick<FunctionRun, 'outcome' | 'chain'>): boolean {
  return outcome === 'stopped' && chain.length > 1 && chain[0] === chain.at(-1);
}

export function outcomeText(run: Pick<FunctionRun, 'outcome' | 'chain'>): string {
  if (run.outcome === null) return words.runs.outcomes.running;
  return isCircle(run) ? words.runs.outcomes.circle : words.runs.outcomes[run.outcome];
}

/** How a run looks: its sign and tone. */
export type RunLook = 'running' | 'done' | 'undone' | 'stopped' | 'failed';

export function lookOf({ outcome, undone }: Pick<FunctionRun, 'outcome' | 'undone'>): RunLook {
  if (outcome === null) return 'running';
  if (undone !== null) return 'undone';
  if (outcome === 'done') return 'done';
  return outcome === 'stopped' ? 'stopped' : 'failed';
}
