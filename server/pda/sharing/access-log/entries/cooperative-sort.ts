import { setImmediate as nextTurn } from 'node:timers/promises';
import { ascending } from '../rules.ts';

/** Numbers that are sorted without yielding to the event loop. */
const SLICE_LENGTH = 50_000;

/** Merges two ascending lists without duplicates. */
const merge = (left: readonly number[], right: readonly number[]): number[] => {
  const all: number[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const a = left[l] ?? Number.POSITIVE_INFINITY;
    const b = right[r] ?? Number.POSITIVE_INFINITY;
    all.push(Math.min(a, b));
    if (a <= b) l += 1;
    if (b <= a) r += 1;
  }
  return all;
};

/**
 * Sorts numbers and removes duplicates like `ascending`, but yields to the event loop, so that long lists do not block
 * it.
 */
export const sortAscending = async (numbers: readonly number[]): Promise<readonly number[]> => {
  let lists: (readonly number[])[] = [];
  for (let at = 0; at < numbers.length; at += SLICE_LENGTH) {
    lists.push(ascending(numbers.slice(at, at + SLICE_LENGTH)));
    await nextTurn();
  }
  while (lists.length > 1) {
    const halved: (readonly number[])[] = [];
    for (let index = 0; index < lists.length; index += 2) {
      const [left = [], right = []] = [lists[index], lists[index + 1]];
      halved.push(merge(left, right));
      await nextTurn();
    }
    lists = halved;
  }
  return lists[0] ?? [];
};
