import { setImmediate as turn } from 'node:timers/promises';
import { ascending } from '../rules.ts';

/** Numbers that are put in order in one go. */
const AT_ONCE = 50_000;

/** Two lists in order as one, each number once. */
const merged = (left: readonly number[], right: readonly number[]): number[] => {
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

/** The same as `ascending`, without holding the event loop however many they are. */
export const ascendingInTurns = async (numbers: readonly number[]): Promise<readonly number[]> => {
  let lists: (readonly number[])[] = [];
  for (let at = 0; at < numbers.length; at += AT_ONCE) {
    lists.push(ascending(numbers.slice(at, at + AT_ONCE)));
    await turn();
  }
  while (lists.length > 1) {
    const halved: (readonly number[])[] = [];
    for (let index = 0; index < lists.length; index += 2) {
      const [left = [], right = []] = [lists[index], lists[index + 1]];
      halved.push(merged(left, right));
      await turn();
    }
    lists = halved;
  }
  return lists[0] ?? [];
};
