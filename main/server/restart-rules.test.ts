import { describe, expect, it } from 'vitest';
import { decideRestart, MAX_RESTART_DELAY_MS, MAX_QUICK_CRASHES, STEADY_UPTIME_MS } from './restart-rules.ts';

const restartDelays = (random: number): number[] => {
  const delays: number[] = [];
  for (let quickCrashes = 0; ;) {
    const decision = decideRestart({ quickCrashes, upMs: 0, random });
    if (decision.kind === 'give-up') return delays;
    delays.push(decision.restartInMs);
    quickCrashes = decision.quickCrashes;
  }
};

describe('decideRestart', () => {
  it('doubles the wait each time and gives up at the fifth quick crash', () => {
    expect(restartDelays(0)).toEqual([500, 1000, 2000, 4000]);
    expect(MAX_QUICK_CRASHES).toBe(5);
  });

  it('shortens each wait by up to half', () => {
    expect(restartDelays(1)).toEqual([250, 500, 1000, 2000]);
  });

  it('never waits longer than half a minute', () => {
    const decision = decideRestart({ quickCrashes: 40, upMs: 0, random: 0 }, 100);
    expect(decision).toMatchObject({ kind: 'restart', restartInMs: MAX_RESTART_DELAY_MS });
  });

  it('resets the count after a minute of uptime', () => {
    const decision = decideRestart({ quickCrashes: 4, upMs: STEADY_UPTIME_MS, random: 0 });
    expect(decision).toEqual({ kind: 'restart', restartInMs: 500, quickCrashes: 1 });
  });

  it('gives up at the first quick crash if the maximum is 1', () => {
    expect(decideRestart({ quickCrashes: 0, upMs: 0, random: 0 }, 1).kind).toBe('give-up');
  });
});
