import type { OfferStatus } from '../../wire/offers.ts';

/** What was decided about an Offer; whether it is satisfied or full follows from its claims. */
export type OfferState = 'draft' | 'approved' | 'rejected';

/** Parts that the places of an Offer are counted in: as many claims can be written at the same moment. */
const MAX_SHARDS = 16;

export type Counts = { claimed: number; confirmed: number };
export type Bounds = { requiredMinUser: number; requiredMaxUser: number };

/** The status that the world sees. Full comes before satisfied: it is what the next PDA needs to know. */
export const statusOf = (state: OfferState, bounds: Bounds, counts: Counts): OfferStatus => {
  if (state !== 'approved') return state;
  if (counts.claimed >= bounds.requiredMaxUser) return 'oversubscribed';
  return counts.confirmed >= bounds.requiredMinUser ? 'satisfied' : 'approved';
};

/** Whether the claims may be shown to the provider. */
export const isReleased = (bounds: Bounds, counts: Counts): boolean => counts.confirmed >= bounds.requiredMinUser;

export type Claimable = { state: OfferState; starts: number; expires: number; requiredMaxUser: number };

/** Why an Offer cannot be claimed at this moment; undefined when nothing is in the way. `unknown`: it does not exist for whoever may not know it. */
export const claimProblem = (
  offer: Claimable,
  claimed: number,
  now: number,
): { code: 'not_found' | 'wrong_state'; cause: string } | undefined => {
  if (offer.state !== 'approved') return { code: 'not_found', cause: 'There is no Offer with this id.' };
  const refused = (cause: string) => ({ code: 'wrong_state', cause }) as const;
  if (now < offer.starts) return refused(`This Offer can be claimed from ${new Date(offer.starts).toISOString()}.`);
  if (now >= offer.expires) return refused(`This Offer expired at ${new Date(offer.expires).toISOString()}.`);
  if (claimed >= offer.requiredMaxUser) return refused('This Offer is full: as many PDAs as it takes have claimed it.');
  return undefined;
};

/** Why a verdict cannot be given; undefined when it can. The same verdict again is none. */
export const verdictProblem = (
  offer: { state: OfferState; expires: number; edition: number },
  verdict: 'approved' | 'rejected',
  given: { edition: number | undefined; now: number },
): string | undefined => {
  if (given.edition !== undefined && given.edition !== offer.edition)
    return 'The Offer was changed after it was looked at. Look at it again.';
  if (verdict === 'approved' && offer.expires <= given.now) return 'The Offer has expired: nobody could claim it.';
  return undefined;
};

/** Quotas of the parts: at most 16, none empty, as even as can be, together exactly `requiredMaxUser`. */
export const slotQuotas = (requiredMaxUser: number): number[] => {
  const shards = Math.min(MAX_SHARDS, requiredMaxUser);
  const rest = requiredMaxUser % shards;
  return Array.from({ length: shards }, (_, shard) => Math.floor(requiredMaxUser / shards) + (shard < rest ? 1 : 0));
};

/** Name of the account on a PDA by which the provider of an Offer reads. */
export const claimLogin = (offerId: string): string => `offer-${offerId}`;

const DEBIT_ID_START = 'offer-';
/** `random`: 12 characters that nobody can guess. */
export const dataDebitIdOf = (offerId: string, random: string): string => `${DEBIT_ID_START}${offerId}-${random}`;
/** Whether the key of a Data Debit can be that of a claim: most are not, and need no look. */
export const isClaimDebit = (key: string): boolean => key.startsWith(DEBIT_ID_START);
