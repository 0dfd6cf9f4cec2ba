import { expect, it } from 'vitest';
import { parseWrittenTime } from './written-times.ts';

it.each([
  ['Mar 3, 2024, 10:15:20 AM GMT+1', '2024-03-03T09:15:20Z'],
  ['3.3.2024, 10:15:20 UTC−01:30', '2024-03-03T11:45:20Z'],
])('subtracts the UTC offset of %j', (writtenTime, instant) => {
  expect(parseWrittenTime(writtenTime)).toBe(Date.parse(instant));
});

it('does not read a number without a sign as a UTC offset', () => {
  expect(parseWrittenTime('Mar 3, 2024, 10:15:20 12')).toBeUndefined();
});
