import { backoff } from '../../../platform/async/backoff.ts';
import type { DebitProposal, DebitState } from '../../../wire/debits.ts';
import { toDisplayLine, toDisplayParagraph } from '../../../wire/display-text.ts';
import type { Offer } from '../../../wire/offers.ts';
import { MAX_PERIOD_SECONDS } from '../../../wire/limits.ts';
import type { Network, OwnerOffer } from '../../../wire/network.ts';
import type { NamedBundle } from '../../../wire/query.ts';
import type { Exchange } from './service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longest texts in the proposal of an Offer. */
const MAX_TEXT_CHARS = 5000;
const MAX_PROVIDER_NAME_CHARS = 100;

/** Normalizes the address of a service: without query, fragment and trailing slash. */
export const toExchange = (url: string): Exchange => {
  const { origin, pathname, host } = new URL(url);
  return { url: `${origin}${pathname.replace(/\/+$/u, '')}`, host };
};

/** Returns the milliseconds until the next attempt. @param attempts failed attempts @param random from 0 to 1 */
export const retryDelay = (attempts: number, random: number): number =>
  backoff(attempts, { firstMs: MINUTE_MS, longestMs: 6 * HOUR_MS, random });

/** Returns the milliseconds until the next regular read, with a jitter of a quarter. @param random from 0 to 1 */
export const readDelay = (intervalMs: number, random: number): number => Math.round(intervalMs * (0.75 + random / 2));

/** Facts that determine the state of the registration. */
export type RegistrationFacts = {
  takesPart: boolean;
  address: string | undefined;
  /** Registration of the current address. */
  current: { since: number | null; problem: string | null } | undefined;
  /** True if the exchange may know this PDA, under any address. */
  isKnown: boolean;
};

type State = NonNullable<Network['exchange']>['state'];

/** Returns the state of the registration for the owner. */
export const registrationStateOf = ({ takesPart, address, current, isKnown }: RegistrationFacts): State => {
  if (!takesPart) return isKnown ? 'leaving' : 'none';
  if (address === undefined) return 'failed';
  if (current === undefined) return 'registering';
  if (current.since !== null) return 'registered';
  return current.problem === null ? 'registering' : 'failed';
};

/** Returns the state of a claim, which follows from the state of its Data Debit. */
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

/**
 * Returns true if the provider's account has ended. The account of a disabled Data Debit has not ended, because the
 * Data Debit can be enabled again.
 */
export const hasEnded = (debit: DebitState | undefined): boolean =>
  debit === undefined || debit === 'rejected' || debit === 'ended' || debit === 'removed';

/** Returns true if an Offer can be claimed. A satisfied Offer accepts claims until it is full. */
export const isOpen = (offer: Offer, now: number): boolean =>
  (offer.status === 'approved' || offer.status === 'satisfied') && offer.starts <= now && now < offer.expires;

/** Returns the login name of the account of a claim. */
export const loginOf = (offerId: string): string => `offer-${offerId}`;

/** Random suffix of a claim's key, in base64url. */
const KEY_SUFFIX = /^[\w-]{12}$/u;

/**
 * Returns true if a key belongs to a claim of this Offer. Any other key could name an unrelated Data Debit. Offer ids
 * and random suffixes can both contain hyphens, so the length of the suffix distinguishes them.
 */
export const isKeyOf = (offerId: string, key: string): boolean => {
  const prefix = `${loginOf(offerId)}-`;
  return key.startsWith(prefix) && KEY_SUFFIX.test(key.slice(prefix.length));
};

/** Lists the endpoints that an Offer requests. */
export const endpointsOf = (offer: Offer): string[] => [
  ...new Set(
    Object.values(offer.requiredData.bundle).flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint)),
  ),
];

/** Returns the bundle under the first free name: its own or an alternative. A bundle name belongs to one Data Debit. */
const withFreeName = (
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
 * Removes control characters and shortens the text. Unlike proposals, the list of the exchange is not checked for
 * control characters.
 */
const sanitizeText = (text: string, max: number): string =>
  toDisplayParagraph(text).trim().slice(0, max).toWellFormed();

/** Creates the Data Debit proposal of a claimed Offer. */
export const proposalOf = (
  { offer, key, exchange }: { offer: Offer; key: string; exchange: string },
  now: number,
  isFree: (name: string) => boolean,
): DebitProposal => {
  const name = sanitizeText(toDisplayLine(offer.providerName), MAX_PROVIDER_NAME_CHARS) || offer.offerId;
  const bundle = withFreeName(offer.requiredData, [loginOf(offer.offerId), key], isFree);
  const requestedConditions = offer.dataConditions;
  const conditions =
    requestedConditions === undefined
      ? null
      : withFreeName(
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
    // "collectionDuration: from the moment a PDA claims the Offer", so it does not renew.
    cancelAtPeriodEnd: true,
    purpose:
      sanitizeText(offer.description, MAX_TEXT_CHARS) || sanitizeText(offer.title, MAX_TEXT_CHARS) || offer.offerId,
    termsUrl: offer.termsUrl ?? exchange,
    // Without a URL of the provider, the URL of the exchange is shown, and the name states both.
    requestClientName: offer.url === undefined ? `${name}, through ${new URL(exchange).host}` : name,
    requestClientUrl: offer.url ?? exchange,
    requestClientLogoUrl: offer.logoUrl ?? exchange,
    requestDescription: sanitizeText(offer.title, MAX_TEXT_CHARS),
  };
};
