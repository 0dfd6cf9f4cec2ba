import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../wire/fields.ts';
import { areFeedItems, recordTimeOf } from './rules.ts';

const field = (path: string, type: Field['type'], overrides: Partial<Field> = {}): Field => ({
  path,
  name: path,
  type,
  unit: '',
  filled: 1,
  distinct: 1,
  exceptions: 0,
  corrected: false,
  ...overrides,
});

describe('the time of a record', () => {
  it('is a start rather than an end or a change, and any of these rather than a year', () => {
    const fields = [
      field('year', 'date', { timeFormat: 'year' }),
      field('lastUpdated', 'dateTime', { timeFormat: 'iso' }),
      field('end', 'dateTime', { timeFormat: 'iso' }),
      field('trip.start', 'dateTime', { timeFormat: 'seconds', filled: 0.9 }),
    ];
    expect(recordTimeOf(fields)).toEqual({ path: 'trip.start', format: 'seconds' });
    expect(recordTimeOf(fields.slice(0, 2))).toEqual({ path: 'lastUpdated', format: 'iso' });
    expect(recordTimeOf(fields.slice(0, 1))).toEqual({ path: 'year', format: 'year' });
  });

  it('is in a field that at least half of the records have', () => {
    expect(recordTimeOf([field('deletedAt', 'dateTime', { filled: 0.4 }), field('text', 'text')])).toBeUndefined();
    expect(recordTimeOf([field('day', 'date', { filled: 0.5 })])).toEqual({ path: 'day', format: undefined });
  });

  it('is the Unix time of a feed item', () => {
    const fields = [
      field('source', 'text'),
      field('date.iso', 'dateTime', { timeFormat: 'iso' }),
      field('date.unix', 'number'),
      field('types', 'list'),
    ];
    expect(areFeedItems(fields)).toBe(true);
    expect(recordTimeOf(fields)).toEqual({ path: 'date.unix', format: 'seconds' });
    expect(areFeedItems(fields.slice(1))).toBe(false);
  });
});
