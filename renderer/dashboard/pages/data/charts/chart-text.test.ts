import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../../server/wire/fields.ts';
import { amountText, boundText, fieldText, valueText } from './chart-text.ts';

const field = (type: Field['type'], unit: string): Field => ({
  path: 'length',
  name: 'Length',
  type,
  unit,
  filled: 1,
  distinct: 10,
  exceptions: 0,
  corrected: false,
});
const withPlainSpaces = (text: string): string => text.replaceAll('\u00A0', ' ');

describe('duration labels in charts', () => {
  it.each([
    ['', 5400, '1 h 30 min'],
    ['min', 90, '1 h 30 min'],
    ['', 0, '0 s'],
    ['', -90, '-1 min 30 s'],
  ])('contain the units for a field with the unit %j', (unit, value, expected) => {
    const duration = field('duration', unit);
    const texts = [valueText(value, duration), amountText(value, duration), boundText(value, 0, duration)];
    expect(texts.map(withPlainSpaces)).toEqual([expected, expected, expected]);
    expect(fieldText(duration)).toBe('Length');
  });

  it('distinguish the bounds of narrow ranges', () => {
    const duration = field('duration', 'min');
    const bounds = (width: number) =>
      [1440, 1440 + width].map((bound) => withPlainSpaces(boundText(bound, width, duration)));
    expect(bounds(60)).toEqual(['1 day', '1 day 1 h']);
    expect(bounds(10)).toEqual(['1\u202F440 min', '1\u202F450 min']);
  });

  it('are plain numbers if the unit is not a time unit', () => {
    const laps = field('duration', 'laps');
    expect([valueText(3, laps), withPlainSpaces(amountText(3, laps)), fieldText(laps)]).toEqual([
      '3',
      '3 laps',
      'Length (laps)',
    ]);
  });

  it('are not used for other numbers and counts', () => {
    expect(fieldText(field('number', 'km'))).toBe('Length (km)');
    expect([valueText(5400, field('number', '')), valueText(90)]).toEqual(['5\u202F400', '90']);
  });
});
