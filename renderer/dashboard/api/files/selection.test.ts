import { expect, it } from 'vitest';
import { COUNTED_MATCHES_MAX } from '../../../../server/wire/limits.ts';
import { isExactTotal } from './selection.ts';

it('treats the total of a search by words or tag as exact only below `COUNTED_MATCHES_MAX`', () => {
  for (const selection of [
    { search: 'beach', tag: '' },
    { search: '', tag: 'trip' },
  ]) {
    expect(isExactTotal(selection, COUNTED_MATCHES_MAX - 1)).toBe(true);
    expect(isExactTotal(selection, COUNTED_MATCHES_MAX)).toBe(false);
  }
  expect(isExactTotal({ search: ' ', tag: '' }, COUNTED_MATCHES_MAX)).toBe(true);
});
