import { describe, expect, it } from 'vitest';
import type { OwnerOffer } from '../../../shared/api/contract.ts';
import {
  closedBecause,
  collectsText,
  groupOf,
  peopleText,
  offerBadgeStatus,
  offerStatusText,
  whatText,
} from './offer-text.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const DAY = 86_400_000;

const offered = (offer: Partial<OwnerOffer['offer']> = {}, more: Partial<OwnerOffer> = {}): OwnerOffer => ({
  offer: {
    offerId: 'walks',
    created: NOW.getTime() - DAY,
    provider: '01900000-0000-7000-8000-000000000000',
    providerName: 'Acme',
    title: 'Walks',
    description: 'How far?',
    starts: NOW.getTime() - DAY,
    expires: NOW.getTime() + 10 * DAY,
    collectionDuration: 14 * DAY,
    requiredData: { name: 'walks', bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
    requiredMinUser: 1,
    requiredMaxUser: 1000,
    status: 'approved',
    ...offer,
  },
  state: 'unclaimed',
  open: true,
  dataDebitKey: null,
  claimed: null,
  here: { 'fitness/steps': 3 },
  ...more,
});

const plain = (text: string): string => text.replaceAll(/[\u00A0\u202F]/g, ' ');

describe('an Offer without a claim', () => {
  it('is open, with what it would get and what there is of it', () => {
    const one = offered();
    expect(groupOf(one, NOW)).toBe('open');
    expect(plain(whatText(one, 'open'))).toBe(
      'Would get entire records of Steps, for 14 days; you hold 3 records of these',
    );
    expect(offerStatusText(one, undefined, NOW)).toEqual({ text: 'Open', more: 'until 11 June 2026' });
  });

  it.each([
    [{ expires: NOW.getTime() }, /^It was open until/],
    [{ starts: NOW.getTime() + 5 * DAY }, /^It opens on 6 June 2026$/],
    [{ status: 'satisfied' as const }, /as many people as it wants/],
    [{ status: 'rejected' as const }, /cannot take part/],
  ])('is over, or not yet begun, and says why: %o', (offer, why) => {
    expect(closedBecause(offered(offer).offer, NOW)).toMatch(why);
    expect(groupOf(offered(offer), NOW)).toBe('over');
  });
});

it('a claimed Offer stands as its Data Debit does, also when its time to be claimed is over', () => {
  const waiting = offered({ expires: 1 }, { state: 'waiting' });
  expect([groupOf(waiting, NOW), offerBadgeStatus(waiting)]).toEqual(['waiting', 'attention']);
  expect(groupOf(offered({}, { state: 'rejected' }), NOW)).toBe('over');
});

it('a part of a second more is said, since it is asked for', () => {
  expect(plain(collectsText(offered({ collectionDuration: DAY + 1 }).offer))).toBe('1 day 1 second');
});

it('fewest people are said when they keep the organisation from reading', () => {
  expect(plain(peopleText(offered().offer))).toBe('At most 1 000 people.');
  expect(plain(peopleText(offered({ requiredMinUser: 20 }).offer))).toMatch(/^20 to 1 000 people\. Until 20 people/);
});
