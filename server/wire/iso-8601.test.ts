import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate, secondsOf, signedSecondsOf, unixMsOf } from './iso-8601.ts';

describe('parseDate', () => {
  it.each([
    ['2017-03-05T14:37:12.345678Z', '2017-03-05T14:37:12.345678Z'],
    ['2017-03-05T14:37:12+02:00', '2017-03-05T12:37:12Z'],
    ['2017-03-05T14:37:12-0330', '2017-03-05T18:07:12Z'],
    ['2017-03-05T14:37+05', '2017-03-05T09:37:00Z'],
    ['2017-03-05 14:37:12', '2017-03-05T14:37:12Z'],
    ['2017-03-05T14:37:12,5z', '2017-03-05T14:37:12.5Z'],
    ['2017-03-05', '2017-03-05T00:00:00Z'],
    [' 2017-03-05 ', '2017-03-05T00:00:00Z'],
    ['20170305T143712Z', '2017-03-05T14:37:12Z'],
    ['20170305', '2017-03-05T00:00:00Z'],
    ['2016-12-31T24:00:00Z', '2017-01-01T00:00:00Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['+002017-03-05T00:00Z', '2017-03-05T00:00:00Z'],
  ])('parses %s like %s', (text, equivalent) => {
    expect(parseDate(text)).toBeDefined();
    expect(parseDate(text)).toEqual(parseDate(equivalent));
  });

  it.each([
    '',
    'yesterday',
    '2017',
    '2017-02-29',
    '2017-13-01',
    '2017-00-10',
    '2017-1-1',
    '2017-03-05T',
    '2017-03-05T14',
    '2017-03-05T25:00',
    '2017-03-05T24:00:01',
    '2017-03-05T14:60',
    '2017-03-05T14:37:61',
    '2017-03-05T14:37:12.',
    '2017-03-05T14:37+24:00',
    '2017-03-05T14:37 Europe/Berlin',
    '2017-03-05Z',
    `2017-03-05${' '.repeat(100)}`,
    '1488724632',
  ])('rejects %j', (text) => {
    expect(parseDate(text)).toBeUndefined();
  });
});

describe('unixMsOf', () => {
  it('agrees with Date for different offsets and before 1970', () => {
    const times = fc.date({ min: new Date('0000-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
    const offsets = fc.constantFrom('Z', '+01:00', '-09:30', '+13:45');
    fc.assert(
      fc.property(times, offsets, (date, offset) => {
        const text = date.toISOString().replace('Z', offset);
        expect(unixMsOf(text)).toBe(Date.parse(text));
        expect(unixMsOf(text.replace(/:(\d\d)$/u, '$1'))).toBe(Date.parse(text));
      }),
    );
    expect(unixMsOf('1969-12-31T23:59:59.9999Z')).toBe(-1);
  });

  it('accepts the same range as Date', () => {
    expect(unixMsOf('+275760-09-13T00:00Z')).toBe(8.64e15);
    expect(unixMsOf('+275760-09-13T00:00:00.001Z')).toBeUndefined();
    expect(unixMsOf('-271821-04-20')).toBe(-8.64e15);
    expect(unixMsOf('-271821-04-19T23:59Z')).toBeUndefined();
  });
});

describe('secondsOf', () => {
  it.each([
    ['P1W', 604_800],
    ['P30D', 2_592_000],
    ['P1DT2H', 93_600],
    ['PT90M', 5400],
    ['PT3600S', 3600],
    ['P1W2DT3H4M5S', 788_645],
    ['P0Y0M1DT0H0M0S', 86_400],
    ['P0D', 0],
    ['PT1.5H', 5400],
    ['PT1,5H', 5400],
    ['P0.5W', 302_400],
    ['PT1.1M', 66],
    ['PT1H2.0S', 3602],
  ])('converts %s to %d seconds', (text, seconds) => {
    expect(secondsOf(text)).toBe(seconds);
  });

  it.each(['P1M', 'P1Y', 'P1Y2M3DT4H', 'P0.5Y', 'P1.5M', 'P2M1W'])('rejects %s, which has no fixed length', (text) => {
    expect(secondsOf(text)).toBe('months');
  });

  it.each(['PT0.5S', 'PT1.01M', `PT0.${'3'.repeat(50)}H`])(
    'rejects %s, which is not a whole number of seconds',
    (text) => {
      expect(secondsOf(text)).toBe('fraction');
    },
  );

  it.each([
    '',
    'P',
    'PT',
    'P1DT',
    'P1',
    '1D',
    'p1d',
    'P-1D',
    '-P1D',
    'P1H',
    'PT1D',
    'P1D1W',
    'P1.5DT1H',
    'PT.5H',
    'PT1.H',
    'P1.5',
    ' P1D',
    '3600',
    'a month',
    `PT${'1'.repeat(100)}S`,
  ])('rejects %j', (text) => {
    expect(secondsOf(text)).toBe('invalid');
  });
});

describe('signedSecondsOf', () => {
  it.each([
    ['PT1H30M', 5400],
    ['-PT90S', -90],
    ['+P1D', 86_400],
    ['PT36.5S', 36.5],
    ['-PT0.25M', -15],
    ['P1M', undefined],
    ['1h', undefined],
  ])('converts %s to %s', (text, seconds) => {
    expect(signedSecondsOf(text)).toBe(seconds);
  });
});
