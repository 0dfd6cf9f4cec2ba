import { describe, expect, it } from 'vitest';
import { createFairAdmission } from './fair-admission.ts';

const createPool = (maxMembers: number) => {
  const evictedMembers: string[] = [];
  return {
    evictedMembers,
    pool: createFairAdmission<string>({ max: maxMembers, onEvict: (member) => evictedMembers.push(member) }),
  };
};

describe('fair admission', () => {
  it('lets one network use the whole pool while no other network requests a slot', () => {
    const { pool, evictedMembers } = createPool(3);
    expect(['a1', 'a2', 'a3', 'a4'].map((member) => pool.admit('a', member))).toStrictEqual([true, true, true, false]);
    expect([pool.size(), evictedMembers]).toStrictEqual([3, []]);
    pool.release('a2');
    expect([pool.admit('a', 'a5'), pool.size()]).toStrictEqual([true, 3]);
  });

  it('evicts the oldest member of the largest network until shares are equal', () => {
    const { pool, evictedMembers } = createPool(4);
    for (const member of ['a1', 'a2', 'a3', 'a4']) pool.admit('a', member);
    expect([pool.admit('b', 'b1'), pool.admit('b', 'b2'), pool.admit('b', 'b3')]).toStrictEqual([true, true, false]);
    expect(evictedMembers).toStrictEqual(['a1', 'a2']);
    expect([pool.admit('c', 'c1'), pool.admit('d', 'd1'), pool.admit('e', 'e1')]).toStrictEqual([true, true, false]);
    expect([evictedMembers, pool.size()]).toStrictEqual([['a1', 'a2', 'a3', 'b1'], 4]);
    pool.release('a1');
    expect(pool.size()).toBe(4);
  });
});
