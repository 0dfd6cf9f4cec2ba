import { expect, it } from 'vitest';
import { shortCount } from './short-count.ts';

it.each([
  [999, '999'],
  [1000, '1k'],
  [12_499, '12k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [999_999, '1M'],
  [2_500_000, '3M'],
])('formats %i as %s', (records, text) => {
  expect(shortCount(records)).toBe(text);
});
