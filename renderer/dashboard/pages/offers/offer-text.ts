import type { OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import { type DataNames, DERIVED_NAMES, toSentenceCase } from '../../../shared/components/display-names.ts';
import { nearTimeText, spanText } from '../../../shared/consent/timing-text.ts';
import type { BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { mainPermission, debitStatusText } from '../sharing/status-text.ts';

const texts = m.offers;
type Offer = OwnerOffer['offer'];

export type OfferGroup = 'waiting' | 'open' | 'sharing' | 'closed';
export const OFFER_GROUPS: readonly OfferGroup[] = ['waiting', 'open', 'sharing', 'closed'];

export function groupOf({ state, offer }: OwnerOffer, now: Date): OfferGroup {
  if (state === 'waiting' || state === 'sharing') return state;
  return state === 'unclaimed' && findClosedReason(offer, now) === undefined ? 'open' : 'closed';
}

/** Returns why an Offer cannot be claimed; undefined for an approved or satisfied Offer within its claim period. */
export function findClosedReason(offer: Offer, now: Date): string | undefined {
  if (offer.status === 'oversubscribed') return texts.closed.full;
  const formatTime = (ms: number) => nearTimeText(new Date(ms), now);
  if (offer.expires <= now.getTime()) return texts.closed.ended(formatTime(offer.expires));
  if (offer.starts > now.getTime()) return texts.closed.later(formatTime(offer.starts));
  return offer.status === 'approved' || offer.status === 'satisfied' ? undefined : texts.closed.cannotTakePart;
}

/** Returns text such as "30 days". Rounds up to whole seconds, as in the request. */
export function collectionPeriodText(offer: Offer): string {
  return spanText(Math.ceil(offer.collectionDuration / 1000));
}

function countMatchingRecords({ recordCounts }: OwnerOffer): number {
  return Object.values(recordCounts).reduce((sum, n) => sum + n, 0);
}

/** Returns text such as "Would get 3 fields of Steps, for 30 days; you have 20 records that match". */
export function offerDataText(item: OwnerOffer, group: OfferGroup, names: DataNames = DERIVED_NAMES): string {
  const dataText = bundleText(item.offer.requiredData.bundle, names);
  if (group === 'sharing') return texts.gets(dataText);
  if (group === 'closed') return texts.askedFor(dataText);
  return `${texts.asksFor(dataText)}, ${texts.for(collectionPeriodText(item.offer))}; ${texts.matchingCount(countMatchingRecords(item))}`;
}

export function offerBadgeStatus({ state }: OwnerOffer): BadgeStatus {
  if (state === 'waiting') return 'attention';
  return state === 'sharing' ? 'ok' : 'none';
}

/** Describes the state of an Offer and, if it shares data or has ended, of its Data Debit. */
export function offerStatusText(
  item: OwnerOffer,
  debit: OwnerDebit | undefined,
  now: Date,
): { text: string; detail?: string } {
  const { offer, state } = item;
  switch (state) {
    case 'unclaimed': {
      const closedReason = findClosedReason(offer, now);
      if (closedReason !== undefined) return { text: texts.states.closed, detail: closedReason };
      return { text: texts.states.open, detail: m.consent.time.until(nearTimeText(new Date(offer.expires), now)) };
    }
    case 'waiting':
      return { text: texts.states.waiting };
    case 'sharing':
      return debit === undefined
        ? { text: texts.states.sharing }
        : { text: texts.states.sharing, detail: debitStatusText(debit, now) };
    case 'rejected':
      return { text: texts.states.rejected };
    case 'ended':
      return debit === undefined
        ? { text: texts.states.stopped }
        : { text: toSentenceCase(debitStatusText(debit, now)) };
  }
}

export function sharedDataText(item: OwnerOffer, debit: OwnerDebit | undefined, names: DataNames): string {
  return bundleText((debit === undefined ? item.offer.requiredData : mainPermission(debit).bundle).bundle, names);
}

export function peopleText({ requiredMinUser, requiredMaxUser, providerName }: Offer): string {
  if (requiredMinUser <= 1) return texts.page.upTo(requiredMaxUser);
  const range =
    requiredMinUser === requiredMaxUser
      ? texts.page.exactly(requiredMaxUser)
      : texts.page.from(requiredMinUser, requiredMaxUser);
  return `${range} ${texts.page.minimumText(requiredMinUser, providerName)}`;
}

export function matchesOffer({ offer }: OwnerOffer, searchText: string): boolean {
  const endpoints = Object.values(offer.requiredData.bundle).flatMap((property) =>
    property.endpoints.map(({ endpoint }) => endpoint),
  );
  const text = [offer.title, offer.providerName, offer.description, offer.offerId, ...endpoints]
    .join('\n')
    .toLowerCase();
  return searchText
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function hostText(url: string): string {
  return URL.parse(url)?.host ?? url;
}
