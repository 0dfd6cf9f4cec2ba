import { describe, expect, it } from 'vitest';
import { setBounded } from './bounded-map.ts';

const fillMap = (maxEntries: number, ...keys: readonly string[]): string[] => {
  const map = new Map<string, number>();
  for (const [index, key] of keys.entries()) setBounded(map, key, index, maxEntries);
  return [...map].map(([key, value]) => `${key}${value}`);
};

describe('setBounded', () => {
  it('keeps all entries up to the limit', () => {
    expect(fillMap(3, 'a', 'b', 'c')).toStrictEqual(['a0', 'b1', 'c2']);
  });

  it('evicts the oldest entry for each new one', () => {
    expect(fillMap(3, 'a', 'b', 'c', 'd', 'e')).toStrictEqual(['c2', 'd3', 'e4']);
  });

  it('evicts nothing when an entry is replaced, and makes that entry the newest', () => {
    expect(fillMap(3, 'a', 'b', 'c', 'b')).toStrictEqual(['a0', 'c2', 'b3']);
    expect(fillMap(3, 'a', 'b', 'c', 'b', 'd', 'e')).toStrictEqual(['b3', 'd4', 'e5']);
  });

  it('evicts an entry whose key is undefined', () => {
    const map = new Map<string | undefined, number>([[undefined, 0]]);
    setBounded(map, 'a', 1, 1);
    expect([...map]).toStrictEqual([['a', 1]]);
  });
});
