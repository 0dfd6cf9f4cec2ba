import { describe, expect, it } from 'vitest';
import { offerPath, requestPath, sharingPath } from './navigation.ts';

describe('paths of Data Debits', () => {
  it('never collide with another page', () => {
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
