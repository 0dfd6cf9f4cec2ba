import type { Narrowing } from '../../../server/wire/debits.ts';
import {
  type Extent,
  type PlainEntry,
  type PlainProperty,
  entryKey,
  extentOf,
} from '../../shared/consent/bundle-text.ts';

/** The owner's exclusions from the requested data. Everything else is shared; nothing can be added. */
export interface Choices {
  /** Entry keys. */
  readonly droppedEntries: ReadonlySet<string>;
  /** By entry key. */
  readonly droppedFields: ReadonlyMap<string, ReadonlySet<string>>;
  /** The only shared fields of entire records, by entry key. An entry whose key is absent shares future fields too. */
  readonly keptFields: ReadonlyMap<string, ReadonlySet<string>>;
}

export const NO_CHOICES: Choices = { droppedEntries: new Set(), droppedFields: new Map(), keptFields: new Map() };

/** Inverse of `narrowingOf`. */
export function choicesOf({ drop, keep }: Narrowing): Choices {
  const fieldsByKey = (entries: Narrowing['drop']) =>
    entries.flatMap(({ property, entry, fields }) =>
      fields === undefined ? [] : [[entryKey(property, entry), new Set(fields)] as const],
    );
  return {
    droppedEntries: new Set(
      drop.filter(({ fields }) => fields === undefined).map(({ property, entry }) => entryKey(property, entry)),
    ),
    droppedFields: new Map(fieldsByKey(drop)),
    keptFields: new Map(fieldsByKey(keep)),
  };
}

function withMember(set: ReadonlySet<string>, value: string, isMember: boolean): Set<string> {
  const next = new Set(set);
  if (isMember) next.add(value);
  else next.delete(value);
  return next;
}

const withDropped = (choices: Choices, key: string, isDropped: boolean): Choices => ({
  ...choices,
  droppedEntries: withMember(choices.droppedEntries, key, isDropped),
});

const NO_FIELDS: ReadonlySet<string> = new Set();

/** Returns true if a field of entire records can be shared alone. A name with dots or brackets would be a path. */
export function isKeepable(field: string): boolean {
  return /^[^.[\]]+$/.test(field);
}

const pathSteps = (name: string): string[] => name.split('.').map((step) => step.replace(/\[\]$/, ''));

/** Returns true if one output field contains the other. Such fields can be shared only together. */
function overlap(first: string, second: string): boolean {
  const [a, b] = [pathSteps(first), pathSteps(second)];
  return a.slice(0, Math.min(a.length, b.length)).every((step, index) => step === b[index]);
}

export function isEntryShared(choices: Choices, entry: PlainEntry): boolean {
  return !choices.droppedEntries.has(entry.key);
}

export function isFieldShared(choices: Choices, entry: PlainEntry, field: string): boolean {
  if (choices.droppedEntries.has(entry.key)) return false;
  if (entry.fields !== null) {
    return ![...(choices.droppedFields.get(entry.key) ?? NO_FIELDS)].some((droppedField) =>
      overlap(droppedField, field),
    );
  }
  const keptFields = choices.keptFields.get(entry.key);
  return keptFields === undefined || keptFields.has(field);
}

/** Returns true if the entry shares entire records. */
export function sharesFutureFields(choices: Choices, entry: PlainEntry): boolean {
  return entry.fields === null && !choices.droppedEntries.has(entry.key) && !choices.keptFields.has(entry.key);
}

/** Including an entry again restores all its fields. */
export function setEntryShared(choices: Choices, entry: PlainEntry, isShared: boolean): Choices {
  const droppedFields = new Map(choices.droppedFields);
  const keptFields = new Map(choices.keptFields);
  droppedFields.delete(entry.key);
  keptFields.delete(entry.key);
  return withDropped({ ...choices, droppedFields, keptFields }, entry.key, !isShared);
}

