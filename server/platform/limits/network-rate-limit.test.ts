import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createNetworkRateLimit } from './network-rate-limit.ts';

const BURST = 5;

it('does not count the refused operations of a network against its /48', () => {
  const limit = createNetworkRateLimit({ burst: BURST, intervalMs: 1000, clock: createTestClock() });
  const admittedOf = (network: string): number =>
    Array.from({ length: 100 }, () => limit.take(`2001:db8:7:${network}::1`)).filter((wait) => wait === 0).length;
  // The limit of the /48 is four times that of a network.
  expect(['1', '2', '3', '4', '5'].map(admittedOf)).toStrictEqual([BURST, BURST, BURST, BURST, 0]);
  expect(limit.peek('2001:db8:8:1::1')).toBe(0);
});
