import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  distributeSlots,
  findClaimProblem,
  findDecisionProblem,
  isReleased,
  statusOf,
  type OfferState,
} from './rules.ts';

const state = fc.constantFrom<OfferState>('draft', 'approved', 'rejected');
const time = fc.integer({ min: 0, max: 253_402_300_799_999 });
const counts = fc
  .nat(1_000_000_000)
  .chain((claimed) => fc.record({ claimed: fc.constant(claimed), confirmed: fc.nat(claimed) }));
const bounds = fc
  .integer({ min: 1, max: 1_000_000_000 })
  .chain((max) => fc.record({ requiredMinUser: fc.nat(max), requiredMaxUser: fc.constant(max) }));

describe('distributeSlots', () => {
  it('distributes requiredMaxUser evenly over at most 16 shards, each with at least one slot', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1_000_000_000 })), (max) => {
        const quotas = distributeSlots(max);
        expect(quotas.reduce((sum, quota) => sum + quota, 0)).toBe(max);
        expect(quotas.length).toBe(Math.min(16, max));
        expect(Math.max(...quotas) - Math.min(...quotas)).toBeLessThanOrEqual(1);
        expect(Math.min(...quotas)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('statusOf', () => {
  it('is the stored state unless the Offer is approved, for any counts', () => {
    fc.assert(
      fc.property(fc.constantFrom<OfferState>('draft', 'rejected'), bounds, counts, (storedState, limits, sums) => {
        expect(statusOf(storedState, limits, sums)).toBe(storedState);
      }),
    );
  });
  it('is oversubscribed for an approved Offer that is full, otherwise satisfied if its claims are released', () => {
    fc.assert(
      fc.property(bounds, counts, (limits, sums) => {
        const isFull = sums.claimed >= limits.requiredMaxUser;
        const hasReleasedClaims = isReleased(limits, sums);
        expect(statusOf('approved', limits, sums)).toBe(
          isFull ? 'oversubscribed' : hasReleasedClaims ? 'satisfied' : 'approved',
        );
      }),
    );
  });
  it('is satisfied at exactly requiredMinUser and oversubscribed at exactly requiredMaxUser', () => {
    const limits = { requiredMinUser: 2, requiredMaxUser: 5 };
    expect(statusOf('approved', limits, { claimed: 4, confirmed: 1 })).toBe('approved');
    expect(statusOf('approved', limits, { claimed: 4, confirmed: 2 })).toBe('satisfied');
    expect(statusOf('approved', limits, { claimed: 5, confirmed: 2 })).toBe('oversubscribed');
  });
});

describe('findClaimProblem', () => {
  it('allows claims only of approved Offers with free slots, from the start until just before the expiry', () => {
    const situation = fc.record({
      now: time,
      sinceStart: fc.integer({ min: -1, max: 2 }),
      untilExpiry: fc.nat(3),
      freeSlots: fc.integer({ min: -1, max: 2 }),
    });
    fc.assert(
      fc.property(state, situation, (storedState, { now, sinceStart, untilExpiry, freeSlots }) => {
        const starts = now - sinceStart;
        const offer = { state: storedState, starts, expires: now + untilExpiry, requiredMaxUser: 5 };
        const problem = findClaimProblem(offer, 5 - freeSlots, now);
        const isOpen = storedState === 'approved' && sinceStart >= 0 && untilExpiry >= 1 && freeSlots > 0;
        expect(problem === undefined).toBe(isOpen);
        expect(problem?.code).toBe(isOpen ? undefined : storedState === 'approved' ? 'wrong_state' : 'not_found');
      }),
    );
  });
});

describe('findDecisionProblem', () => {
  const offer = { state: 'draft' as const, expires: 1000, edition: 3 };
  it('refuses a decision on an earlier edition', () => {
    expect(findDecisionProblem(offer, 'approved', { edition: 2, now: 0 })).toMatch(/changed/u);
    expect(findDecisionProblem(offer, 'rejected', { edition: 2, now: 0 })).toMatch(/changed/u);
    expect(findDecisionProblem(offer, 'approved', { edition: 3, now: 0 })).toBeUndefined();
    expect(findDecisionProblem(offer, 'approved', { edition: undefined, now: 0 })).toBeUndefined();
  });
  it('refuses the approval of an expired Offer', () => {
    expect(findDecisionProblem(offer, 'approved', { edition: 3, now: 999 })).toBeUndefined();
    expect(findDecisionProblem(offer, 'approved', { edition: 3, now: 1000 })).toMatch(/expired/u);
    expect(findDecisionProblem(offer, 'rejected', { edition: 3, now: 1000 })).toBeUndefined();
  });
});
