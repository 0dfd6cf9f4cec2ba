import type { OfferStatus } from '../../wire/offers.ts';

/** Stored state. The states `satisfied` and `oversubscribed` are derived from the claims. */
export type OfferState = 'draft' | 'approved' | 'rejected';

/** Maximum number of shards of an Offer's counters, and thus of claims that do not wait for each other. */
const MAX_SHARDS = 16;

type ClaimCounts = { claimed: number; confirmed: number };
type ClaimBounds = { requiredMinUser: number; requiredMaxUser: number };

/** `oversubscribed` takes precedence over `satisfied`, because it prevents further claims. */
export const statusOf = (state: OfferState, bounds: ClaimBounds, counts: ClaimCounts): OfferStatus => {
  if (state !== 'approved') return state;
  if (counts.claimed >= bounds.requiredMaxUser) return 'oversubscribed';
  return isReleased(bounds, counts) ? 'satisfied' : 'approved';
};

/** Returns true if an approved Offer has enough confirmed claims for the provider to read them. */
export const isReleased = (bounds: Pick<ClaimBounds, 'requiredMinUser'>, counts: ClaimCounts): boolean =>
  counts.confirmed >= bounds.requiredMinUser;

type Claimable = { state: OfferState; starts: number; expires: number; requiredMaxUser: number };

/** Returns why the Offer cannot be claimed; undefined if it can. An Offer that is not approved counts as not found. */
export const findClaimProblem = (
  offer: Claimable,
  claimCount: number,
  now: number,
): { code: 'not_found' | 'wrong_state'; cause: string } | undefined => {
  if (offer.state !== 'approved') return { code: 'not_found', cause: 'This Offer does not exist.' };
  const wrongState = (cause: string) => ({ code: 'wrong_state', cause }) as const;
  if (now < offer.starts) return wrongState(`This Offer can be claimed from ${new Date(offer.starts).toISOString()}.`);
  if (now >= offer.expires) return wrongState(`This Offer expired at ${new Date(offer.expires).toISOString()}.`);
  if (claimCount >= offer.requiredMaxUser)
    return wrongState('This Offer is full. The maximum number of PDAs have claimed it.');
  return undefined;
};

export const findDecisionProblem = (
  offer: { state: OfferState; expires: number; edition: number },
  decision: 'approved' | 'rejected',
  review: { edition: number | undefined; now: number },
): string | undefined => {
  if (review.edition !== undefined && review.edition !== offer.edition)
    return 'The Offer was changed after your review. Review it again.';
  if (decision === 'approved' && offer.expires <= review.now) return 'The Offer has expired, so it cannot be approved.';
  return undefined;
};

/** Returns the quotas of at most 16 shards: `requiredMaxUser` slots, distributed evenly, at least one per shard. */
export const distributeSlots = (requiredMaxUser: number): number[] => {
  const shards = Math.min(MAX_SHARDS, requiredMaxUser);
  const remainder = requiredMaxUser % shards;
  return Array.from(
    { length: shards },
    (_, shard) => Math.floor(requiredMaxUser / shards) + (shard < remainder ? 1 : 0),
  );
};

export const claimLoginOf = (offerId: string): string => `offer-${offerId}`;

const DEBIT_ID_PREFIX = 'offer-';
/** @param suffix 12 random characters, so that the key cannot be guessed */
export const dataDebitIdOf = (offerId: string, suffix: string): string => `${DEBIT_ID_PREFIX}${offerId}-${suffix}`;
/** Returns false for the keys of most other Data Debits, which need no query. */
export const mayBelongToClaim = (key: string): boolean => key.startsWith(DEBIT_ID_PREFIX);
