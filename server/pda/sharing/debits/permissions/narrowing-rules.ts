import { Failure } from '../../../../platform/failure.ts';
import type { Narrowing } from '../../../../wire/debits.ts';
import { outputsEntireRecords } from '../../../../wire/entire-records.ts';
import type { ErrorDetail } from '../../../../wire/errors.ts';
import {
  mappingSchema,
  type Bundle,
  type BundleProperty,
  type CombinatorEntry,
  type Mapping,
} from '../../../../wire/query.ts';

// Narrowing reduces a request to the data that the owner allows. Filters, order and limit stay as requested and select
// the same records, so narrowing can only remove parts of the result. If an entry were excluded from the query instead,
// the result would contain other records up to the limit.

/** `show` selects the shared fields, or nothing. Without `show`, the entry is shared as requested. */
type GrantedEntry = CombinatorEntry & { show?: Mapping | 'nothing' };
export type GrantedProperty = Omit<BundleProperty, 'endpoints'> & { endpoints: GrantedEntry[] };
/** Granted properties by name. Properties without visible entries are omitted. */
export type GrantedBundle = Record<string, GrantedProperty>;

type EntryRef = { property: string; entry: number };

const entryKey = ({ property, entry }: EntryRef): string => JSON.stringify([property, entry]);

const nameSteps = (destination: string): string[] => destination.split('.').map((name) => name.replace(/\[\]$/u, ''));

/** Overlapping fields can hide parts of each other, so dropping only one field would reveal these parts. */
const pathsOverlap = (first: string, second: string): boolean => {
  const [left, right] = [nameSteps(first), nameSteps(second)];
  const shorter = Math.min(left.length, right.length);
  return left.slice(0, shorter).every((name, index) => name === right[index]);
};

/** Removes fields and, transitively, all fields that overlap with removed fields. */
const removeFields = (mapping: Mapping, droppedFields: ReadonlySet<string>): Mapping => {
  const removedFields = new Set(droppedFields);
  let remainingEntries = Object.entries(mapping).filter(([name]) => !removedFields.has(name));
  for (let previousLength = -1; previousLength !== remainingEntries.length;) {
    previousLength = remainingEntries.length;
    remainingEntries = remainingEntries.filter(([name]) => {
      const isOverlapping = [...removedFields].some((other) => pathsOverlap(name, other));
      if (isOverlapping) removedFields.add(name);
      return !isOverlapping;
    });
  }
  return Object.fromEntries(remainingEntries);
};

/** Returns null for entire records. */
export const outputFields = (mapping: Mapping | null | undefined): string[] | null =>
  mapping === null || mapping === undefined ? null : Object.keys(mapping);

/** Top-level field that can be kept. A dot or brackets would make the name a path. */
const TOP_LEVEL_FIELD = /^[^.[\]]+$/u;

const problemsOf = (bundle: Bundle, { drop, keep }: Narrowing): ErrorDetail[] => {
  const problems: ErrorDetail[] = [];
  const report = (list: 'drop' | 'keep', index: number, problem: string): unknown =>
    problems.push({ path: `body.narrowing.${list}.${index}`, problem });
  const entryAt = ({ property, entry }: EntryRef): CombinatorEntry | undefined =>
    Object.hasOwn(bundle, property) ? bundle[property]?.endpoints[entry] : undefined;

  for (const [index, ref] of drop.entries()) {
    const entry = entryAt(ref);
    if (entry === undefined) report('drop', index, 'the request has no such entry');
    else if (ref.fields !== undefined) {
      const outputs = outputFields(entry.mapping);
      const unknownFields = ref.fields.filter((field) => outputs?.includes(field) !== true);
      if (outputs === null) report('drop', index, 'shares entire records: name the fields to keep instead');
      else if (unknownFields.length > 0) report('drop', index, `the entry has no field ${unknownFields.join(', ')}`);
    }
  }
  const keptEntries = new Set<string>();
  for (const [index, ref] of keep.entries()) {
    const entry = entryAt(ref);
    const unsupportedFields = ref.fields.filter((field) => !TOP_LEVEL_FIELD.test(field));
    if (entry === undefined) report('keep', index, 'the request has no such entry');
    else if (outputFields(entry.mapping) !== null)
      report('keep', index, 'does not share entire records: name the fields to drop instead');
    else if (keptEntries.has(entryKey(ref))) report('keep', index, 'names an entry that an earlier item already names');
    else if (unsupportedFields.length > 0)
      report('keep', index, `fields with . or [ or ] in their names cannot be kept: ${unsupportedFields.join(', ')}`);
    else if (!mappingSchema.safeParse(Object.fromEntries(ref.fields.map((field) => [field, field]))).success)
      report('keep', index, 'contains invalid field names');
    keptEntries.add(entryKey(ref));
  }
  return problems;
};

