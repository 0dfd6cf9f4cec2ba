import { describe, expect, it } from 'vitest';
import { setBounded } from './bounded-map.ts';

const filled = (most: number, ...keys: readonly string[]): string[] => {
  const map = new Map<string, number>();
  for (const [at, key] of keys.entries()) setBounded(map, key, at, most);
  return [...map].map(([key, value]) => `${key}${value}`);
};

describe('a map that remembers three entries at most', () => {
  it('keeps all while there is room', () => {
    expect(filled(3, 'a', 'b', 'c')).toStrictEqual(['a0', 'b1', 'c2']);
  });

  it('drops for each new one what was put in longest ago', () => {
    expect(filled(3, 'a', 'b', 'c', 'd', 'e')).toStrictEqual(['c2', 'd3', 'e4']);
  });

  it('drops nothing for one that is there already: it has its new value, and counts as new', () => {
    expect(filled(3, 'a', 'b', 'c', 'b')).toStrictEqual(['a0', 'c2', 'b3']);
    expect(filled(3, 'a', 'b', 'c', 'b', 'd', 'e')).toStrictEqual(['b3', 'd4', 'e5']);
  });

  it('takes undefined for a key like any other', () => {
    const map = new Map<string | undefined, number>([[undefined, 0]]);
    setBounded(map, 'a', 1, 1);
    expect([...map]).toStrictEqual([['a', 1]]);
  });
});
