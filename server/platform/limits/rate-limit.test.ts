import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createRateLimit } from './rate-limit.ts';
import { cpuMs } from '../../../tests/support/cpu-time.ts';

const INTERVAL_MS = 2000;
const BURST = 10;

const setUp = () => {
  const clock = createTestClock();
  return { clock, limit: createRateLimit({ burst: BURST, intervalMs: INTERVAL_MS, clock }) };
};
const drain = (take: (key: string) => number, key: string): void => {
  for (let tries = 0; tries < BURST; tries += 1) expect(take(key)).toBe(0);
};

describe('a rate limit', () => {
  it('admits a burst and then returns the time to wait', () => {
    const { limit } = setUp();
    drain(limit.take, 'a');
    expect(limit.take('a')).toBe(INTERVAL_MS);
  });

  it('admits one more operation after each interval', () => {
    const { limit, clock } = setUp();
    drain(limit.take, 'a');
    for (let round = 0; round < 3; round += 1) {
      clock.advance(INTERVAL_MS);
      expect(limit.take('a')).toBe(0);
      expect(limit.take('a')).toBe(INTERVAL_MS);
    }
  });

  it('does not count refused operations, so retries do not prolong the wait', () => {
    const { limit, clock } = setUp();
    drain(limit.take, 'a');
    for (let tries = 0; tries < 100; tries += 1) expect(limit.take('a')).toBe(INTERVAL_MS);
    clock.advance(INTERVAL_MS);
    expect(limit.take('a')).toBe(0);
  });

  it('allows a full burst again after one interval per operation, and no more than a burst after a year', () => {
    const { limit, clock } = setUp();
    for (const pause of [BURST * INTERVAL_MS, 365 * 86_400_000]) {
      drain(limit.take, 'a');
      expect(limit.take('a')).toBeGreaterThan(0);
      clock.advance(pause);
    }
    drain(limit.take, 'a');
    expect(limit.take('a')).toBe(INTERVAL_MS);
  });

  it('admits the burst and then one operation per interval under constant load', () => {
    const { limit, clock } = setUp();
    let admittedCount = 0;
    const steps = 1000;
    for (let step = 0; step < steps; step += 1) {
      if (limit.take('a') === 0) admittedCount += 1;
      clock.advance(100);
    }
    expect(admittedCount).toBe(BURST + Math.floor(((steps - 1) * 100) / INTERVAL_MS));
  });

  it('counts keys separately, including keys named like object members', () => {
    const { limit } = setUp();
    for (const key of ['a', 'b', '__proto__', 'constructor', '']) drain(limit.take, key);
    for (const key of ['a', 'b', '__proto__', 'constructor', '']) expect(limit.take(key)).toBeGreaterThan(0);
  });

  it('does not lock out a key when the clock is set back', () => {
    const { limit, clock } = setUp();
    drain(limit.take, 'a');
    clock.advance(-86_400_000);
    const wait = limit.take('a');
    expect(wait).toBeLessThanOrEqual(INTERVAL_MS);
    clock.advance(INTERVAL_MS);
    expect(limit.take('a')).toBe(0);
  });

  it('keeps the remaining operations when the clock is set back, and grants no more than a burst', () => {
    const { limit, clock } = setUp();
    expect([limit.take('a'), limit.take('a')]).toEqual([0, 0]);
    clock.advance(-5 * 86_400_000);
    for (let tries = 0; tries < BURST - 2; tries += 1) expect(limit.take('a')).toBe(0);
    expect(limit.take('a')).toBe(INTERVAL_MS);
    for (let times = 0; times < 5; times += 1) {
      clock.advance(-1000);
      expect(limit.take('a')).toBe(INTERVAL_MS);
    }
    clock.advance(INTERVAL_MS);
    expect(limit.take('a')).toBe(0);
    expect(limit.take('a')).toBe(INTERVAL_MS);
  });

  it('keeps limiting a key during a flood of fewer keys than the maximum', () => {
    const { limit } = setUp();
    drain(limit.take, 'victim');
    for (let key = 0; key < 9000; key += 1) limit.take(`flood ${key}`);
    expect(limit.take('victim')).toBeGreaterThan(0);
  });

  it('handles a flood of 40,000 keys in less than five seconds', () => {
    const { limit } = setUp();
    const startUsage = process.cpuUsage();
    for (let key = 0; key < 40_000; key += 1) limit.take(`flood ${key}`);
    expect(cpuMs(startUsage)).toBeLessThan(5000);
  });
});
