import { backoffMsOf, isTimeDue } from '../../../platform/async/backoff.ts';
import type { DebitProposal, DebitState } from '../../../wire/debits.ts';
import { toDisplayLine, toDisplayParagraph } from '../../../wire/display-text.ts';
import type { Offer } from '../../../wire/offers.ts';
import { MAX_PERIOD_SECONDS } from '../../../wire/limits.ts';
import type { Network, OwnerOffer } from '../../../wire/network.ts';
import type { NamedBundle } from '../../../wire/query.ts';
import type { Exchange } from './service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LONGEST_RETRY_DELAY_MS = 6 * HOUR_MS;
const MAX_TEXT_CHARS = 5000;
const MAX_PROVIDER_NAME_CHARS = 100;

/** Removes credentials, query, fragment and trailing slashes from the URL of a service. */
export const normalizeServiceUrl = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/u, '')}`;
};

export const toExchange = (url: string): Exchange => ({ url: normalizeServiceUrl(url), host: new URL(url).host });

/** @param attempts failed attempts @param random from 0 to 1 */
export const retryDelayMs = (attempts: number, random: number): number =>
  backoffMsOf(attempts, { firstMs: MINUTE_MS, longestMs: LONGEST_RETRY_DELAY_MS, random });

export const isRequestDue = (dueAt: number, now: number, longestDelayMs = LONGEST_RETRY_DELAY_MS): boolean =>
  isTimeDue(dueAt, now, longestDelayMs);

/** Returns the interval with a jitter of up to a quarter in either direction. @param random from 0 to 1 */
export const readDelayMs = (intervalMs: number, random: number): number => Math.round(intervalMs * (0.75 + random / 2));

export type RegistrationFacts = {
  participatesInExchange: boolean;
  address: string | undefined;
  current: { since: number | null; problem: string | null } | undefined;
  /** True if the exchange may know this PDA, at its current address or another one. */
  isKnown: boolean;
};

type State = NonNullable<Network['exchange']>['state'];

export const registrationStateOf = ({
  participatesInExchange,
  address,
  current,
  isKnown,
}: RegistrationFacts): State => {
  if (!participatesInExchange) return isKnown ? 'leaving' : 'none';
  if (address === undefined) return 'failed';
  if (current === undefined) return 'registering';
  if (current.since !== null) return 'registered';
  return current.problem === null ? 'registering' : 'failed';
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

/** Returns true if a claim's Data Debit is rejected, ended, removed or missing. A disabled one can be enabled again. */
export const hasClaimEnded = (debit: DebitState | undefined): boolean =>
  debit === undefined || debit === 'rejected' || debit === 'ended' || debit === 'removed';

/** Returns true if the Offer can be claimed. A satisfied Offer accepts claims until it is full. */
export const isClaimable = (offer: Offer, now: number): boolean =>
  (offer.status === 'approved' || offer.status === 'satisfied') && offer.starts <= now && now < offer.expires;

export const loginOf = (offerId: string): string => `offer-${offerId}`;

/** Random suffix of a claim's key. It is recognised by its length, because Offer ids can contain hyphens, too. */
const KEY_SUFFIX = /^[\w-]{12}$/u;

/** Returns true if a key belongs to a claim of this Offer; any other key could name an unrelated Data Debit. */
export const isKeyOf = (offerId: string, key: string): boolean => {
  const prefix = `${loginOf(offerId)}-`;
  return key.startsWith(prefix) && KEY_SUFFIX.test(key.slice(prefix.length));
};

export const endpointsOfOffer = (offer: Offer): string[] => [
  ...new Set(
    Object.values(offer.requiredData.bundle).flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint)),
  ),
];

/**
 * Gives a bundle the first free name among its own name and the alternatives, because a bundle name belongs to one Data
 * Debit. If none is free, the bundle gets the last alternative. The last segment `structure` is reserved for a route.
 */
const assignFreeName = (
  bundle: NamedBundle,
  alternatives: readonly string[],
  isFree: (name: string) => boolean,
): NamedBundle => {
  const name = [bundle.name, ...alternatives].find(
    (candidate) => isFree(candidate) && candidate.split('/').at(-1) !== 'structure',
  );
  return { ...bundle, name: name ?? alternatives.at(-1) ?? bundle.name };
};

/**
 * Replaces control characters with spaces, because the exchange's lists, unlike proposals, are not checked for them.
 * Truncates the text.
 */
const sanitiseText = (text: string, max: number): string =>
  toDisplayParagraph(text).trim().slice(0, max).toWellFormed();

export const createClaimProposal = (
  { offer, key, exchange }: { offer: Offer; key: string; exchange: string },
  now: number,
  isFree: (name: string) => boolean,
): DebitProposal => {
  const name = sanitiseText(toDisplayLine(offer.providerName), MAX_PROVIDER_NAME_CHARS) || offer.offerId;
  const bundle = assignFreeName(offer.requiredData, [loginOf(offer.offerId), key], isFree);
  const requestedConditions = offer.dataConditions;
  const conditions =
    requestedConditions === undefined
      ? null
      : assignFreeName(
          requestedConditions,
          [`${loginOf(offer.offerId)}-conditions`, `${key}-conditions`],
          (name) => name !== bundle.name && isFree(name),
        );
  return {
    dataDebitKey: key,
    bundle,
    conditions,
    start: now,
    period: Math.min(MAX_PERIOD_SECONDS, Math.max(1, Math.ceil(offer.collectionDuration / 1000))),
    // The duration of an Offer begins when a PDA claims the Offer and is not extended.
    cancelAtPeriodEnd: true,
    purpose:
      sanitiseText(offer.description, MAX_TEXT_CHARS) || sanitiseText(offer.title, MAX_TEXT_CHARS) || offer.offerId,
    termsUrl: offer.termsUrl ?? exchange,
    // Without a URL of the provider, the name also states the exchange, whose URL is shown.
    requestClientName: offer.url === undefined ? `${name}, through ${new URL(exchange).host}` : name,
    requestClientUrl: offer.url ?? exchange,
    requestClientLogoUrl: offer.logoUrl ?? exchange,
    requestDescription: sanitiseText(offer.title, MAX_TEXT_CHARS),
  };
};
