import type { Narrowing } from '../../../server/wire/debits.ts';
import { type Extent, type PlainEntry, type PlainProperty, extentOf } from './plain-words.ts';

/** What the owner leaves out of what was asked. Everything begins as it was asked; nothing can be added. */
export interface Choices {
  /** Entries (by key) that are left out. */
  readonly dropped: ReadonlySet<string>;
  /** Of entries with named fields: the fields left out. */
  readonly without: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of entire records: the only fields that are shared. Not in here: all of them, later ones too. */
  readonly kept: ReadonlyMap<string, ReadonlySet<string>>;
}

export const AS_ASKED: Choices = { dropped: new Set(), without: new Map(), kept: new Map() };

function withDropped(choices: Choices, key: string, dropped: boolean): Choices {
  const next = new Set(choices.dropped);
  if (dropped) next.add(key);
  else next.delete(key);
  return { ...choices, dropped: next };
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

export function isEntryOn(choices: Choices, entry: PlainEntry): boolean {
  return !choices.dropped.has(entry.key);
}

export function isFieldOn(choices: Choices, entry: PlainEntry, field: string): boolean {
  if (choices.dropped.has(entry.key)) return false;
  if (entry.fields !== null) {
    return ![...(choices.without.get(entry.key) ?? NOTHING)].some((off) => overlap(off, field));
  }
  const kept = choices.kept.get(entry.key);
  return kept === undefined || kept.has(field);
}

/** Whether fields that come later are shared too: only of entire records that were left as asked. */
export function isLaterOn(choices: Choices, entry: PlainEntry): boolean {
  return entry.fields === null && !choices.dropped.has(entry.key) && !choices.kept.has(entry.key);
}

/** Turning an entry on again brings it back as it was asked. */
export function setEntry(choices: Choices, entry: PlainEntry, on: boolean): Choices {
  const without = new Map(choices.without);
  const kept = new Map(choices.kept);
  without.delete(entry.key);
  kept.delete(entry.key);
  return withDropped({ ...choices, without, kept }, entry.key, !on);
}

/** `seen`: the fields that entire records have now; once one is left out, only those that were looked at can stay. */
export function setField(
  choices: Choices,
  entry: PlainEntry,
  field: string,
  on: boolean,
  seen: readonly string[],
): Choices {
  const dropped = choices.dropped.has(entry.key);
  if (entry.fields === null) {
    const before = dropped ? NOTHING : (choices.kept.get(entry.key) ?? new Set(seen.filter(isKeepable)));
    const next = changed(before, field, on);
    if (next.size === 0) return setEntry(choices, entry, false);
    return withDropped({ ...choices, kept: new Map(choices.kept).set(entry.key, next) }, entry.key, false);
  }
  const all = entry.fields.map(({ name }) => name);
  const before = dropped ? new Set(all) : (choices.without.get(entry.key) ?? NOTHING);
  const next = new Set(before);
  for (const name of all.filter((one) => one === field || overlap(one, field))) {
    if (on) next.delete(name);
    else next.add(name);
  }
  if (all.every((name) => next.has(name))) return setEntry(choices, entry, false);
  const without = new Map(choices.without);
  if (next.size === 0) without.delete(entry.key);
  else without.set(entry.key, next);
  return withDropped({ ...choices, without }, entry.key, false);
}

export function setLater(choices: Choices, entry: PlainEntry, on: boolean, seen: readonly string[]): Choices {
  if (on) return setEntry(choices, entry, true);
  const stay = seen.filter(isKeepable);
  if (stay.length === 0) return setEntry(choices, entry, false);
  return withDropped({ ...choices, kept: new Map(choices.kept).set(entry.key, new Set(stay)) }, entry.key, false);
}

/** As the PDA is told; undefined when everything is as it was asked. */
export function narrowingOf(properties: readonly PlainProperty[], choices: Choices): Narrowing | undefined {
  const narrowing: Narrowing = { drop: [], keep: [] };
  for (const { property, entry, key } of properties.flatMap(({ entries }) => entries)) {
    if (choices.dropped.has(key)) {
      narrowing.drop.push({ property, entry });
      continue;
    }
    const without = choices.without.get(key);
    if (without !== undefined) narrowing.drop.push({ property, entry, fields: [...without] });
    const kept = choices.kept.get(key);
    if (kept !== undefined) narrowing.keep.push({ property, entry, fields: [...kept] });
  }
  return narrowing.drop.length + narrowing.keep.length === 0 ? undefined : narrowing;
}

/** What is left, as it will be shared. */
export function remaining(properties: readonly PlainProperty[], choices: Choices): PlainProperty[] {
  return properties
    .map((property) => ({
      ...property,
      entries: property.entries
        .filter((entry) => isEntryOn(choices, entry))
        .map((entry) => {
          const kept = choices.kept.get(entry.key);
          const fields =
            kept === undefined
              ? (entry.fields?.filter(({ name }) => isFieldOn(choices, entry, name)) ?? null)
              : [...kept].map((name) => ({ name, label: name, source: name, sentAs: null, picked: false }));
          return { ...entry, fields };
        }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

export function remainingExtent(properties: readonly PlainProperty[], choices: Choices): Extent {
  return extentOf(remaining(properties, choices));
}
