import { containsEntireRecord } from '../../../server/wire/entire-records.ts';
import type { Bundle, BundleProperty, CombinatorEntry, Filter, Mapping } from '../../../server/wire/query.ts';
import { m } from '../messages/texts.ts';
import { filtersText } from './filter-text.ts';
import {
  type DataNames,
  DERIVED_NAMES,
  disambiguateNames,
  fieldName,
  stripDataPrefix,
  summariseNames,
} from '../components/display-names.ts';

// Describes bundles in plain words. The text depends only on the request and the names of the data.

export interface PlainField {
  /** Key in the mapping. A narrowing refers to the field by this name. */
  name: string;
  /** Derived from the source, not the requester's name. */
  label: string;
  /** Path in the stored record. */
  source: string;
  /** The requester's name; null if it equals the source, apart from `data.` and a final `[]`. */
  sentAs: string | null;
  /** True if the mapping selects members of an object, or of the objects in a list, by name. */
  hasSelectedMembers: boolean;
  /** True if the field contains the entire record. The owner can exclude it, but not single fields of the record. */
  isEntireRecord: boolean;
}

export interface PlainEntry {
  key: string;
  property: string;
  /** Index among the property's endpoints. */
  entry: number;
  endpoint: string;
  /** Endpoint name, with the path if another endpoint of the bundle has the same name. */
  title: string;
  /** Null for entire records. */
  fields: PlainField[] | null;
  filters: string | undefined;
  /** As requested, because different filters can have the same description. */
  requestedFilters: readonly Filter[];
}

export interface PlainProperty {
  property: string;
  title: string;
  entries: PlainEntry[];
  /** Describes how many of the records are shared, and which. Has no final period. */
  amount: string;
  /** `Infinity` without a limit. */
  limit: number;
  /** Requested sort path; null for storage time. */
  orderBy: string | null;
}

const texts = m.consent;

/** Returns the labels of the selected members; a nested object is followed by its members: "Contact (Phone)". */
function innerLabels(mapping: Mapping): string[] {
  return Object.values(mapping).map((source) =>
    typeof source === 'string'
      ? fieldName(source)
      : texts.member(fieldName(source.source), innerLabels(source.mappings)),
  );
}

function plainField(name: string, source: Mapping[string], nameOf: (path: string) => string): PlainField {
  const path = typeof source === 'string' ? source : source.source;
  const sourceLabel = nameOf(path);
  const label =
    typeof source === 'string'
      ? sourceLabel
      : (name.endsWith('[]') ? texts.each : texts.inside)(sourceLabel, innerLabels(source.mappings));
  const isRenamed = stripDataPrefix(path).replace(/\[\]$/, '') !== stripDataPrefix(name).replace(/\[\]$/, '');
  return {
    name,
    label,
    source: stripDataPrefix(path),
    sentAs: isRenamed ? name : null,
    hasSelectedMembers: typeof source !== 'string',
    isEntireRecord: containsEntireRecord(source),
  };
}

/** Returns true if the entry shares entire records, as such or as a mapped field. */
export function containsEntireRecords({ fields }: Pick<PlainEntry, 'fields'>): boolean {
  return fields === null || fields.some(({ isEntireRecord }) => isEntireRecord);
}

/** Returns a key that is unique within a bundle. */
export function entryKey(property: string, entry: number): string {
  return `${property}\u0000${String(entry)}`;
}

function plainEntry(property: string, entry: number, requested: CombinatorEntry, names: DataNames): PlainEntry {
  const nameOf = (path: string): string => names.field(path, requested.endpoint);
  const mapping = requested.mapping ?? null;
  return {
    key: entryKey(property, entry),
    property,
    entry,
    endpoint: requested.endpoint,
    title: names.endpoint(requested.endpoint),
    fields: mapping === null ? null : Object.entries(mapping).map(([name, source]) => plainField(name, source, nameOf)),
    filters: filtersText(requested.filters, nameOf),
    requestedFilters: requested.filters ?? [],
  };
}

