import { describe, expect, it } from 'vitest';
import type { OwnerOffer } from '../../../shared/api/contract.ts';
import {
  findClosedReason,
  collectionPeriodText,
  groupOf,
  peopleText,
  offerBadgeStatus,
  offerStatusText,
  offerDataText,
} from './offer-text.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const DAY_MS = 86_400_000;

const ownerOffer = (offer: Partial<OwnerOffer['offer']> = {}, changes: Partial<OwnerOffer> = {}): OwnerOffer => ({
  offer: {
    offerId: 'walks',
    created: NOW.getTime() - DAY_MS,
    provider: '01900000-0000-7000-8000-000000000000',
    providerName: 'Acme',
    title: 'Walks',
    description: 'How far?',
    starts: NOW.getTime() - DAY_MS,
    expires: NOW.getTime() + 10 * DAY_MS,
    collectionDuration: 14 * DAY_MS,
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
  recordCounts: { 'fitness/steps': 3 },
  ...changes,
});

const withPlainSpaces = (text: string): string => text.replaceAll(/[\u00A0\u202F]/g, ' ');

describe('unclaimed Offer', () => {
  it('is open and states the requested data and the number of matching records', () => {
    const offer = ownerOffer();
    expect(groupOf(offer, NOW)).toBe('open');
    expect(withPlainSpaces(offerDataText(offer, 'open'))).toBe(
      'Would get entire records of Steps, for 14 days; you have 3 records that match',
    );
    expect(offerStatusText(offer, undefined, NOW)).toEqual({ text: 'Open', detail: 'until 11 June 2026' });
  });

  it('is still open after the minimum number of participants has been reached', () => {
    expect(groupOf(ownerOffer({ status: 'satisfied' }), NOW)).toBe('open');
  });

  it.each([
    [{ expires: NOW.getTime() }, /^It was open until/],
    [{ starts: NOW.getTime() + 5 * DAY_MS }, /^It opens 6 June 2026$/],
    [{ status: 'oversubscribed' as const }, /has reached its maximum number of participants/],
    [{ status: 'rejected' as const }, /cannot take part/],
  ])('is closed, with a reason: %o', (offer, reason) => {
    expect(findClosedReason(ownerOffer(offer).offer, NOW)).toMatch(reason);
    expect(groupOf(ownerOffer(offer), NOW)).toBe('closed');
  });
});

it('groups a claimed Offer by its state, even after the claim period', () => {
  const waitingOffer = ownerOffer({ expires: 1 }, { state: 'waiting' });
  expect([groupOf(waitingOffer, NOW), offerBadgeStatus(waitingOffer)]).toEqual(['waiting', 'attention']);
  expect(groupOf(ownerOffer({}, { state: 'rejected' }), NOW)).toBe('closed');
});

it('rounds the collection period up to whole seconds, as in the request', () => {
  expect(withPlainSpaces(collectionPeriodText(ownerOffer({ collectionDuration: DAY_MS + 1 }).offer))).toBe(
    '1 day 1 second',
  );
});

it('mentions the minimum number of participants if reading depends on it', () => {
  expect(withPlainSpaces(peopleText(ownerOffer().offer))).toBe('At most 1 000 people.');
  expect(withPlainSpaces(peopleText(ownerOffer({ requiredMinUser: 20 }).offer))).toMatch(
    /^20 to 1 000 people\. Until 20 people/,
  );
});
