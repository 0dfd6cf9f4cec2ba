import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createSingleFlightCache } from './single-flight-cache.ts';

describe('a single-flight cache', () => {
  it('does not cache a load that was in progress when the value was forgotten', async () => {
    const loads: PromiseWithResolvers<string>[] = [];
    const cache = createSingleFlightCache(createTestClock(), () => {
      const load = Promise.withResolvers<string>();
      loads.push(load);
      return load.promise;
    });
    const outdated = cache.get();
    cache.forget();
    loads[0]?.resolve('outdated');
    expect(await outdated).toBe('outdated');
    const current = cache.get();
    loads[1]?.resolve('current');
    expect(await current).toBe('current');
    expect(await cache.get()).toBe('current');
    expect(loads).toHaveLength(2);
  });
});