/** Returns the label of the sort field, which may be an output field of a mapping. */
function orderFieldLabel(path: string, entries: readonly CombinatorEntry[], names: DataNames): string {
  for (const { endpoint, mapping } of entries) {
    const source = mapping?.[path];
    if (typeof source === 'string') return names.field(source, endpoint);
  }
  const [first, ...others] = entries;
  return first === undefined || others.length > 0 ? fieldName(path) : names.field(path, first.endpoint);
}

export function amountText(property: BundleProperty, names: DataNames = DERIVED_NAMES): string {
  const { limit, orderBy, ordering, endpoints } = property;
  const amount = texts.amount;
  if (limit === null || limit === undefined) {
    return endpoints.some((entry) => (entry.filters ?? []).length > 0) ? amount.allThatFit : amount.all;
  }
  if (limit === 0) return amount.none;
  const isDescending = ordering === 'descending';
  if (orderBy === null || orderBy === undefined) return (isDescending ? amount.newest : amount.oldest)(limit);
  return (isDescending ? amount.last : amount.first)(limit, orderFieldLabel(orderBy, endpoints, names));
}

export function plainBundle(bundle: Bundle, names: DataNames = DERIVED_NAMES): PlainProperty[] {
  const uniqueNames = disambiguateNames(names, endpointsOf(bundle));
  return Object.entries(bundle).map(([property, requested]) => ({
    property,
    title: fieldName(property),
    entries: requested.endpoints.map((entry, index) => plainEntry(property, index, entry, uniqueNames)),
    amount: amountText(requested, names),
    limit: requested.limit ?? Number.POSITIVE_INFINITY,
    orderBy: requested.orderBy ?? null,
  }));
}

export interface Extent {
  /** Number of individually shared fields. */
  fields: number;
  /** Titles of the endpoints with individually shared fields. */
  fieldEndpoints: string[];
  /** Titles of the endpoints with entirely shared records. */
  entireEndpoints: string[];
}

/** Returns text such as "entire records of Steps, and 5 fields of Sleep". */
export function extentText(extent: Extent): string {
  const mappedText = extent.fields === 0 ? '' : texts.fieldsOf(extent.fields, summariseNames(extent.fieldEndpoints));
  const entireText = extent.entireEndpoints.length === 0 ? '' : texts.entireOf(summariseNames(extent.entireEndpoints));
  if (mappedText !== '' && entireText !== '') return texts.entireAndFields(entireText, mappedText);
  return mappedText + entireText === '' ? texts.nothing : mappedText + entireText;
}

export function extentOf(properties: readonly PlainProperty[]): Extent {
  const extent: Extent = { fields: 0, fieldEndpoints: [], entireEndpoints: [] };
  for (const entry of properties.flatMap(({ entries }) => entries)) {
    if (containsEntireRecords(entry)) extent.entireEndpoints.push(entry.title);
    else if (entry.fields !== null && entry.fields.length > 0) {
      extent.fields += entry.fields.length;
      extent.fieldEndpoints.push(entry.title);
    }
  }
  return extent;
}

/** Returns text such as "5 fields of Steps and Sleep". */
export function bundleText(bundle: Bundle, names: DataNames = DERIVED_NAMES): string {
  return extentText(extentOf(plainBundle(bundle, names)));
}

/** Returns text such as "Entire records of Steps: every field, including fields added later; 5 fields of Sleep". */
export function worstCaseText(extent: Extent): string {
  const entire =
    extent.entireEndpoints.length === 0 ? [] : [texts.worstCase.entire(summariseNames(extent.entireEndpoints))];
  const fields = extent.fields === 0 ? [] : [extentText({ ...extent, entireEndpoints: [] })];
  return [...entire, ...fields].join('; ');
}

/** Lists the endpoints of a condition, with their filters. */
export function conditionTexts(bundle: Bundle, names: DataNames): string[] {
  return plainBundle(bundle, names)
    .flatMap(({ entries }) => entries)
    .map(({ endpoint, filters }) =>
      filters === undefined ? endpoint : m.requests.page.filteredEndpoint(endpoint, filters),
    );
}

export function endpointsOf(bundle: Bundle): string[] {
  return [...new Set(Object.values(bundle).flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint)))];
}
