import type { Bundle } from '../../../server/wire/query.ts';
import { type DataNames, DERIVED_NAMES } from '../../shared/components/program-names.ts';
import { m } from '../../shared/messages/texts.ts';
import { type PlainEntry, type PlainProperty, endpointsOf, plainBundle } from '../../shared/consent/bundle-text.ts';
import { type Timing, spanText } from '../../shared/consent/timing-text.ts';

/** Differences between a new proposal and what is shared now. */

export interface Difference {
  kind: 'more' | 'less' | 'other';
  text: string;
}

export interface ProposalTerms extends Timing {
  bundle: { name: string; bundle: Bundle };
  conditions?: { name: string; bundle: Bundle } | undefined;
  purpose: string;
  termsUrl: string;
}

const words = m.requests.differences;

/** Old and new entry of a property and endpoint. Several entries of one endpoint are paired in order. */
type Pair = [PlainEntry | undefined, PlainEntry | undefined];

function pairEntries(before: readonly PlainEntry[], after: readonly PlainEntry[]): Pair[] {
  const unpaired = [...before];
  const paired: Pair[] = after.map((entry) => {
    const index = unpaired.findIndex(({ endpoint }) => endpoint === entry.endpoint);
    return [index === -1 ? undefined : unpaired.splice(index, 1)[0], entry];
  });
  return [...paired, ...unpaired.map((entry): Pair => [entry, undefined])];
}

function fieldTexts(entry: PlainEntry): string[] {
  return entry.fields?.map(({ label }) => label) ?? [];
}

function addedDifference(entry: PlainEntry): Difference {
  const text =
    entry.fields === null
      ? words.entireAdded(entry.title, entry.endpoint)
      : words.fieldsAdded(fieldTexts(entry), entry.title, entry.endpoint);
  return { kind: 'more', text };
}

function entryDifferences(before: PlainEntry, after: PlainEntry): Difference[] {
  const differences: Difference[] = [];
  const title = after.title;
  if (before.fields !== null && after.fields === null) {
    differences.push({ kind: 'more', text: words.nowEntire(title, before.fields.length) });
  } else if (before.fields === null && after.fields !== null) {
    differences.push({ kind: 'less', text: words.onlyFields(fieldTexts(after), title) });
  } else if (before.fields !== null && after.fields !== null) {
    // Compared by source: a new name for the same data adds nothing, and an existing name may now hide other data.
    const previousKeys = new Set(before.fields.map(({ source, label }) => `${source} ${label}`));
    const currentKeys = new Set(after.fields.map(({ source, label }) => `${source} ${label}`));
    const addedFields = after.fields.filter(({ source, label }) => !previousKeys.has(`${source} ${label}`));
    const removedFields = before.fields.filter(({ source, label }) => !currentKeys.has(`${source} ${label}`));
    if (addedFields.length > 0) {
      differences.push({
        kind: 'more',
        text: words.fieldsAdded(
          addedFields.map(({ label }) => label),
          title,
          after.endpoint,
        ),
      });
    }
    if (removedFields.length > 0)
      differences.push({
        kind: 'less',
        text: words.fieldsGone(
          removedFields.map(({ label }) => label),
          title,
        ),
      });
  }
  if (before.filters !== after.filters) {
    differences.push({
      kind: after.filters === undefined ? 'more' : 'other',
      text: words.filters(title, before.filters, after.filters),
    });
  }
  return differences;
}

function propertyDifferences(before: PlainProperty | undefined, after: PlainProperty | undefined): Difference[] {
  const differences: Difference[] = [];
  for (const [previous, current] of pairEntries(before?.entries ?? [], after?.entries ?? [])) {
    if (previous === undefined && current !== undefined) differences.push(addedDifference(current));
    else if (previous !== undefined && current === undefined)
      differences.push({ kind: 'less', text: words.entryGone(previous.title) });
    else if (previous !== undefined && current !== undefined) differences.push(...entryDifferences(previous, current));
  }
  // Without a limit on either side, only the filters can differ, which are already reported.
  const isLimited = Math.min(before?.limit ?? 0, after?.limit ?? 0) < Number.POSITIVE_INFINITY;
  if (before !== undefined && after !== undefined && isLimited && before.amount !== after.amount) {
    const kind = after.limit > before.limit ? 'more' : after.limit < before.limit ? 'less' : 'other';
    differences.push({ kind, text: words.amount(after.title, before.amount, after.amount) });
  }
  return differences;
}

const KIND_ORDER = { more: 0, other: 1, less: 2 };

export function findBundleDifferences(before: Bundle, after: Bundle, names: DataNames = DERIVED_NAMES): Difference[] {
  const previous = new Map(plainBundle(before, names).map((property) => [property.property, property]));
  const current = new Map(plainBundle(after, names).map((property) => [property.property, property]));
  const properties = [...new Set([...current.keys(), ...previous.keys()])];
  return properties
    .flatMap((name) => propertyDifferences(previous.get(name), current.get(name)))
    .toSorted((a, b) => KIND_ORDER[a.kind] - KIND_ORDER[b.kind]);
}

/**
 * Lists the differences in the data, additions first, then the differences in the terms. Ignores the names of bundles.
 */
export function findDifferences(
  before: ProposalTerms,
  after: ProposalTerms,
  names: DataNames = DERIVED_NAMES,
): Difference[] {
  const differences = findBundleDifferences(before.bundle.bundle, after.bundle.bundle, names);
  if (before.cancelAtPeriodEnd !== after.cancelAtPeriodEnd) {
    differences.push(
      after.cancelAtPeriodEnd ? { kind: 'less', text: words.nowEnds } : { kind: 'more', text: words.nowRenews },
    );
  }
  if (before.period !== after.period) {
    differences.push({
      kind: after.period > before.period ? 'more' : 'less',
      text: words.period(spanText(before.period), spanText(after.period)),
    });
  }
  const conditions = [before, after].map((terms) => JSON.stringify(terms.conditions?.bundle ?? null));
  if (conditions[0] !== conditions[1]) {
    const conditionEndpoints = after.conditions === undefined ? [] : endpointsOf(after.conditions.bundle);
    differences.push({
      kind: after.conditions === undefined ? 'more' : 'other',
      text: conditionEndpoints.length === 0 ? words.noConditions : words.conditions(conditionEndpoints),
    });
  }
  if (before.purpose !== after.purpose) differences.push({ kind: 'other', text: words.purpose(before.purpose) });
  if (before.termsUrl !== after.termsUrl) differences.push({ kind: 'other', text: words.terms });
  return differences;
}
