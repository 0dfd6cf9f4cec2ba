import type { Bundle } from '../../../server/wire/query.ts';
import { m } from '../../shared/messages/texts.ts';
import { type PlainEntry, type PlainProperty, endpointsOf, plainBundle } from '../../shared/consent/bundle-text.ts';
import { type Timing, spanText } from '../../shared/consent/timing-text.ts';

/** What a new proposal would change of what is shared now. */

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

/** Entries of one property and endpoint belong together; several of them in their order. */
type Pair = [PlainEntry | undefined, PlainEntry | undefined];

function pairs(before: readonly PlainEntry[], after: readonly PlainEntry[]): Pair[] {
  const left = [...before];
  const found: Pair[] = after.map((entry) => {
    const at = left.findIndex(({ endpoint }) => endpoint === entry.endpoint);
    return [at === -1 ? undefined : left.splice(at, 1)[0], entry];
  });
  return [...found, ...left.map((entry): Pair => [entry, undefined])];
}

function fieldTexts(entry: PlainEntry): string[] {
  return entry.fields?.map(({ label }) => label) ?? [];
}

function added(entry: PlainEntry): Difference {
  const text =
    entry.fields === null
      ? words.entireAdded(entry.title, entry.endpoint)
      : words.fieldsAdded(fieldTexts(entry), entry.title, entry.endpoint);
  return { kind: 'more', text };
}

function entryDifferences(before: PlainEntry, after: PlainEntry): Difference[] {
  const found: Difference[] = [];
  const place = after.title;
  if (before.fields !== null && after.fields === null) {
    found.push({ kind: 'more', text: words.nowEntire(place, before.fields.length) });
  } else if (before.fields === null && after.fields !== null) {
    found.push({ kind: 'less', text: words.onlyFields(fieldTexts(after), place) });
  } else if (before.fields !== null && after.fields !== null) {
    // By where it comes from: another name for the same data is no more data, and the same name may hide other data.
    const had = new Set(before.fields.map(({ source, label }) => `${source} ${label}`));
    const has = new Set(after.fields.map(({ source, label }) => `${source} ${label}`));
    const more = after.fields.filter(({ source, label }) => !had.has(`${source} ${label}`));
    const less = before.fields.filter(({ source, label }) => !has.has(`${source} ${label}`));
    if (more.length > 0) {
      found.push({
        kind: 'more',
        text: words.fieldsAdded(
          more.map(({ label }) => label),
          place,
          after.endpoint,
        ),
      });
    }
    if (less.length > 0)
      found.push({
        kind: 'less',
        text: words.fieldsGone(
          less.map(({ label }) => label),
          place,
        ),
      });
  }
  if (before.filters !== after.filters) {
    found.push({
      kind: after.filters === undefined ? 'more' : 'other',
      text: words.filters(place, before.filters, after.filters),
    });
  }
  return found;
}

function propertyDifferences(before: PlainProperty | undefined, after: PlainProperty | undefined): Difference[] {
  const found: Difference[] = [];
  for (const [was, is] of pairs(before?.entries ?? [], after?.entries ?? [])) {
    if (was === undefined && is !== undefined) found.push(added(is));
    else if (was !== undefined && is === undefined) found.push({ kind: 'less', text: words.entryGone(was.title) });
    else if (was !== undefined && is !== undefined) found.push(...entryDifferences(was, is));
  }
  // Without a limit on either side, only the conditions could differ, and those are said already.
  const limited = Math.min(before?.limit ?? 0, after?.limit ?? 0) < Number.POSITIVE_INFINITY;
  if (before !== undefined && after !== undefined && limited && before.amount !== after.amount) {
    const kind = after.limit > before.limit ? 'more' : after.limit < before.limit ? 'less' : 'other';
    found.push({ kind, text: words.amount(after.title, before.amount, after.amount) });
  }
  return found;
}

const ORDER = { more: 0, other: 1, less: 2 };

export function findBundleDifferences(before: Bundle, after: Bundle): Difference[] {
  const was = new Map(plainBundle(before).map((property) => [property.property, property]));
  const is = new Map(plainBundle(after).map((property) => [property.property, property]));
  const names = [...new Set([...is.keys(), ...was.keys()])];
  return names
    .flatMap((name) => propertyDifferences(was.get(name), is.get(name)))
    .toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind]);
}

/** All differences, what is more first. Empty: the same is asked for again. */
export function findDifferences(before: ProposalTerms, after: ProposalTerms): Difference[] {
  const found = findBundleDifferences(before.bundle.bundle, after.bundle.bundle);
  if (before.cancelAtPeriodEnd !== after.cancelAtPeriodEnd) {
    found.push(
      after.cancelAtPeriodEnd ? { kind: 'less', text: words.nowEnds } : { kind: 'more', text: words.nowRenews },
    );
  }
  if (before.period !== after.period) {
    found.push({
      kind: after.period > before.period ? 'more' : 'less',
      text: words.period(spanText(before.period), spanText(after.period)),
    });
  }
  const conditions = [before, after].map((one) => JSON.stringify(one.conditions?.bundle ?? null));
  if (conditions[0] !== conditions[1]) {
    const places = after.conditions === undefined ? [] : endpointsOf(after.conditions.bundle);
    found.push({
      kind: after.conditions === undefined ? 'more' : 'other',
      text: places.length === 0 ? words.noConditions : words.conditions(places),
    });
  }
  if (before.purpose !== after.purpose) found.push({ kind: 'other', text: words.purpose(before.purpose) });
  if (before.termsUrl !== after.termsUrl) found.push({ kind: 'other', text: words.terms });
  return found;
}
