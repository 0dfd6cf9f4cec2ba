import { describe, expect, it } from 'vitest';
import { nextItemIndex } from './list-items.ts';

describe('the item that gets the focus', () => {
  it.each([1, -1] as const)('is the first item in view if the focus is outside the list (step %i)', (step) => {
    expect(nextItemIndex({ index: -1, isOnItem: false, firstInView: 4 }, step)).toBe(4);
  });

  it('is the item after or before a focused item', () => {
    const position = { index: 2, isOnItem: true, firstInView: 0 };
    expect([nextItemIndex(position, 1), nextItemIndex(position, -1)]).toEqual([3, 1]);
  });

  it('is the item of the same row if another button of the row has the focus and the step is backwards', () => {
    const position = { index: 2, isOnItem: false, firstInView: 0 };
    expect([nextItemIndex(position, 1), nextItemIndex(position, -1)]).toEqual([3, 2]);
  });

  it('is out of range before the first item', () => {
    expect(nextItemIndex({ index: 0, isOnItem: true, firstInView: 0 }, -1)).toBe(-1);
  });
});
