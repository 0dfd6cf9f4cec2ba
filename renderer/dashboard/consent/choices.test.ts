import { describe, expect, it } from 'vitest';
import {
  NO_CHOICES,
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
  nights: { endpoints: [{ endpoint: 'fit/other', mapping: { one: 'one' } }, { endpoint: 'fit/sleep' }] },
});
const SEEN = ['minutes', 'quality', 'with.dot'];

function entryAt(property: number, entry: number): PlainEntry {
  const found = properties[property]?.entries[entry];
  if (found === undefined) throw new Error('no such entry');
  return found;
}
const days = entryAt(0, 0);
const other = entryAt(1, 0);
const sleep = entryAt(1, 1);

describe('what the owner leaves out', () => {
  it('begins as it was asked, and then there is nothing to say', () => {
    expect(narrowingOf(properties, NO_CHOICES)).toBeUndefined();
    expect(isFieldShared(NO_CHOICES, days, 'steps') && sharesFutureFields(NO_CHOICES, sleep)).toBe(true);
  });

  it('drops a field, and takes it back', () => {
    const without = setFieldShared(NO_CHOICES, days, 'steps', false, []);
    expect(narrowingOf(properties, without)).toEqual({
      drop: [{ property: 'days', entry: 0, fields: ['steps'] }],
      keep: [],
    });
    expect(narrowingOf(properties, setFieldShared(without, days, 'steps', true, []))).toBeUndefined();
  });

  it('drops the entry with its last field, and brings back one field alone', () => {
    const off = setFieldShared(NO_CHOICES, other, 'one', false, []);
    expect(narrowingOf(properties, off)).toEqual({ drop: [{ property: 'nights', entry: 0 }], keep: [] });
    const none = setEntryShared(NO_CHOICES, days, false);
    expect(isEntryShared(none, days) || isFieldShared(none, days, 'day')).toBe(false);
    expect(narrowingOf(properties, setFieldShared(none, days, 'day', true, []))).toEqual({
      drop: [{ property: 'days', entry: 0, fields: ['steps', 'a.b', 'a.c'] }],
      keep: [],
    });
    expect(narrowingOf(properties, setEntryShared(none, days, true))).toBeUndefined();
  });

  it('keeps only named fields of entire records once one of them is left out', () => {
    const without = setFieldShared(NO_CHOICES, sleep, 'quality', false, SEEN);
    expect(narrowingOf(properties, without)).toEqual({
      drop: [],
      keep: [{ property: 'nights', entry: 1, fields: ['minutes'] }],
    });
    expect(sharesFutureFields(without, sleep)).toBe(false);
    // Every field again is still not the fields that come later.
    expect(sharesFutureFields(setFieldShared(without, sleep, 'quality', true, SEEN), sleep)).toBe(false);
    expect(narrowingOf(properties, setFutureFieldsShared(without, sleep, true, SEEN))).toBeUndefined();
  });

  it('can leave out only the fields that come later', () => {
    const now = setFutureFieldsShared(NO_CHOICES, sleep, false, SEEN);
    expect(narrowingOf(properties, now)).toEqual({
      drop: [],
      keep: [{ property: 'nights', entry: 1, fields: ['minutes', 'quality'] }],
    });
    expect(isFieldShared(now, sleep, 'with.dot')).toBe(false);
  });

  it('leaves the whole entry out when nothing of entire records is kept, or nothing is there to name', () => {
    const one = setFieldShared(NO_CHOICES, sleep, 'quality', false, SEEN);
    expect(isEntryShared(setFieldShared(one, sleep, 'minutes', false, SEEN), sleep)).toBe(false);
    expect(isEntryShared(setFutureFieldsShared(NO_CHOICES, sleep, false, []), sleep)).toBe(false);
  });

  it('treats fields that write into each other as one', () => {
    const nested = plainBundle({ p: { endpoints: [{ endpoint: 'a/b', mapping: { a: 'x', 'a.b': 'y', c: 'z' } }] } });
    const entry = nested[0]?.entries[0];
    if (entry === undefined) throw new Error('no entry');
    const without = setFieldShared(NO_CHOICES, entry, 'a.b', false, []);
    expect([isFieldShared(without, entry, 'a'), isFieldShared(without, entry, 'c')]).toEqual([false, true]);
    expect(narrowingOf(nested, setFieldShared(without, entry, 'a', true, []))).toBeUndefined();
  });

  it('counts what is left', () => {
    const plain = (text: string) => text.replaceAll(/[\u202F\u00A0]/g, ' ');
    expect(plain(extentText(remainingExtent(properties, NO_CHOICES)))).toBe(
      'entire records of Sleep, and 5 fields of Steps and Other',
    );
    const less = setFieldShared(setFieldShared(NO_CHOICES, sleep, 'quality', false, SEEN), days, 'steps', false, []);
    expect(plain(extentText(remainingExtent(properties, less)))).toBe('5 fields of Steps, Other and Sleep');
    const none = [days, other, sleep].reduce((choices, entry) => setEntryShared(choices, entry, false), NO_CHOICES);
    expect(extentText(remainingExtent(properties, none))).toBe('nothing');
  });
});
