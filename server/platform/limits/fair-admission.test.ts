import { describe, expect, it } from 'vitest';
import { createFairShare } from './fair-admission.ts';

const open = (most: number) => {
  const dropped: string[] = [];
  return { dropped, share: createFairShare<string>({ most, drop: (guest) => dropped.push(guest) }) };
};

describe('room that many share', () => {
  it('is all of one network’s as long as nobody else wants any', () => {
    const { share, dropped } = open(3);
    expect(['a1', 'a2', 'a3', 'a4'].map((guest) => share.enter('a', guest))).toStrictEqual([true, true, true, false]);
    expect([share.size(), dropped]).toStrictEqual([3, []]);
    share.leave('a2');
    expect([share.enter('a', 'a5'), share.size()]).toStrictEqual([true, 3]);
  });

  it('is made by the oldest of the network that has the most, until all have as much', () => {
    const { share, dropped } = open(4);
    for (const guest of ['a1', 'a2', 'a3', 'a4']) share.enter('a', guest);
    expect([share.enter('b', 'b1'), share.enter('b', 'b2'), share.enter('b', 'b3')]).toStrictEqual([true, true, false]);
    expect(dropped).toStrictEqual(['a1', 'a2']);
    expect([share.enter('c', 'c1'), share.enter('d', 'd1'), share.enter('e', 'e1')]).toStrictEqual([true, true, false]);
    expect([dropped, share.size()]).toStrictEqual([['a1', 'a2', 'a3', 'b1'], 4]);
    // Who was dropped has left.
    share.leave('a1');
    expect(share.size()).toBe(4);
  });
});
