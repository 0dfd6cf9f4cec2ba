import type { OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { type PlainProperty, bundleText, extentOf, extentText } from '../../../shared/consent/bundle-text.ts';
import { summariseNames, toSentenceCase } from '../../../shared/components/program-names.ts';
import { spanText, untilText } from '../../../shared/consent/timing-text.ts';
import type { BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { mainPermission, debitStatusText } from '../sharing/status-text.ts';

/** Where an Offer stands, and what it says, in words. */

const words = m.offers;
type Offer = OwnerOffer['offer'];

export type OfferGroup = 'waiting' | 'open' | 'sharing' | 'over';
export const OFFER_GROUPS: readonly OfferGroup[] = ['waiting', 'open', 'sharing', 'over'];

export function groupOf({ state, offer }: OwnerOffer, now: Date): OfferGroup {
  if (state === 'waiting' || state === 'sharing') return state;
  return state === 'unclaimed' && closedBecause(offer, now) === undefined ? 'open' : 'over';
}

/** Why the Offer cannot be claimed now; undefined if it can. */
export function closedBecause(offer: Offer, now: Date): string | undefined {
  if (offer.status === 'satisfied' || offer.status === 'oversubscribed') return words.closed.full;
  const on = (ms: number) => untilText(new Date(ms), now);
  if (offer.expires <= now.getTime()) return words.closed.ended(on(offer.expires));
  if (offer.starts > now.getTime()) return words.closed.later(on(offer.starts));
  return offer.status === 'approved' ? undefined : words.closed.text;
}

/** How long it collects: "30 days". A part of a second counts as one, as it does when it is asked for. */
export function collectsText(offer: Offer): string {
  return spanText(Math.ceil(offer.collectionDuration / 1000));
}

export function heldOf({ here }: OwnerOffer): number {
  return Object.values(here).reduce((sum, n) => sum + n, 0);
}

/** "Would get 3 fields of Steps, for 30 days; you hold 1 200 of these" */
export function whatText(one: OwnerOffer, group: OfferGroup): string {
  const what = bundleText(one.offer.requiredData.bundle);
  if (group === 'sharing') return words.gets(what);
  if (group === 'over') return words.got(what);
  return `${words.asksFor(what)}, ${words.for(collectsText(one.offer))}; ${words.held(heldOf(one))}`;
}

export function offerBadgeStatus({ state }: OwnerOffer): BadgeStatus {
  if (state === 'waiting') return 'attention';
  return state === 'sharing' ? 'ok' : 'none';
}

/** What became of it, with the day: that of its Data Debit when there is one. */
export function offerStatusText(
  one: OwnerOffer,
  debit: OwnerDebit | undefined,
  now: Date,
): { text: string; more?: string } {
  const { offer, state } = one;
  switch (state) {
    case 'unclaimed': {
      const closed = closedBecause(offer, now);
      if (closed !== undefined) return { text: words.states.closed, more: closed };
      return { text: words.states.open, more: words.states.openUntil(untilText(new Date(offer.expires), now)) };
    }
    case 'waiting':
      return { text: words.states.waiting };
    case 'sharing':
      return debit === undefined
        ? { text: words.states.sharing }
        : { text: words.states.sharing, more: debitStatusText(debit, now) };
    case 'rejected':
      return { text: words.states.rejected };
    case 'ended':
      return debit === undefined
        ? { text: words.states.stopped }
        : { text: toSentenceCase(debitStatusText(debit, now)) };
  }
}

/** What is shared by it now, which can be less than it asked for. */
export function sharedText(one: OwnerOffer, debit: OwnerDebit | undefined): string {
  return bundleText((debit === undefined ? one.offer.requiredData : mainPermission(debit).bundle).bundle);
}

/** The worst case, said out loud. */
export function worstText(properties: readonly PlainProperty[], span: string): string {
  const extent = extentOf(properties);
  const entire = extent.entirePlaces.length === 0 ? [] : [m.consent.worst.entire(summariseNames(extent.entirePlaces))];
  const fields = extent.fields === 0 ? [] : [extentText({ ...extent, entirePlaces: [] })];
  return words.page.worst(toSentenceCase([...entire, ...fields].join('; ')), span);
}

export function peopleText({ requiredMinUser, requiredMaxUser, providerName }: Offer): string {
  if (requiredMinUser <= 1) return words.page.upTo(requiredMaxUser);
  const all =
    requiredMinUser === requiredMaxUser
      ? words.page.exactly(requiredMaxUser)
      : words.page.from(requiredMinUser, requiredMaxUser);
  return `${all} ${words.page.least(requiredMinUser, providerName)}`;
}

export function matchesOffer({ offer }: OwnerOffer, find: string): boolean {
  const endpoints = Object.values(offer.requiredData.bundle).flatMap((property) =>
    property.endpoints.map(({ endpoint }) => endpoint),
  );
  const text = [offer.title, offer.providerName, offer.description, offer.offerId, ...endpoints]
    .join('\n')
    .toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The host, as people know a service. */
export function hostText(url: string): string {
  return URL.parse(url)?.host ?? url;
}
