import { describe, expect, it } from 'vitest';
import {
  NO_CHOICES,
  choicesOf,
  isEntryShared,
  isFieldShared,
  sharesFutureFields,
  narrowingOf,
  remainingExtent,
  setEntryShared,
  setFieldShared,
  setFutureFieldsShared,
} from './choices.ts';
import { type PlainEntry, extentText, plainBundle } from '../../shared/consent/bundle-text.ts';

const properties = plainBundle({
  days: { endpoints: [{ endpoint: 'fit/steps', mapping: { day: 'date', steps: 'steps', 'a.b': 'x', 'a.c': 'y' } }] },
  nights: { endpoints: [{ endpoint: 'fit/pulse', mapping: { rate: 'rate' } }, { endpoint: 'fit/sleep' }] },
});
const KNOWN_FIELDS = ['minutes', 'quality', 'with.dot'];

function entryAt(property: number, index: number): PlainEntry {
  const entry = properties[property]?.entries[index];
  if (entry === undefined) throw new Error('no such entry');
  return entry;
}
const days = entryAt(0, 0);
const pulse = entryAt(1, 0);
const sleep = entryAt(1, 1);

describe('consent choices', () => {
  it('share everything requested by default, without a narrowing', () => {
    expect(narrowingOf(properties, NO_CHOICES)).toBeUndefined();
    expect(isFieldShared(NO_CHOICES, days, 'steps') && sharesFutureFields(NO_CHOICES, sleep)).toBe(true);
  });

  it('drop a field and restore it', () => {
    const withoutSteps = setFieldShared(NO_CHOICES, days, 'steps', false, []);
    expect(narrowingOf(properties, withoutSteps)).toEqual({
      drop: [{ property: 'days', entry: 0, fields: ['steps'] }],
      keep: [],
    });
    expect(narrowingOf(properties, setFieldShared(withoutSteps, days, 'steps', true, []))).toBeUndefined();
  });

  it('drop an entry together with its last field, and restore a single field', () => {
    const withoutPulse = setFieldShared(NO_CHOICES, pulse, 'rate', false, []);
    expect(narrowingOf(properties, withoutPulse)).toEqual({ drop: [{ property: 'nights', entry: 0 }], keep: [] });
    const withoutDays = setEntryShared(NO_CHOICES, days, false);
    expect(isEntryShared(withoutDays, days) || isFieldShared(withoutDays, days, 'day')).toBe(false);
    expect(narrowingOf(properties, setFieldShared(withoutDays, days, 'day', true, []))).toEqual({
      drop: [{ property: 'days', entry: 0, fields: ['steps', 'a.b', 'a.c'] }],
      keep: [],
    });
    expect(narrowingOf(properties, setEntryShared(withoutDays, days, true))).toBeUndefined();
  });

  it('share only named fields instead of entire records once a field is excluded', () => {
    const withoutQuality = setFieldShared(NO_CHOICES, sleep, 'quality', false, KNOWN_FIELDS);
    expect(narrowingOf(properties, withoutQuality)).toEqual({
      drop: [],
      keep: [{ property: 'nights', entry: 1, fields: ['minutes'] }],
    });
    expect(sharesFutureFields(withoutQuality, sleep)).toBe(false);
    // Including every known field again does not include future fields.
    expect(sharesFutureFields(setFieldShared(withoutQuality, sleep, 'quality', true, KNOWN_FIELDS), sleep)).toBe(false);
    expect(narrowingOf(properties, setFutureFieldsShared(withoutQuality, sleep, true, KNOWN_FIELDS))).toBeUndefined();
  });

  it('can be restored from their narrowing', () => {
    const exclusions = setFieldShared(setEntryShared(NO_CHOICES, pulse, false), days, 'steps', false, []);
    for (const choices of [NO_CHOICES, exclusions, setFieldShared(exclusions, sleep, 'quality', false, KNOWN_FIELDS)])
      expect(choicesOf(narrowingOf(properties, choices) ?? { drop: [], keep: [] })).toEqual(choices);
  });

  it('exclude fields with dotted names together with future fields', () => {
    const choices = setFutureFieldsShared(NO_CHOICES, sleep, false, KNOWN_FIELDS);
    expect(narrowingOf(properties, choices)).toEqual({
      drop: [],
      keep: [{ property: 'nights', entry: 1, fields: ['minutes', 'quality'] }],
    });
    expect(isFieldShared(choices, sleep, 'with.dot')).toBe(false);
  });

  it('drop an entry of entire records if none of its fields is kept or known', () => {
    const withoutQuality = setFieldShared(NO_CHOICES, sleep, 'quality', false, KNOWN_FIELDS);
    expect(isEntryShared(setFieldShared(withoutQuality, sleep, 'minutes', false, KNOWN_FIELDS), sleep)).toBe(false);
    expect(isEntryShared(setFutureFieldsShared(NO_CHOICES, sleep, false, []), sleep)).toBe(false);
  });

  it('treat overlapping output fields as one', () => {
    const nestedBundle = plainBundle({
      p: { endpoints: [{ endpoint: 'a/b', mapping: { a: 'x', 'a.b': 'y', c: 'z' } }] },
    });
    const entry = nestedBundle[0]?.entries[0];
    if (entry === undefined) throw new Error('no entry');
    const withoutNested = setFieldShared(NO_CHOICES, entry, 'a.b', false, []);
    expect([isFieldShared(withoutNested, entry, 'a'), isFieldShared(withoutNested, entry, 'c')]).toEqual([false, true]);
    expect(narrowingOf(nestedBundle, setFieldShared(withoutNested, entry, 'a', true, []))).toBeUndefined();
  });

  it('reduce the described extent of the shared data', () => {
    const withPlainSpaces = (text: string) => text.replaceAll(/[\u202F\u00A0]/g, ' ');
    expect(withPlainSpaces(extentText(remainingExtent(properties, NO_CHOICES)))).toBe(
      'entire records of Sleep, and 5 fields of Steps and Pulse',
    );
    const narrowedChoices = setFieldShared(
      setFieldShared(NO_CHOICES, sleep, 'quality', false, KNOWN_FIELDS),
      days,
      'steps',
      false,
      [],
    );
    expect(withPlainSpaces(extentText(remainingExtent(properties, narrowedChoices)))).toBe(
      '5 fields of Steps, Pulse and Sleep',
    );
    const noEntries = [days, pulse, sleep].reduce(
      (choices, entry) => setEntryShared(choices, entry, false),
      NO_CHOICES,
    );
    expect(extentText(remainingExtent(properties, noEntries))).toBe('nothing');
  });
});
