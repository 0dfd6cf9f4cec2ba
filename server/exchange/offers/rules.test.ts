import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimProblem, isReleased, slotQuotas, statusOf, verdictProblem, type OfferState } from './rules.ts';

const state = fc.constantFrom<OfferState>('draft', 'approved', 'rejected');
const time = fc.integer({ min: 0, max: 253_402_300_799_999 });
const counts = fc
  .nat(1_000_000_000)
  .chain((claimed) => fc.record({ claimed: fc.constant(claimed), confirmed: fc.nat(claimed) }));
const bounds = fc
  .integer({ min: 1, max: 1_000_000_000 })
  .chain((most) => fc.record({ requiredMinUser: fc.nat(most), requiredMaxUser: fc.constant(most) }));

describe('places of an Offer', () => {
  it('add up to requiredMaxUser in at most 16 parts, none of them empty, none much larger than another', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1_000_000_000 })), (most) => {
        const quotas = slotQuotas(most);
        expect(quotas.reduce((sum, quota) => sum + quota, 0)).toBe(most);
        expect(quotas.length).toBe(Math.min(16, most));
        expect(Math.max(...quotas) - Math.min(...quotas)).toBeLessThanOrEqual(1);
        expect(Math.min(...quotas)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('status', () => {
  it('is what was decided until it is approved, whatever the counts', () => {
    fc.assert(
      fc.property(fc.constantFrom<OfferState>('draft', 'rejected'), bounds, counts, (decided, limits, sums) => {
        expect(statusOf(decided, limits, sums)).toBe(decided);
      }),
    );
  });
  it('of an approved one says first that it is full, then that enough confirmed', () => {
    fc.assert(
      fc.property(bounds, counts, (limits, sums) => {
        const full = sums.claimed >= limits.requiredMaxUser;
        const released = isReleased(limits, sums);
        expect(statusOf('approved', limits, sums)).toBe(full ? 'oversubscribed' : released ? 'satisfied' : 'approved');
      }),
    );
  });
  it('is satisfied by exactly requiredMinUser, and full by exactly requiredMaxUser', () => {
    const limits = { requiredMinUser: 2, requiredMaxUser: 5 };
    expect(statusOf('approved', limits, { claimed: 4, confirmed: 1 })).toBe('approved');
    expect(statusOf('approved', limits, { claimed: 4, confirmed: 2 })).toBe('satisfied');
    expect(statusOf('approved', limits, { claimed: 5, confirmed: 2 })).toBe('oversubscribed');
  });
});

describe('claiming', () => {
  it('is possible when approved, from the start to before the end, and below the most: then and never else', () => {
    const around = fc.record({ at: time, before: fc.nat(3), after: fc.nat(3), room: fc.integer({ min: -1, max: 2 }) });
    fc.assert(
      fc.property(state, around, (decided, { at, before, after, room }) => {
        const offer = { state: decided, starts: at + 1 - before, expires: at + after, requiredMaxUser: 5 };
        const problem = claimProblem(offer, 5 - room, at);
        const open = decided === 'approved' && before >= 1 && after >= 1 && room > 0;
        expect(problem === undefined).toBe(open);
        expect(problem?.code).toBe(open ? undefined : decided === 'approved' ? 'wrong_state' : 'not_found');
      }),
    );
  });
});

describe('a verdict', () => {
  const offer = { state: 'draft' as const, expires: 1000, edition: 3 };
  it('is about the wording that was seen', () => {
    expect(verdictProblem(offer, 'approved', { edition: 2, now: 0 })).toMatch(/changed/u);
    expect(verdictProblem(offer, 'rejected', { edition: 2, now: 0 })).toMatch(/changed/u);
    expect(verdictProblem(offer, 'approved', { edition: 3, now: 0 })).toBeUndefined();
    expect(verdictProblem(offer, 'approved', { edition: undefined, now: 0 })).toBeUndefined();
  });
  it('approves nothing that is over', () => {
    expect(verdictProblem(offer, 'approved', { edition: 3, now: 999 })).toBeUndefined();
    expect(verdictProblem(offer, 'approved', { edition: 3, now: 1000 })).toMatch(/expired/u);
    expect(verdictProblem(offer, 'rejected', { edition: 3, now: 1000 })).toBeUndefined();
  });
});
