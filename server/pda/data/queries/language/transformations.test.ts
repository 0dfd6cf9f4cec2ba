import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATE_PARTS } from '../../../../wire/date-parts.ts';
import { parseDate } from '../../../../wire/iso-8601.ts';
import { type DatePart } from '../../../../wire/query.ts';
import { partOfDate, partOfTimestamp } from './evaluator.test-support.ts';
import { datePart, parseTimestamp } from './transformations.ts';

const part = (text: string, name: DatePart): number | undefined => {
  const moment = parseDate(text);
  return moment === undefined ? undefined : datePart(moment, name);
};

describe('a date in text', () => {
  it('has all parts in UTC', () => {
    const parts = Object.fromEntries(DATE_PARTS.map((name) => [name, part('2016-01-03T01:02:03.004005+02:00', name)]));
    expect(parts).toEqual({
      century: 21,
      day: 2,
      decade: 201,
      dow: 6,
      doy: 2,
      epoch: 1451775723.004005,
      hour: 23,
      isodow: 6,
      isoyear: 2015,
      microseconds: 3004005,
      millennium: 3,
      milliseconds: 3004.005,
      minute: 2,
      month: 1,
      quarter: 1,
      second: 3.004005,
      timezone: 0,
      timezone_hour: 0,
      timezone_minute: 0,
      week: 53,
      year: 2016,
    });
  });

  it('has centuries and millennia that begin with the year 1, no year 0, and ISO weeks', () => {
    expect([part('2000-12-31', 'century'), part('2001-01-01', 'century'), part('2000-01-01', 'millennium')]).toEqual([
      20, 21, 2,
    ]);
    expect([part('0001-01-01', 'century'), part('0000-12-31', 'century'), part('0000-12-31', 'year')]).toEqual([
      1, -1, -1,
    ]);
    expect([part('2017-01-01', 'dow'), part('2017-01-01', 'isodow'), part('2017-01-01', 'week')]).toEqual([0, 7, 52]);
  });

  it('has the parts that Date and Intl compute', () => {
    const times = fc.date({ min: new Date('0000-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
    const offsets = fc.constantFrom('Z', '', '+01:00', '-09:30', '+1345');
    fc.assert(
      fc.property(
        times,
        fc.integer({ min: 0, max: 999 }),
        offsets,
        fc.constantFrom(...DATE_PARTS),
        (date, micros, offset, name) => {
          const text = date.toISOString().replace('Z', String(micros).padStart(3, '0')) + offset;
          expect(part(text, name)).toBe(partOfDate(text, name));
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('a Unix timestamp', () => {
  it('can be a number or a numeric string, have a fraction of a second, and lie before 1970', () => {
    const parts = (value: number | string): (number | undefined)[] => {
      const moment = parseTimestamp(value);
      return moment === undefined
        ? []
        : [datePart(moment, 'year'), datePart(moment, 'hour'), datePart(moment, 'second')];
    };
    expect(parts(1500000000.25)).toEqual([2017, 2, 0.25]);
    expect(parts('1500000000.25')).toEqual([2017, 2, 0.25]);
    expect(parts(-0.5)).toEqual([1969, 23, 59.5]);
    expect(parts(1500000000.123457)).toEqual([2017, 2, 0.123457]);
  });

  it('is undefined for a number out of range or a string that is not a decimal number', () => {
    for (const value of [1e300, -1e300, Number.POSITIVE_INFINITY, '', '1e9', '0x10', ' ', 'yesterday', '2017-01-01']) {
      expect(parseTimestamp(value)).toBeUndefined();
    }
  });

  it('has the parts that Date and Intl compute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e11, max: 2e11 }),
        fc.nat(7),
        fc.constantFrom(...DATE_PARTS),
        (seconds, eighths, name) => {
          const value = seconds + eighths / 8;
          const moment = parseTimestamp(value);
          expect(moment === undefined ? undefined : datePart(moment, name)).toBe(partOfTimestamp(value, name));
        },
      ),
      { numRuns: 1500 },
    );
  });
});