/** @param knownFields current fields of entire records; an exclusion restricts sharing to the other keepable fields */
export function setFieldShared(
  choices: Choices,
  entry: PlainEntry,
  field: string,
  isShared: boolean,
  knownFields: readonly string[],
): Choices {
  const isDropped = choices.droppedEntries.has(entry.key);
  if (entry.fields === null) {
    const previousFields = isDropped
      ? NO_FIELDS
      : (choices.keptFields.get(entry.key) ?? new Set(knownFields.filter(isKeepable)));
    const next = withMember(previousFields, field, isShared);
    if (next.size === 0) return setEntryShared(choices, entry, false);
    return withDropped({ ...choices, keptFields: new Map(choices.keptFields).set(entry.key, next) }, entry.key, false);
  }
  const fieldNames = entry.fields.map(({ name }) => name);
  const previousFields = isDropped ? new Set(fieldNames) : (choices.droppedFields.get(entry.key) ?? NO_FIELDS);
  const next = new Set(previousFields);
  for (const name of fieldNames.filter((candidate) => candidate === field || overlap(candidate, field))) {
    if (isShared) next.delete(name);
    else next.add(name);
  }
  if (fieldNames.every((name) => next.has(name))) return setEntryShared(choices, entry, false);
  const droppedFields = new Map(choices.droppedFields);
  if (next.size === 0) droppedFields.delete(entry.key);
  else droppedFields.set(entry.key, next);
  return withDropped({ ...choices, droppedFields }, entry.key, false);
}

export function setFutureFieldsShared(
  choices: Choices,
  entry: PlainEntry,
  isShared: boolean,
  knownFields: readonly string[],
): Choices {
  if (isShared) return setEntryShared(choices, entry, true);
  const keepableFields = knownFields.filter(isKeepable);
  if (keepableFields.length === 0) return setEntryShared(choices, entry, false);
  return withDropped(
    { ...choices, keptFields: new Map(choices.keptFields).set(entry.key, new Set(keepableFields)) },
    entry.key,
    false,
  );
}

/** Returns undefined if everything is shared as requested. */
export function narrowingOf(properties: readonly PlainProperty[], choices: Choices): Narrowing | undefined {
  const narrowing: Narrowing = { drop: [], keep: [] };
  for (const { property, entry, key } of properties.flatMap(({ entries }) => entries)) {
    if (choices.droppedEntries.has(key)) {
      narrowing.drop.push({ property, entry });
      continue;
    }
    const droppedFields = choices.droppedFields.get(key);
    if (droppedFields !== undefined) narrowing.drop.push({ property, entry, fields: [...droppedFields] });
    const keptFields = choices.keptFields.get(key);
    if (keptFields !== undefined) narrowing.keep.push({ property, entry, fields: [...keptFields] });
  }
  return narrowing.drop.length + narrowing.keep.length === 0 ? undefined : narrowing;
}

/** Returns true if data is requested and the owner excludes all of it. */
export function excludesEverything(properties: readonly PlainProperty[], choices: Choices): boolean {
  return properties.length > 0 && remainingProperties(properties, choices).length === 0;
}

export function remainingProperties(properties: readonly PlainProperty[], choices: Choices): PlainProperty[] {
  return properties
    .map((property) => ({
      ...property,
      entries: property.entries
        .filter((entry) => isEntryShared(choices, entry))
        .map((entry) => {
          const keptFields = choices.keptFields.get(entry.key);
          const fields =
            keptFields === undefined
              ? (entry.fields?.filter(({ name }) => isFieldShared(choices, entry, name)) ?? null)
              : [...keptFields].map((name) => ({
                  name,
                  label: name,
                  source: name,
                  sentAs: null,
                  hasSelectedMembers: false,
                  isEntireRecord: false,
                }));
          return { ...entry, fields };
        }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

export function remainingExtent(properties: readonly PlainProperty[], choices: Choices): Extent {
  return extentOf(remainingProperties(properties, choices));
}
