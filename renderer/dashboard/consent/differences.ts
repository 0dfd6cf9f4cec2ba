import type { Bundle } from '../../../server/wire/query.ts';
import { type DataNames, DERIVED_NAMES, disambiguateNames } from '../../shared/components/display-names.ts';
import { m } from '../../shared/messages/texts.ts';
import { type PlainEntry, type PlainProperty, endpointsOf, plainBundle } from '../../shared/consent/bundle-text.ts';
import { filtersText } from '../../shared/consent/filter-text.ts';
import { type Timing, spanText } from '../../shared/consent/timing-text.ts';

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

const texts = m.requests.differences;

/** Old and new entry of a property and endpoint. Several entries for one endpoint are paired in order. */
type EntryPair = [PlainEntry | undefined, PlainEntry | undefined];

function pairEntries(before: readonly PlainEntry[], after: readonly PlainEntry[]): EntryPair[] {
  const remaining = [...before];
  const pairs: EntryPair[] = after.map((entry) => {
    const index = remaining.findIndex(({ endpoint }) => endpoint === entry.endpoint);
    return [index === -1 ? undefined : remaining.splice(index, 1)[0], entry];
  });
  return [...pairs, ...remaining.map((entry): EntryPair => [entry, undefined])];
}

function fieldLabels(entry: PlainEntry): string[] {
  return entry.fields?.map(({ label }) => label) ?? [];
}

function addedDifference(entry: PlainEntry, names: DataNames): Difference {
  const name = names.endpoint(entry.endpoint);
  const text =
    entry.fields === null
      ? texts.entireAdded(name, entry.endpoint)
      : texts.fieldsAdded(fieldLabels(entry), name, entry.endpoint);
  return { kind: 'more', text };
}

/** Describes different filters: by field names, or, if these are the same, by field paths or as JSON. */
function filterTexts(before: PlainEntry, after: PlainEntry): [string | undefined, string | undefined] {
  if (before.filters !== after.filters) return [before.filters, after.filters];
  const [previous, current] = [before, after].map(({ requestedFilters }) =>
    filtersText(requestedFilters, (path) => path),
  );
  if (previous !== current) return [previous, current];
  // Long values are truncated in descriptions.
  return [JSON.stringify(before.requestedFilters), JSON.stringify(after.requestedFilters)];
}

/** Describes different amounts. Adds the path of the sort field if the descriptions would otherwise be equal. */
function amountTexts(before: PlainProperty, after: PlainProperty): [string, string] {
  if (before.amount !== after.amount) return [before.amount, after.amount];
  return [`${before.amount} (${before.orderBy ?? ''})`, `${after.amount} (${after.orderBy ?? ''})`];
}

/** @param title unique endpoint name */
function entryDifferences(before: PlainEntry, after: PlainEntry, title: string, names: DataNames): Difference[] {
  const differences: Difference[] = [];
  if (before.fields !== null && after.fields === null) {
    differences.push({ kind: 'more', text: texts.nowEntire(title, before.fields.length) });
  } else if (before.fields === null && after.fields !== null) {
    differences.push({ kind: 'less', text: texts.onlyFields(fieldLabels(after), title) });
  } else if (before.fields !== null && after.fields !== null) {
    // The requester's names are not compared: a new name for the same data adds nothing, and an existing name may now
    // stand for different data.
    const previousKeys = new Set(before.fields.map(({ source, label }) => `${source} ${label}`));
    const currentKeys = new Set(after.fields.map(({ source, label }) => `${source} ${label}`));
    const addedFields = after.fields.filter(({ source, label }) => !previousKeys.has(`${source} ${label}`));
    const removedFields = before.fields.filter(({ source, label }) => !currentKeys.has(`${source} ${label}`));
    if (addedFields.length > 0) {
      differences.push({
        kind: 'more',
        text: texts.fieldsAdded(
          addedFields.map(({ label }) => label),
          names.endpoint(after.endpoint),
          after.endpoint,
        ),
      });
    }
    if (removedFields.length > 0)
      differences.push({
        kind: 'less',
        text: texts.fieldsGone(
          removedFields.map(({ label }) => label),
          title,
        ),
      });
  }
  if (JSON.stringify(before.requestedFilters) !== JSON.stringify(after.requestedFilters)) {
    differences.push({
      kind: after.filters === undefined ? 'more' : 'other',
      text: texts.filters(title, ...filterTexts(before, after)),
    });
  }
  return differences;
}

