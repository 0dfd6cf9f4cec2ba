import { describe, expect, it } from 'vitest';
import { guestPreviewPath, linkPreviewPath, offerPath, requestPath, sharingPath } from './navigation.ts';

describe('Data Debit paths', () => {
  it('never collide with other pages', () => {
    expect(requestPath('acme/days')).toBe('/requests/acme/days');
    expect(requestPath('offers/days')).toBe('/requests/~/offers/days');
    expect(requestPath('offers')).toBe('/requests/~/offers');
    expect(requestPath('~/offers')).toBe('/requests/~/~/offers');
    expect(requestPath('offers-walks')).toBe('/requests/offers-walks');
    expect(sharingPath('contracts')).toBe('/sharing/~/contracts');
    expect(sharingPath('guests/days')).toBe('/sharing/~/guests/days');
    expect(sharingPath('links/l')).toBe('/sharing/~/links/l');
    expect(sharingPath('offers')).toBe('/sharing/offers');
    expect(offerPath('days')).toBe('/requests/offers/days');
  });
});

describe('guestPreviewPath', () => {
  it('encodes the page and its query', () => {
    expect(guestPreviewPath('g')).toBe('/sharing/guests/g');
    expect(guestPreviewPath('g', '/guest/folders/f?path=a%2Fb&page=2')).toBe(
      '/sharing/guests/g?path=%2Fguest%2Ffolders%2Ff%3Fpath%3Da%252Fb%26page%3D2',
    );
  });
});

describe('linkPreviewPath', () => {
  it('contains the cursor of the page', () => {
    expect(linkPreviewPath('l')).toBe('/sharing/links/l');
    expect(linkPreviewPath('l', 'trip/a&b.txt')).toBe('/sharing/links/l?after=trip%2Fa%26b.txt');
  });
});
