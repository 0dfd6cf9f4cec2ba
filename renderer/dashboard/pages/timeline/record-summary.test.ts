import { describe, expect, it } from 'vitest';
import type { Field } from '../../../shared/api/contract.ts';
import { recordSummary } from './record-summary.ts';

const field = (path: string, type: Field['type'], unit = ''): Field => ({
  path,
  name: path,
  type,
  unit,
  filled: 1,
  distinct: 2,
  exceptions: 0,
  corrected: false,
});

describe('the summary of a record', () => {
  it('is its title and its first values in the format of their fields', () => {
    const fields = [
      field('when', 'dateTime'),
      field('amount', 'money', 'GBP'),
      field('name', 'text'),
      field('note', 'text'),
      field('place.lat', 'latitude'),
    ];
    const data = { when: '2026-03-01', amount: 5.5, name: 'Bakery', note: '', place: { lat: 1 } };
    expect(recordSummary(data, fields)).toEqual({ title: 'Bakery', details: ['amount: £5.50'] });
  });

  it('has at most three values', () => {
    const fields = ['a', 'b', 'c', 'd'].map((path) => field(path, 'number'));
    const { title, details } = recordSummary({ a: 1, b: 2, c: 3, d: 4 }, fields);
    expect([title, details]).toEqual(['', ['a: 1', 'b: 2', 'c: 3']]);
  });

  it('is empty without data or fields', () => {
    expect(recordSummary(null, [field('a', 'number')])).toEqual({ title: '', details: [] });
    expect(recordSummary({ a: 1 }, [])).toEqual({ title: '', details: [] });
  });
});
