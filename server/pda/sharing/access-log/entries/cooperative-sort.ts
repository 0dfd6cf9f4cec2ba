import { setImmediate as nextTurn } from 'node:timers/promises';
import { sortUnique } from '../rules.ts';

const SLICE_LENGTH = 50_000;

const merge = (left: readonly number[], right: readonly number[]): number[] => {
  const result: number[] = [];
  let leftIndex = 0;
  let rightIndex = 0;
  while (leftIndex < left.length || rightIndex < right.length) {
    const a = left[leftIndex] ?? Number.POSITIVE_INFINITY;
    const b = right[rightIndex] ?? Number.POSITIVE_INFINITY;
    result.push(Math.min(a, b));
    if (a <= b) leftIndex += 1;
    if (b <= a) rightIndex += 1;
  }
  return result;
};

/**
 * Returns the numbers in ascending order, without duplicates. Yields to the event loop after each slice and each merge,
 * because sorting a long list at once would block it.
 */
export const sortUniqueInSlices = async (numbers: readonly number[]): Promise<readonly number[]> => {
  let lists: (readonly number[])[] = [];
  for (let offset = 0; offset < numbers.length; offset += SLICE_LENGTH) {
    lists.push(sortUnique(numbers.slice(offset, offset + SLICE_LENGTH)));
    await nextTurn();
  }
  while (lists.length > 1) {
    const mergedLists: (readonly number[])[] = [];
    for (let index = 0; index < lists.length; index += 2) {
      const [left = [], right = []] = [lists[index], lists[index + 1]];
      mergedLists.push(merge(left, right));
      await nextTurn();
    }
    lists = mergedLists;
  }
  return lists[0] ?? [];
};
