import { describe, expect, it } from 'vitest';
import { createFairAdmission } from './fair-admission.ts';

const open = (most: number) => {
  const evicted: string[] = [];
  return {
    dropped: evicted,
    share: createFairAdmission<string>({ max: most, onEvict: (guest) => evicted.push(guest) }),
  };
};

describe('fair admission', () => {
  it('lets one network use the whole pool while no other asks', () => {
    const { share, dropped: evicted } = open(3);
    expect(['a1', 'a2', 'a3', 'a4'].map((guest) => share.admit('a', guest))).toStrictEqual([true, true, true, false]);
    expect([share.size(), evicted]).toStrictEqual([3, []]);
    share.release('a2');
    expect([share.admit('a', 'a5'), share.size()]).toStrictEqual([true, 3]);
  });

  it('evicts the oldest member of the largest network until shares are equal', () => {
    const { share, dropped: evicted } = open(4);
    for (const guest of ['a1', 'a2', 'a3', 'a4']) share.admit('a', guest);
    expect([share.admit('b', 'b1'), share.admit('b', 'b2'), share.admit('b', 'b3')]).toStrictEqual([true, true, false]);
    expect(evicted).toStrictEqual(['a1', 'a2']);
    expect([share.admit('c', 'c1'), share.admit('d', 'd1'), share.admit('e', 'e1')]).toStrictEqual([true, true, false]);
    expect([evicted, share.size()]).toStrictEqual([['a1', 'a2', 'a3', 'b1'], 4]);
    // Releasing an evicted member has no effect.
    share.release('a1');
    expect(share.size()).toBe(4);
  });
});
