import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createNetworkRateLimit } from './network-rate-limit.ts';

const BURST = 5;

it('the limit of an IPv6 /48 does not count operations that the limit of a /64 in it refused', () => {
  const limit = createNetworkRateLimit({ burst: BURST, intervalMs: 1000, clock: createTestClock() });
  const countAdmitted = (network: string): number =>
    Array.from({ length: 100 }, () => limit.take(`2001:db8:7:${network}::1`)).filter((wait) => wait === 0).length;
  // The limit of the /48 is four times that of each of these /64 networks.
  expect(['1', '2', '3', '4', '5'].map(countAdmitted)).toStrictEqual([BURST, BURST, BURST, BURST, 0]);
  expect(limit.peek('2001:db8:8:1::1')).toBe(0);
});
