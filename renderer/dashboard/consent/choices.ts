import type { Narrowing } from '../../../server/wire/debits.ts';
import { type Extent, type PlainEntry, type PlainProperty, extentOf } from '../../shared/consent/bundle-text.ts';

/** What the owner leaves out of what was asked. Everything begins as it was asked; nothing can be added. */
export interface Choices {
  /** Entries (by key) that are left out. */
  readonly droppedEntries: ReadonlySet<string>;
  /** Of entries with named fields: the fields left out. */
  readonly droppedFields: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of entire records: the only fields that are shared. Not in here: all of them, later ones too. */
  readonly keptFields: ReadonlyMap<string, ReadonlySet<string>>;
}

export const NO_CHOICES: Choices = { droppedEntries: new Set(), droppedFields: new Map(), keptFields: new Map() };

function withDropped(choices: Choices, key: string, dropped: boolean): Choices {
  const next = new Set(choices.droppedEntries);
  if (dropped) next.add(key);
  else next.delete(key);
  return { ...choices, droppedEntries: next };
}

function changed(set: ReadonlySet<string>, value: string, isIn: boolean): Set<string> {
  const next = new Set(set);
  if (isIn) next.add(value);
  else next.delete(value);
  return next;
}

const NOTHING: ReadonlySet<string> = new Set();

/** A name that is a path cannot stay alone of entire records: by that name it would be another field. */
export function isKeepable(field: string): boolean {
  return /^[^.[\]]+$/.test(field);
}

const steps = (name: string): string[] => name.split('.').map((step) => step.replace(/\[\]$/, ''));

/** Whether two output fields write into each other: they leave together or stay together. */
function overlap(one: string, other: string): boolean {
  const [a, b] = [steps(one), steps(other)];
  return a.slice(0, Math.min(a.length, b.length)).every((step, at) => step === b[at]);
}

export function isEntryShared(choices: Choices, entry: PlainEntry): boolean {
  return !choices.droppedEntries.has(entry.key);
}

export function isFieldShared(choices: Choices, entry: PlainEntry, field: string): boolean {
  if (choices.droppedEntries.has(entry.key)) return false;
  if (entry.fields !== null) {
    return ![...(choices.droppedFields.get(entry.key) ?? NOTHING)].some((off) => overlap(off, field));
  }
  const kept = choices.keptFields.get(entry.key);
  return kept === undefined || kept.has(field);
}

/** Whether fields that come later are shared too: only of entire records that were left as asked. */
export function sharesFutureFields(choices: Choices, entry: PlainEntry): boolean {
  return entry.fields === null && !choices.droppedEntries.has(entry.key) && !choices.keptFields.has(entry.key);
}

/** Turning an entry on again brings it back as it was asked. */
export function setEntryShared(choices: Choices, entry: PlainEntry, on: boolean): Choices {
  const droppedFields = new Map(choices.droppedFields);
  const keptFields = new Map(choices.keptFields);
  droppedFields.delete(entry.key);
  keptFields.delete(entry.key);
  return withDropped({ ...choices, droppedFields, keptFields }, entry.key, !on);
}

/** `seen`: the fields that entire records have now; once one is left out, only those that were looked at can stay. */
export function setFieldShared(
  choices: Choices,
  entry: PlainEntry,
  field: string,
  on: boolean,
  seen: readonly string[],
): Choices {
  const dropped = choices.droppedEntries.has(entry.key);
  if (entry.fields === null) {
    const before = dropped ? NOTHING : (choices.keptFields.get(entry.key) ?? new Set(seen.filter(isKeepable)));
    const next = changed(before, field, on);
    if (next.size === 0) return setEntryShared(choices, entry, false);
    return withDropped({ ...choices, keptFields: new Map(choices.keptFields).set(entry.key, next) }, entry.key, false);
  }
  const all = entry.fields.map(({ name }) => name);
  const before = dropped ? new Set(all) : (choices.droppedFields.get(entry.key) ?? NOTHING);
  const next = new Set(before);
  for (const name of all.filter((one) => one === field || overlap(one, field))) {
    if (on) next.delete(name);
    else next.add(name);
  }
  if (all.every((name) => next.has(name))) return setEntryShared(choices, entry, false);
  const droppedFields = new Map(choices.droppedFields);
  if (next.size === 0) droppedFields.delete(entry.key);
  else droppedFields.set(entry.key, next);
  return withDropped({ ...choices, droppedFields }, entry.key, false);
}

export function setFutureFieldsShared(
  choices: Choices,
  entry: PlainEntry,
  on: boolean,
  seen: readonly string[],
): Choices {
  if (on) return setEntryShared(choices, entry, true);
  const stay = seen.filter(isKeepable);
  if (stay.length === 0) return setEntryShared(choices, entry, false);
  return withDropped(
    { ...choices, keptFields: new Map(choices.keptFields).set(entry.key, new Set(stay)) },
    entry.key,
    false,
  );
}

/** The choices as the PDA expects them; undefined if everything is allowed as requested. */
export function narrowingOf(properties: readonly PlainProperty[], choices: Choices): Narrowing | undefined {
  const narrowing: Narrowing = { drop: [], keep: [] };
  for (const { property, entry, key } of properties.flatMap(({ entries }) => entries)) {
    if (choices.droppedEntries.has(key)) {
      narrowing.drop.push({ property, entry });
      continue;
    }
    const without = choices.droppedFields.get(key);
    if (without !== undefined) narrowing.drop.push({ property, entry, fields: [...without] });
    const kept = choices.keptFields.get(key);
    if (kept !== undefined) narrowing.keep.push({ property, entry, fields: [...kept] });
  }
  return narrowing.drop.length + narrowing.keep.length === 0 ? undefined : narrowing;
}

/** What is left, as it will be shared. */
export function remainingProperties(properties: readonly PlainProperty[], choices: Choices): PlainProperty[] {
  return properties
    .map((property) => ({
      ...property,
      entries: property.entries
        .filter((entry) => isEntryShared(choices, entry))
        .map((entry) => {
          const kept = choices.keptFields.get(entry.key);
          const fields =
            kept === undefined
              ? (entry.fields?.filter(({ name }) => isFieldShared(choices, entry, name)) ?? null)
              : [...kept].map((name) => ({ name, label: name, source: name, sentAs: null, picked: false }));
          return { ...entry, fields };
        }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

export function remainingExtent(properties: readonly PlainProperty[], choices: Choices): Extent {
  return extentOf(remainingProperties(properties, choices));
}