/** @throws Failure invalid_input if the narrowing does not match the request or would leave nothing */
export const narrow = (bundle: Bundle, narrowing: Narrowing | undefined): GrantedBundle => {
  if (narrowing === undefined) return bundle;
  const problems = problemsOf(bundle, narrowing);
  if (problems.length > 0)
    throw new Failure('invalid_input', 'The narrowing does not match the request. Nothing was changed.', {
      details: problems,
    });

  const droppedEntries = new Set(narrowing.drop.filter(({ fields }) => fields === undefined).map(entryKey));
  const droppedFieldsByEntry = new Map<string, Set<string>>();
  for (const ref of narrowing.drop) {
    const names = droppedFieldsByEntry.get(entryKey(ref)) ?? new Set();
    for (const field of ref.fields ?? []) names.add(field);
    droppedFieldsByEntry.set(entryKey(ref), names);
  }
  const keptFields = new Map(narrowing.keep.map((ref) => [entryKey(ref), ref.fields]));

  const narrowEntry = (property: string, entry: CombinatorEntry, index: number): GrantedEntry => {
    const key = entryKey({ property, entry: index });
    if (droppedEntries.has(key)) return { ...entry, show: 'nothing' };
    const keep = keptFields.get(key);
    if (keep !== undefined) return { ...entry, show: Object.fromEntries(keep.map((field) => [field, field])) };
    const droppedFields = droppedFieldsByEntry.get(key) ?? new Set();
    if (droppedFields.size === 0 || entry.mapping === null || entry.mapping === undefined) return entry;
    const show = removeFields(entry.mapping, droppedFields);
    // A record without fields would still reveal that it exists.
    return { ...entry, show: Object.keys(show).length === 0 ? 'nothing' : show };
  };

  const granted: GrantedBundle = {};
  for (const [name, property] of Object.entries(bundle)) {
    const endpoints = property.endpoints.map((entry, index) => narrowEntry(name, entry, index));
    if (endpoints.some(({ show }) => show !== 'nothing')) granted[name] = { ...property, endpoints };
  }
  if (Object.keys(granted).length === 0)
    throw new Failure('invalid_input', 'Nothing would be left to share. Nothing was changed.', {
      details: [{ path: 'body.narrowing', problem: 'leaves nothing' }],
    });
  return granted;
};

/** Returns the narrowing that turns the request into the granted bundle: the inverse of `narrow`. */
export const narrowingOf = (bundle: Bundle, granted: GrantedBundle): Narrowing => {
  const narrowing: Narrowing = { drop: [], keep: [] };
  for (const [property, { endpoints }] of Object.entries(bundle)) {
    const grantedEntries = Object.hasOwn(granted, property) ? granted[property]?.endpoints : undefined;
    for (const [entry, { mapping }] of endpoints.entries()) {
      const show = grantedEntries === undefined ? 'nothing' : grantedEntries[entry]?.show;
      const requested = outputFields(mapping);
      if (show === undefined) continue;
      if (show === 'nothing') narrowing.drop.push({ property, entry });
      else if (requested === null) narrowing.keep.push({ property, entry, fields: Object.keys(show) });
      else narrowing.drop.push({ property, entry, fields: requested.filter((field) => !Object.hasOwn(show, field)) });
    }
  }
  return narrowing;
};

export const visibleBundle = (granted: GrantedBundle): Bundle =>
  Object.fromEntries(
    Object.entries(granted).map(([name, property]) => {
      const endpoints = property.endpoints.flatMap(({ show, ...entry }) =>
        show === 'nothing' ? [] : [show === undefined ? entry : { ...entry, mapping: show }],
      );
      return [name, { ...property, endpoints }];
    }),
  );

/** Returns the shared output fields; null if an entry shares entire records. */
export const sharedFieldsOf = (granted: GrantedBundle): string[] | null => {
  const fields = new Set<string>();
  for (const { endpoints } of Object.values(visibleBundle(granted))) {
    for (const { mapping } of endpoints) {
      if (outputsEntireRecords(mapping)) return null;
      for (const name of outputFields(mapping) ?? []) fields.add(name);
    }
  }
  return [...fields];
};