function propertyDifferences(
  before: PlainProperty | undefined,
  after: PlainProperty | undefined,
  names: DataNames,
  uniqueNames: DataNames,
): Difference[] {
  const differences: Difference[] = [];
  for (const [previous, current] of pairEntries(before?.entries ?? [], after?.entries ?? [])) {
    if (previous === undefined && current !== undefined) differences.push(addedDifference(current, names));
    else if (previous !== undefined && current === undefined)
      differences.push({ kind: 'less', text: texts.entryGone(uniqueNames.endpoint(previous.endpoint)) });
    else if (previous !== undefined && current !== undefined)
      differences.push(...entryDifferences(previous, current, uniqueNames.endpoint(current.endpoint), names));
  }
  // Without a limit on either side, the amounts differ only if the filters differ, which is already reported.
  const isLimited = Math.min(before?.limit ?? 0, after?.limit ?? 0) < Number.POSITIVE_INFINITY;
  if (
    before !== undefined &&
    after !== undefined &&
    isLimited &&
    (before.amount !== after.amount || before.orderBy !== after.orderBy)
  ) {
    const kind = after.limit > before.limit ? 'more' : after.limit < before.limit ? 'less' : 'other';
    differences.push({ kind, text: texts.amount(after.title, ...amountTexts(before, after)) });
  }
  return differences;
}

const KIND_ORDER = { more: 0, other: 1, less: 2 };

export function findBundleDifferences(before: Bundle, after: Bundle, names: DataNames = DERIVED_NAMES): Difference[] {
  const previous = new Map(plainBundle(before, names).map((property) => [property.property, property]));
  const current = new Map(plainBundle(after, names).map((property) => [property.property, property]));
  const uniqueNames = disambiguateNames(names, [...endpointsOf(before), ...endpointsOf(after)]);
  const properties = [...new Set([...current.keys(), ...previous.keys()])];
  return properties
    .flatMap((name) => propertyDifferences(previous.get(name), current.get(name), names, uniqueNames))
    .toSorted((a, b) => KIND_ORDER[a.kind] - KIND_ORDER[b.kind]);
}

/** Describes whether data is shared until a fixed end or until the owner stops. */
export function renewalDifferences(
  before: Pick<Timing, 'cancelAtPeriodEnd'>,
  after: Pick<Timing, 'cancelAtPeriodEnd'>,
): Difference[] {
  if (before.cancelAtPeriodEnd === after.cancelAtPeriodEnd) return [];
  return [after.cancelAtPeriodEnd ? { kind: 'less', text: texts.nowEnds } : { kind: 'more', text: texts.nowRenews }];
}

export function conditionDifferences(before: Bundle | undefined, after: Bundle | undefined): Difference[] {
  if (JSON.stringify(before ?? null) === JSON.stringify(after ?? null)) return [];
  const conditionEndpoints = after === undefined ? [] : endpointsOf(after);
  return [
    {
      kind: after === undefined ? 'more' : 'other',
      text: conditionEndpoints.length === 0 ? texts.noConditions : texts.conditions(conditionEndpoints),
    },
  ];
}

/**
 * Lists differences in the data, additions first, then differences in the terms. Ignores bundle names and the start.
 */
export function findDifferences(
  before: ProposalTerms,
  after: ProposalTerms,
  names: DataNames = DERIVED_NAMES,
): Difference[] {
  const differences = [
    ...findBundleDifferences(before.bundle.bundle, after.bundle.bundle, names),
    ...renewalDifferences(before, after),
  ];
  if (before.period !== after.period) {
    differences.push({
      kind: after.period > before.period ? 'more' : 'less',
      text: texts.period(spanText(before.period), spanText(after.period)),
    });
  }
  differences.push(...conditionDifferences(before.conditions?.bundle, after.conditions?.bundle));
  if (before.purpose !== after.purpose) differences.push({ kind: 'other', text: texts.purpose(before.purpose) });
  if (before.termsUrl !== after.termsUrl) differences.push({ kind: 'other', text: texts.terms });
  return differences;
}
