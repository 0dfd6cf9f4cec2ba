import { describe, expect, it } from 'vitest';
import type { Application } from './applications.ts';
import { requestedTermsOf } from './requested-terms.ts';

type Permissions = Application['permissions'];
const bundle = { name: 'steps', bundle: {} };
const termsOf = (request: Partial<NonNullable<Permissions['dataRequired']>>, permissions: Partial<Permissions> = {}) =>
  requestedTermsOf({ permissions: { rolesGranted: [], dataRequired: { bundle, ...request }, ...permissions } });

describe('the requested terms', () => {
  it('are those of the legacy format, and none in the current format', () => {
    const request = { conditions: bundle, startDate: 5, endDate: '2026-04-01T12:00:00Z' };
    const end = Date.UTC(2026, 3, 1, 12);
    expect(termsOf(request)).toStrictEqual({ conditions: bundle, start: 5, end, cancelAtPeriodEnd: true });
    const none = { conditions: null, start: undefined, end: undefined, cancelAtPeriodEnd: false };
    expect(termsOf(request, { dataRetrieved: bundle })).toStrictEqual(none);
    expect(termsOf({}, { dataRequired: null })).toStrictEqual(none);
  });

  it.each([
    [{}, false],
    [{ endDate: '2026-04-01' }, true],
    [{ endDate: '2026-04-01', rolling: true }, false],
    [{ rolling: false }, true],
    [{ endDate: 'soon' }, false],
  ])('of %j end with a period: %s', (request, cancelAtPeriodEnd) => {
    expect(termsOf(request).cancelAtPeriodEnd).toBe(cancelAtPeriodEnd);
  });

  it('contain times in UTC if they have no offset, and only times that a date can have', () => {
    expect(termsOf({ endDate: '2026-04-01T12:00' }).end).toBe(Date.UTC(2026, 3, 1, 12));
    expect(termsOf({ endDate: -1 }).end).toBeUndefined();
    expect(new Date(termsOf({ endDate: Number.MAX_SAFE_INTEGER }).end ?? 0).getUTCFullYear()).toBe(275_760);
  });
});
