import { backoff } from '../../../platform/async/backoff.ts';
import type { DebitProposal, DebitState } from '../../../wire/debits.ts';
import { toDisplayLine, toDisplayParagraph } from '../../../wire/display-text.ts';
import type { Offer } from '../../../wire/offers.ts';
import { MAX_PERIOD_SECONDS } from '../../../wire/limits.ts';
import type { Network, OwnerOffer } from '../../../wire/network.ts';
import type { NamedBundle } from '../../../wire/query.ts';
import type { Exchange } from './service.ts';

/** Pure decisions about the exchange: addresses, where things stand, when to try again, and what an Offer asks for. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** One spelling of a service's address: without query, fragment and end slash. */
export const exchangeAt = (url: string): Exchange => {
  const { origin, pathname, host } = new URL(url);
  return { url: `${origin}${pathname.replace(/\/+$/u, '')}`, host };
};

/** Milliseconds until the next try after so many that failed. `random` is from 0 to 1. */
export const retryAfter = (attempts: number, random: number): number =>
  backoff(attempts, { firstMs: MINUTE, longestMs: 6 * HOUR, random });

/** Milliseconds until a list is read again, give or take a quarter. */
export const nextRead = (every: number, random: number): number => Math.round(every * (0.75 + random / 2));

export type Standing = {
  takesPart: boolean;
  address: string | undefined;
  /** Of the address that this PDA has now. */
  here: { since: number | null; problem: string | null } | undefined;
  /** Whether the exchange may know this PDA, by whatever address. */
  known: boolean;
};

type State = NonNullable<Network['exchange']>['state'];

export const stateOf = ({ takesPart, address, here, known }: Standing): State => {
  if (!takesPart) return known ? 'leaving' : 'none';
  if (address === undefined) return 'failed';
  if (here === undefined) return 'registering';
  if (here.since !== null) return 'registered';
  return here.problem === null ? 'registering' : 'failed';
};

export const claimState = (debit: DebitState | undefined): OwnerOffer['state'] => {
  switch (debit) {
    case undefined:
    case 'pending':
      return 'waiting';
    case 'enabled':
      return 'sharing';
    case 'rejected':
      return 'rejected';
    case 'disabled':
    case 'ended':
    case 'removed':
      return 'ended';
  }
};

/** Whether the provider's account is over: what was only stopped can begin again. */
export const isOver = (debit: DebitState | undefined): boolean =>
  debit === undefined || debit === 'rejected' || debit === 'ended' || debit === 'removed';

/** One that has the claims it needs (`satisfied`) takes more, until it is full. */
export const isOpen = (offer: Offer, now: number): boolean =>
  (offer.status === 'approved' || offer.status === 'satisfied') && offer.starts <= now && now < offer.expires;

export const loginOf = (offerId: string): string => `offer-${offerId}`;

/** Random characters at the end of a claim's key: base64url, as the exchange makes them. */
const KEY_END = /^[\w-]{12}$/u;

/**
 * Whether a key belongs to a claim of this Offer: the key of another Offer or of another kind may name a Data Debit to which others have
 * rights. Offer ids and random ends may both hold hyphens, so the length of the end tells them apart.
 */
export const isKeyOf = (offerId: string, key: string): boolean => {
  const start = `${loginOf(offerId)}-`;
  return key.startsWith(start) && KEY_END.test(key.slice(start.length));
};

/** Endpoints that an Offer asks for. */
export const endpointsOf = (offer: Offer): string[] => [
  ...new Set(Object.values(offer.requiredData.bundle).flatMap(({ endpoints }) => endpoints.map((one) => one.endpoint))),
];

/** The name itself where it is free, else one that is the claim's own. Names of bundles belong to whoever took them first. */
const freeName = (bundle: NamedBundle, own: readonly string[], isFree: (name: string) => boolean): NamedBundle => {
  const name = [bundle.name, ...own].find(
    (candidate) => isFree(candidate) && candidate.split('/').at(-1) !== 'structure',
  );
  return { ...bundle, name: name ?? own.at(-1) ?? bundle.name };
};

/** Offers come from the exchange: its list is not checked for control characters as a proposal is. */
const cut = (text: string, max: number): string => toDisplayParagraph(text).trim().slice(0, max).toWellFormed();

/** What a claimed Offer asks the owner for. */
export const proposalOf = (
  { offer, key, exchange }: { offer: Offer; key: string; exchange: string },
  now: number,
  isFree: (name: string) => boolean,
): DebitProposal => {
  const name = cut(toDisplayLine(offer.providerName), 100) || offer.offerId;
  const bundle = freeName(offer.requiredData, [loginOf(offer.offerId), key], isFree);
  const asked = offer.dataConditions;
  const conditions =
    asked === undefined
      ? null
      : freeName(
          asked,
          [`${loginOf(offer.offerId)}-conditions`, `${key}-conditions`],
          (name) => name !== bundle.name && isFree(name),
        );
  return {
    dataDebitKey: key,
    bundle,
    conditions,
    start: now,
    period: Math.min(MAX_PERIOD_SECONDS, Math.max(1, Math.ceil(offer.collectionDuration / 1000))),
    // "collectionDuration: from the moment a PDA claims the Offer": it is not a subscription.
    cancelAtPeriodEnd: true,
    purpose: cut(offer.description, 5000) || cut(offer.title, 5000) || offer.offerId,
    termsUrl: offer.termsUrl ?? exchange,
    // Without a site of its own the exchange's stands there: then the name has to say that the two are not one.
    requestClientName: offer.url === undefined ? `${name}, through ${new URL(exchange).host}` : name,
    requestClientUrl: offer.url ?? exchange,
    requestClientLogoUrl: offer.logoUrl ?? exchange,
    requestDescription: cut(offer.title, 5000),
  };
};
