import { Failure } from '../../../../platform/failure.ts';
import type { Narrowing } from '../../../../wire/debits.ts';
import type { ErrorDetail } from '../../../../wire/errors.ts';
import {
  mappingSchema,
  type Bundle,
  type BundleProperty,
  type CombinatorEntry,
  type Mapping,
} from '../../../../wire/query.ts';

/**
 * Reduces a request to what the owner allows. Filters, order and limit stay as requested and select the same records;
 * narrowing only removes parts of the result. It can therefore never add data: if an entry were excluded from the query
 * instead, the limit would admit other records.
 */

/** An entry with what is shown of its records: fields, or nothing at all. Without `show` it is as the entry asks. */
export type GrantedEntry = CombinatorEntry & { show?: Mapping | 'nothing' };
export type GrantedProperty = Omit<BundleProperty, 'endpoints'> & { endpoints: GrantedEntry[] };
/** Property -> what is read and shown. A property of which nothing is shown is not in it. */
export type GrantedBundle = Record<string, GrantedProperty>;

type Place = { property: string; entry: number };

const placeKey = ({ property, entry }: Place): string => JSON.stringify([property, entry]);

const nameSteps = (destination: string): string[] => destination.split('.').map((name) => name.replace(/\[\]$/u, ''));

/** Whether two destinations write into each other. What one of them hides of the other must not come to light without it. */
const overlap = (one: string, other: string): boolean => {
  const [left, right] = [nameSteps(one), nameSteps(other)];
  const shorter = Math.min(left.length, right.length);
  return left.slice(0, shorter).every((name, index) => name === right[index]);
};

/** What goes with these fields goes too, and what goes with that. */
const withoutFields = (mapping: Mapping, dropped: ReadonlySet<string>): Mapping => {
  const gone = new Set(dropped);
  let left = Object.entries(mapping).filter(([name]) => !gone.has(name));
  for (let before = -1; before !== left.length;) {
    before = left.length;
    left = left.filter(([name]) => {
      const goes = [...gone].some((other) => overlap(name, other));
      if (goes) gone.add(name);
      return !goes;
    });
  }
  return Object.fromEntries(left);
};

/** Output fields of an entry by name; null: entire records. */
export const outputFields = (mapping: Mapping | null | undefined): string[] | null =>
  mapping === null || mapping === undefined ? null : Object.keys(mapping);

/** A top-level field as it is, under its own name. Of names that a path cannot spell it would be another field, or part of one. */
const KEEPABLE = /^[^.[\]]+$/u;

/** What of the narrowing does not fit what was asked. */
const problemsOf = (bundle: Bundle, { drop, keep }: Narrowing): ErrorDetail[] => {
  const problems: ErrorDetail[] = [];
  const say = (list: 'drop' | 'keep', index: number, problem: string): unknown =>
    problems.push({ path: `body.narrowing.${list}.${index}`, problem });
  const entryAt = ({ property, entry }: Place): CombinatorEntry | undefined =>
    Object.hasOwn(bundle, property) ? bundle[property]?.endpoints[entry] : undefined;

  for (const [index, place] of drop.entries()) {
    const entry = entryAt(place);
    if (entry === undefined) say('drop', index, 'the request has no such entry');
    else if (place.fields !== undefined) {
      const known = outputFields(entry.mapping);
      const unknown = place.fields.filter((field) => known?.includes(field) !== true);
      if (known === null) say('drop', index, 'entire records: say which fields to keep instead');
      else if (unknown.length > 0) say('drop', index, `no field ${unknown.join(', ')} is asked for here`);
    }
  }
  const kept = new Set<string>();
  for (const [index, place] of keep.entries()) {
    const entry = entryAt(place);
    const unfit = place.fields.filter((field) => !KEEPABLE.test(field));
    if (entry === undefined) say('keep', index, 'the request has no such entry');
    else if (outputFields(entry.mapping) !== null) say('keep', index, 'not entire records: say which fields to drop');
    else if (kept.has(placeKey(place))) say('keep', index, 'said twice of the same entry');
    else if (unfit.length > 0)
      say('keep', index, `a field with . or [ or ] in its name cannot be kept alone: ${unfit.join(', ')}`);
    else if (!mappingSchema.safeParse(Object.fromEntries(place.fields.map((field) => [field, field]))).success)
      say('keep', index, 'these names cannot be fields');
    kept.add(placeKey(place));
  }
  return problems;
};

/**
 * What is shared when this much is taken away of what was asked.
 * @throws Failure invalid_input when it names what was not asked for, or when nothing would be left
 */
export const narrow = (bundle: Bundle, narrowing: Narrowing | undefined): GrantedBundle => {
  if (narrowing === undefined) return bundle;
  const problems = problemsOf(bundle, narrowing);
  if (problems.length > 0)
    throw new Failure('invalid_input', 'This does not fit what was asked for. Nothing was changed.', {
      details: problems,
    });

  const whole = new Set(narrowing.drop.filter(({ fields }) => fields === undefined).map(placeKey));
  const fields = new Map<string, Set<string>>();
  for (const place of narrowing.drop) {
    const known = fields.get(placeKey(place)) ?? new Set();
    for (const field of place.fields ?? []) known.add(field);
    fields.set(placeKey(place), known);
  }
  const kept = new Map(narrowing.keep.map((place) => [placeKey(place), place.fields]));

  const narrowEntry = (property: string, entry: CombinatorEntry, index: number): GrantedEntry => {
    const key = placeKey({ property, entry: index });
    if (whole.has(key)) return { ...entry, show: 'nothing' };
    const keep = kept.get(key);
    if (keep !== undefined) return { ...entry, show: Object.fromEntries(keep.map((field) => [field, field])) };
    const dropped = fields.get(key) ?? new Set();
    if (dropped.size === 0 || entry.mapping === null || entry.mapping === undefined) return entry;
    const show = withoutFields(entry.mapping, dropped);
    // A record without any of its fields would still tell that it is there.
    return { ...entry, show: Object.keys(show).length === 0 ? 'nothing' : show };
  };

  const granted: GrantedBundle = {};
  for (const [name, property] of Object.entries(bundle)) {
    const endpoints = property.endpoints.map((entry, index) => narrowEntry(name, entry, index));
    if (endpoints.some(({ show }) => show !== 'nothing')) granted[name] = { ...property, endpoints };
  }
  if (Object.keys(granted).length === 0)
    throw new Failure('invalid_input', 'Nothing would be left to share. Reject the request instead.', {
      details: [{ path: 'body.narrowing', problem: 'leaves nothing' }],
    });
  return granted;
};

/** What is shared, in the form in which it was asked: how the requester sees it. */
export const shownBundle = (granted: GrantedBundle): Bundle =>
  Object.fromEntries(
    Object.entries(granted).map(([name, property]) => {
      const endpoints = property.endpoints.flatMap(({ show, ...entry }) =>
        show === 'nothing' ? [] : [show === undefined ? entry : { ...entry, mapping: show }],
      );
      return [name, { ...property, endpoints }];
    }),
  );

/** The output fields that leave; null when entire records do. */
export const fieldsOf = (granted: GrantedBundle): string[] | null => {
  const fields = new Set<string>();
  for (const { endpoints } of Object.values(shownBundle(granted))) {
    for (const { mapping } of endpoints) {
      const names = outputFields(mapping);
      if (names === null) return null;
      for (const name of names) fields.add(name);
    }
  }
  return [...fields];
};
