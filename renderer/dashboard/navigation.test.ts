import { describe, expect, it } from 'vitest';
import { offerPath, requestPath, sharingPath } from './navigation.ts';

describe('the page of a Data Debit', () => {
  it('is not that of anything else, whatever its key', () => {
    expect(requestPath('acme/days')).toBe('/requests/acme/days');
    expect(requestPath('offers/days')).toBe('/requests/~/offers/days');
    expect(requestPath('offers')).toBe('/requests/~/offers');
    expect(requestPath('~/offers')).toBe('/requests/~/~/offers');
    expect(requestPath('offers-walks')).toBe('/requests/offers-walks');
    expect(sharingPath('contracts')).toBe('/sharing/~/contracts');
    expect(sharingPath('offers')).toBe('/sharing/offers');
    expect(offerPath('days')).toBe('/requests/offers/days');
  });
});
