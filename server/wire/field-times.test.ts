import { describe, expect, it } from 'vitest';
import { statedTimeOf } from './field-times.ts';

const utc = (iso: string): number => Date.parse(iso);

describe('the time of a text in a field of dates and times', () => {
  it.each([
    ['20240303T101500Z', '2024-03-03T10:15:00Z', false],
    ['20240303T1015Z', '2024-03-03T10:15:00Z', false],
    ['20240303t101500z', '2024-03-03T10:15:00Z', false],
    ['20240303T101500.250Z', '2024-03-03T10:15:00.250Z', false],
    ['20240303T101500+0100', '2024-03-03T09:15:00Z', false],
    ['20240303T1015-08', '2024-03-03T18:15:00Z', false],
    ['20240303T101500,5+01:00', '2024-03-03T09:15:00.500Z', false],
    ['20240303T101500', '2024-03-03T10:15:00Z', true],
    ['20240303T1015', '2024-03-03T10:15:00Z', true],
    ['2024-03-03T10:15:00+0100', '2024-03-03T09:15:00Z', false],
    ['2024-03-03T10:15+01', '2024-03-03T09:15:00Z', false],
    ['2024-03-03 10:15:00 -08:00', '2024-03-03T18:15:00Z', false],
    ['2024-03-03T10:15:00', '2024-03-03T10:15:00Z', true],
    ['Mar 3, 2024 10:15', '2024-03-03T10:15:00Z', true],
    ['14 August 2024 10:15', '2024-08-14T10:15:00Z', true],
  ])('includes the time of day and the offset of %s', (text, iso, isLocal) => {
    expect(statedTimeOf(text, { type: 'dateTime' })).toEqual({ ms: utc(iso), isLocal, hasClock: true });
  });

  it.each(['20240303', '2024-03-03', 'Mar 3, 2024'])('has no time of day if the text is a day (%s)', (text) => {
    expect(statedTimeOf(text, { type: 'dateTime' })).toEqual({
      ms: utc('2024-03-03T00:00:00Z'),
      isLocal: true,
      hasClock: false,
    });
  });

  it.each(['20240303T25', '20240303T101500X', '20240230T101500Z', '20240303T106000Z'])(
    'is undefined for %s',
    (text) => {
      expect(statedTimeOf(text, { type: 'dateTime' })).toBeUndefined();
    },
  );
});

describe('the date of a text in a field of dates', () => {
  it.each(['20240303T233000-0800', '2024-03-03T23:30:00-08:00', '20240303T233000Z'])(
    'is the one that the text states (%s)',
    (text) => {
      expect(statedTimeOf(text, { type: 'date' })).toEqual({
        ms: utc('2024-03-03T00:00:00Z'),
        isLocal: true,
        hasClock: false,
      });
    },
  );
});
