import type { Bundle, BundleProperty, CombinatorEntry, Filter, Mapping } from '../../../server/wire/query.ts';
import { m } from '../messages/texts.ts';
import { filtersText } from './filter-text.ts';
import {
  type DataNames,
  DERIVED_NAMES,
  distinctNames,
  fieldName,
  summariseNames,
} from '../components/program-names.ts';

/** Describes a bundle in plain words. Pure: the text depends only on the request and the names of the data. */

export interface PlainField {
  /** Output field, named as in a narrowing. */
  name: string;
  /** Name of the source, not the requester's name. */
  label: string;
  /** Path in the stored record. */
  source: string;
  /** The requester's name, if it differs. */
  sentAs: string | null;
  /** True if the mapping selects members of an object by name. */
  hasSelectedMembers: boolean;
}

export interface PlainEntry {
  key: string;
  property: string;
  /** Index in the endpoints of the property. */
  entry: number;
  endpoint: string;
  /** Name of the endpoint, with its path if another endpoint of the bundle has the same name. */
  title: string;
  /** `null` for entire records. */
  fields: PlainField[] | null;
  filters: string | undefined;
  /** Filters as requested, because different filters can have the same text. */
  requestedFilters: readonly Filter[];
}

export interface PlainProperty {
  property: string;
  title: string;
  entries: PlainEntry[];
  /** Sentence about the number and selection of records, and whether future records are included. */
  amount: string;
  /** `Infinity` without a limit. */
  limit: number;
  /** Path of the field to order by, as requested; `null` orders by storage time. */
  orderBy: string | null;
}

const words = m.consent;

function stripDataPrefix(path: string): string {
  return path.replace(/^data\.(?=.)/, '');
}

function innerLabels(mapping: Mapping): string[] {
  return Object.values(mapping).map((source) =>
    typeof source === 'string' ? fieldName(source) : fieldName(source.source),
  );
}

function plainField(name: string, source: Mapping[string], nameOf: (path: string) => string): PlainField {
  const path = typeof source === 'string' ? source : source.source;
  const sourceLabel = nameOf(path);
  const label =
    typeof source === 'string'
      ? sourceLabel
      : (name.endsWith('[]') ? words.each : words.inside)(sourceLabel, innerLabels(source.mappings));
  const isRenamed = stripDataPrefix(path).replace(/\[\]$/, '') !== stripDataPrefix(name).replace(/\[\]$/, '');
  return {
    name,
    label,
    source: stripDataPrefix(path),
    sentAs: isRenamed ? name : null,
    hasSelectedMembers: typeof source !== 'string',
  };
}

/** Returns the key of an entry among all entries of a bundle. */
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

/** Returns the label of the field to order by, which may be an output field of a mapping. */
function orderFieldLabel(path: string, entries: readonly CombinatorEntry[], names: DataNames): string {
  for (const { endpoint, mapping } of entries) {
    const source = mapping?.[path];
    if (typeof source === 'string') return names.field(source, endpoint);
  }
  const [first, ...others] = entries;
  return first === undefined || others.length > 0 ? fieldName(path) : names.field(path, first.endpoint);
}

/** Describes how many records a property contains, and which. */
export function amountText(property: BundleProperty, names: DataNames = DERIVED_NAMES): string {
  const { limit, orderBy, ordering, endpoints } = property;
  const amount = words.amount;
  if (limit === null || limit === undefined) {
    return endpoints.some((entry) => (entry.filters ?? []).length > 0) ? amount.allThatFit : amount.all;
  }
  if (limit === 0) return amount.none;
  const isDescending = ordering === 'descending';
  if (orderBy === null || orderBy === undefined) return (isDescending ? amount.newest : amount.oldest)(limit);
  return (isDescending ? amount.last : amount.first)(limit, orderFieldLabel(orderBy, endpoints, names));
}

/** Describes each property of a bundle and its endpoints. */
export function plainBundle(bundle: Bundle, names: DataNames = DERIVED_NAMES): PlainProperty[] {
  const distinct = distinctNames(names, endpointsOf(bundle));
  return Object.entries(bundle).map(([property, requested]) => ({
    property,
    title: fieldName(property),
    entries: requested.endpoints.map((entry, index) => plainEntry(property, index, entry, distinct)),
    amount: amountText(requested, names),
    limit: requested.limit ?? Number.POSITIVE_INFINITY,
    orderBy: requested.orderBy ?? null,
  }));
}

/** Amount of data shared by a permission. */
export interface Extent {
  /** Number of individually shared fields. */
  fields: number;
  /** Titles of their endpoints. */
  fieldEndpoints: string[];
  /** Titles of the endpoints that share entire records. */
  entireEndpoints: string[];
}

/** Summarises an extent: "entire records of Steps, and 5 fields of Sleep". */
export function extentText(extent: Extent): string {
  const mapped = extent.fields === 0 ? '' : words.fieldsOf(extent.fields, summariseNames(extent.fieldEndpoints));
  const entire = extent.entireEndpoints.length === 0 ? '' : words.entireOf(summariseNames(extent.entireEndpoints));
  if (mapped !== '' && entire !== '') return words.both(entire, mapped);
  return mapped + entire === '' ? words.nothing : mapped + entire;
}

export function extentOf(properties: readonly PlainProperty[]): Extent {
  const extent: Extent = { fields: 0, fieldEndpoints: [], entireEndpoints: [] };
  for (const entry of properties.flatMap(({ entries }) => entries)) {
    if (entry.fields === null) extent.entireEndpoints.push(entry.title);
    else if (entry.fields.length > 0) {
      extent.fields += entry.fields.length;
      extent.fieldEndpoints.push(entry.title);
    }
  }
  return extent;
}

/** Summarises the data of a bundle: "5 fields of Steps and Sleep". */
export function bundleText(bundle: Bundle, names: DataNames = DERIVED_NAMES): string {
  return extentText(extentOf(plainBundle(bundle, names)));
}

/** Returns the distinct endpoints of a bundle. */
export function endpointsOf(bundle: Bundle): string[] {
  return [...new Set(Object.values(bundle).flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint)))];
}
