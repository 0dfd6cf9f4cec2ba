import { describe, expect, it } from 'vitest';
import { createDebitCache } from './debit-cache.ts';

const createCache = () => {
  const state = { loads: 0, isWriting: false };
  const load = (key: string) => {
    state.loads += 1;
    return key === 'none' ? undefined : { key, load: state.loads };
  };
  return { state, cache: createDebitCache({ load, isInTransaction: () => state.isWriting }) };
};

describe('the cache of Data Debits', () => {
  it('caches individually read Data Debits until they change, but not those that are read in a list', () => {
    const { state, cache } = createCache();
    cache.findWithoutCaching('a');
    cache.findWithoutCaching('a');
    expect(state.loads).toBe(2);
    expect([cache.find('a'), cache.find('a'), cache.findWithoutCaching('a')].map((debit) => debit?.load)).toEqual([
      3, 3, 3,
    ]);
    cache.delete('a');
    expect(cache.findWithoutCaching('a')?.load).toBe(4);
    expect(cache.find('none')).toBeUndefined();
  });

  it('is neither read nor filled within a transaction', () => {
    const { state, cache } = createCache();
    cache.find('a');
    state.isWriting = true;
    expect([cache.find('a'), cache.findWithoutCaching('a'), cache.find('b')].map((debit) => debit?.load)).toEqual([
      2, 3, 4,
    ]);
    state.isWriting = false;
    expect([cache.find('a')?.load, cache.find('b')?.load]).toEqual([1, 5]);
  });
});
