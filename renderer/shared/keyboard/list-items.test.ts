import { describe, expect, it } from 'vitest';
import { nextItemIndex } from './list-items.ts';

describe('nextItemIndex', () => {
  it.each([1, -1] as const)(
    'returns the first item in view if the focus is neither in nor after an item (step %i)',
    (step) => {
      expect(nextItemIndex({ index: -1, isOnItem: false, firstInView: 4 }, step)).toBe(4);
    },
  );

  it('returns the item after or before a focused item', () => {
    const position = { index: 2, isOnItem: true, firstInView: 0 };
    expect([nextItemIndex(position, 1), nextItemIndex(position, -1)]).toEqual([3, 1]);
  });

  it('steps back to the item of the same row if another button of the row has the focus', () => {
    const position = { index: 2, isOnItem: false, firstInView: 0 };
    expect([nextItemIndex(position, 1), nextItemIndex(position, -1)]).toEqual([3, 2]);
  });

  it('returns an index out of range before the first item', () => {
    expect(nextItemIndex({ index: 0, isOnItem: true, firstInView: 0 }, -1)).toBe(-1);
  });
});
