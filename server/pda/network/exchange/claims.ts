import { isoTimeOrNull, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { endsWithin } from '../../../platform/async/deadline.ts';
import type { DebitProposal } from '../../../wire/debits.ts';
import { claimDetailsSchema, type ClaimDetails, type Offer } from '../../../wire/offers.ts';
import type { OwnerOffer } from '../../../wire/network.ts';
import type { NamedBundle } from '../../../wire/query.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { jsonOf, problemOf, type ExchangeClient } from './connection/client.ts';
import type { ExchangeList } from './connection/cached-list.ts';
import type { Registration } from './connection/registration.ts';
import {
  claimState,
  endpointsOfOffer,
  hasClaimEnded,
  isKeyOf,
  isClaimable,
  loginOf,
  createClaimProposal,
} from './rules.ts';
import type { Exchange, OfferService } from './service.ts';
import type { ExchangeSettings } from './connection/settings.ts';
import type { ClaimRow, ExchangeStore } from './store.ts';

const WAITING_CLAIMS_MAX = 100;
/** Bounds the work for one list of the exchange. */
const ADDED_CLAIMS_MAX = 1000;
const LIST_MAX_AGE_MS = 60_000;
const LIST_WAIT_MS = 3000;

export type Claims = OfferService & {
  /**
   * Claims an Offer and proposes its Data Debit to the owner, unless this has already been done.
   * @throws Failure not_found | wrong_state | unavailable | already_exists | too_large | rate_limited | out_of_disk
   */
  ensureProposed(offerId: string): Promise<void>;
  /** Proposes the claims that the exchange has and this PDA lacks, for example after an interruption. */
  addMissing(claims: readonly { offerId: string; dataDebitId: string }[]): Promise<void>;
  /**
   * Forgets claims that have ended and that the exchange no longer has, so that their Offers can be claimed again. An
   * exchange deletes the claims of a PDA that leaves it, also when the PDA has another address afterwards.
   */
  dropUnknown(claims: readonly { dataDebitId: string }[]): Promise<void>;
};

export type ClaimParts = {
  store: ExchangeStore;
  writer: Writer;
  client: ExchangeClient;
  settings: ExchangeSettings;
  registration: Registration;
  list: ExchangeList<Offer>;
  debits: Pick<DebitService, 'propose'>;
  debitOf: DebitService['stateOf'];
  isNameFree: (name: string) => boolean;
  isSupportedHash: (hash: string) => boolean;
  countRecordsAt: (endpoint: string) => number;
  previewOf: (request: {
    requestedBundle: NamedBundle;
    conditions: NamedBundle | null;
    narrowing: undefined;
    skip: number;
    take: number;
  }) => Promise<AsyncGenerator<string>>;
  endSessions: (tx: Transaction, offer: string) => void;
  publish: (tx: Transaction) => void;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
};

const notRegisteredFailure = (): Failure =>
  new Failure('wrong_state', 'This PDA is not registered with an exchange. Register it first.');
const refusalOf = (status: number, problem: string): Failure => {
  if (status === 404) return new Failure('not_found', problem);
  if (status === 403 || status === 409) return new Failure('wrong_state', problem);
  return new Failure('unavailable', problem, { headers: { 'retry-after': '60' } });
};

export const createClaims = (parts: ClaimParts): Claims => {
  const { store, writer, client, settings, registration, list, clock, log } = parts;
  const inFlight = new Map<string, Promise<void>>();

  const stateOf = (row: ClaimRow): OwnerOffer['state'] => claimState(parts.debitOf(row.debit_key)?.state);
  const claimOf = (offerId: string): ClaimRow | undefined => store.claims().find(({ offer }) => offer === offerId);
  const hasEnded = (row: ClaimRow): boolean => hasClaimEnded(parts.debitOf(row.debit_key)?.state);
  const isOfCurrentExchange = (row: ClaimRow): boolean => row.exchange === settings.exchange()?.url;
  const detailsOf = (row: ClaimRow): Offer => JSON.parse(row.details) as Offer;

  const viewOf = (offer: Offer, row: ClaimRow | undefined): OwnerOffer => ({
    offer,
    state: row === undefined ? 'unclaimed' : stateOf(row),
    open: row === undefined && registration.identity() !== undefined && isClaimable(offer, clock.now()),
    dataDebitKey: row?.debit_key ?? null,
    claimed: isoTimeOrNull(row?.claimed),
    recordCounts: Object.fromEntries(
      endpointsOfOffer(offer).map((endpoint) => [endpoint, parts.countRecordsAt(endpoint)]),
    ),
  });

  /**
   * Returns an Offer of the current exchange with its claim. If an Offer of another exchange with the same id is
   * claimed, returns that Offer until its claim has ended, because `offer` cannot be claimed before then.
   */
  const withClaim = (offer: Offer): [Offer, ClaimRow | undefined] => {
    const row = claimOf(offer.offerId);
    if (row === undefined || isOfCurrentExchange(row)) return [offer, row];
    return hasEnded(row) ? [offer, undefined] : [detailsOf(row), row];
  };

  const find = (offerId: string): [Offer, ClaimRow | undefined] => {
    const currentOffer = list.items().find((offer) => offer.offerId === offerId);
    if (currentOffer !== undefined) return withClaim(currentOffer);
    const row = claimOf(offerId);
    if (row === undefined) throw new Failure('not_found', `There is no Offer ${offerId}.`);
    return [detailsOf(row), row];
  };

  const fetchClaim = async (exchange: Exchange, offerId: string): Promise<ClaimDetails> => {
    const identity = registration.identity();
    if (identity === undefined) throw notRegisteredFailure();
    const call = { path: `/api/v2/offer/${offerId}/claim`, signal: parts.signal };
    const result = await client.call(exchange, call, identity);
    if (result.ok && result.status === 401) await registration.markForRefresh();
    if (!result.ok || result.status !== 200) throw refusalOf(result.ok ? result.status : 0, problemOf(result));
    const details = claimDetailsSchema.safeParse(jsonOf(result.body)).data;
    const isConsistent =
      details?.offer.offerId === offerId &&
      details.claim.offerId === offerId &&
      details.claim.user.address === identity.address &&
      details.credentials.login === loginOf(offerId) &&
      isKeyOf(offerId, details.claim.dataDebitId) &&
      parts.isSupportedHash(details.credentials.passwordHash);
    if (details === undefined || !isConsistent)
      throw refusalOf(0, 'The exchange sent an invalid claim. Nothing was changed.');
    return details;
  };

  /** Proposes the Data Debit. If a bundle name is no longer free, retries with names that only this claim can use. */
  const propose = async (createProposal: (isFree: (name: string) => boolean) => DebitProposal, requester: string) => {
    const attempt = (isFree: (name: string) => boolean) => {
      const proposal = createProposal(isFree);
      return parts.debits.propose(proposal.dataDebitKey, proposal, { kind: 'offer', name: requester });
    };
    try {
      await attempt(parts.isNameFree);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'already_exists') throw error;
      await attempt(() => false);
    }
  };

  const requireCapacity = (): void => {
    const waitingCount = store.claims().filter((row) => stateOf(row) === 'waiting').length;
    if (waitingCount < WAITING_CLAIMS_MAX) return;
    throw new Failure('wrong_state', `${waitingCount} claimed Offers wait for your decision. Decide on them first.`);
  };

  const fetchAndPropose = async (offerId: string): Promise<void> => {
    const exchange = settings.exchange();
    if (exchange === undefined) throw notRegisteredFailure();
    const existing = claimOf(offerId);
    const isProposed = existing?.exchange === exchange.url && parts.debitOf(existing.debit_key) !== undefined;
    // An Offer of another exchange with the same id was claimed. While that claim is active, its login and Data Debit
    // must not pass to the provider of the new Offer.
    if (existing !== undefined && existing.exchange !== exchange.url && !hasEnded(existing))
      throw new Failure(
        'already_exists',
        `An Offer ${offerId} of another exchange is already claimed. End that claim first.`,
      );
    if (!isProposed) requireCapacity();
    const { claim, offer, credentials } = await fetchClaim(exchange, offerId);
    const key = claim.dataDebitId;
    if (isProposed) {
      if (key === existing.debit_key) return;
      // The exchange had removed the claim, for example after a change of this PDA's address, and has a new one. It
      // replaces only decided claims. Otherwise an exchange could fill the owner's list of requests.
      if (stateOf(existing) === 'waiting')
        throw new Failure('already_exists', `The previous claim of the Offer ${offerId} waits for your decision.`);
      requireCapacity();
    }
    const debit = parts.debitOf(key);
    // The Data Debit of another requester must not become part of this claim, even after it has ended.
    if (debit !== undefined && (debit.requester.kind !== 'offer' || existing?.debit_key === key))
      throw new Failure('already_exists', `A Data Debit with the key ${key} already exists. Nothing was changed.`);
    const now = clock.now();
    const createProposal = (isFree: (name: string) => boolean) =>
      createClaimProposal({ offer, key, exchange: exchange.url }, now, isFree);
    if (debit === undefined) await propose(createProposal, offer.providerName);
    await writer.write((tx) => {
      // Sessions are bound to the Offer's id. Those of the previous provider must not have access to the new claim.
      if (existing !== undefined) parts.endSessions(tx, offerId);
      store.putClaim(tx, {
        offer: offerId,
        exchange: exchange.url,
        debit_key: key,
        login: credentials.login,
        password_hash: credentials.passwordHash,
        claimed: claim.dateCreated,
        details: JSON.stringify(offer),
      });
      parts.publish(tx);
    });
  };

  /** Concurrent calls share one request, because the exchange can notify this PDA while the owner claims the Offer. */
  const ensureProposed = (offerId: string): Promise<void> => {
    const currentRequest = inFlight.get(offerId);
    if (currentRequest !== undefined) return currentRequest;
    const request = fetchAndPropose(offerId).finally(() => inFlight.delete(offerId));
    inFlight.set(offerId, request);
    return request;
  };

  return {
    ensureProposed,

    async dropUnknown(claims) {
      const keys = new Set(claims.map(({ dataDebitId }) => dataDebitId));
      const isUnknown = (row: ClaimRow): boolean =>
        isOfCurrentExchange(row) && !keys.has(row.debit_key) && hasEnded(row);
      if (!store.claims().some(isUnknown)) return;
      await writer.write((tx) => {
        for (const { offer } of store.claims().filter(isUnknown)) store.dropClaim(tx, offer);
        parts.publish(tx);
      });
    },

    async addMissing(claims) {
      for (const { offerId, dataDebitId } of claims.slice(0, ADDED_CLAIMS_MAX)) {
        const row = claimOf(offerId);
        if (row?.debit_key === dataDebitId && parts.debitOf(dataDebitId) !== undefined) continue;
        if (parts.signal.aborted) return;
        await ensureProposed(offerId).catch((error: unknown) =>
          log.info({ err: error, offer: offerId }, 'could not add a claim that the exchange has'),
        );
      }
    },

    async list() {
      await endsWithin(LIST_WAIT_MS, list.refreshIfOlder(LIST_MAX_AGE_MS));
      const currentOffers = list.items();
      const ids = new Set(currentOffers.map(({ offerId }) => offerId));
      const otherClaims = store.claims().filter(({ offer }) => !ids.has(offer));
      const offers = [
        ...currentOffers.map((offer) => viewOf(...withClaim(offer))),
        ...otherClaims.map((row) => viewOf(detailsOf(row), row)),
      ];
      return {
        offers: offers.toSorted((a, b) => b.offer.created - a.offer.created),
        asOf: isoTimeOrNull(list.readAt()),
        problem: settings.exchange() === undefined ? null : list.problem(),
      };
    },

    async claim(offerId) {
      const row = claimOf(offerId);
      const isActive = row !== undefined && isOfCurrentExchange(row) && !hasEnded(row);
      if (!isActive) await ensureProposed(offerId);
      return viewOf(...find(offerId));
    },

    preview(offerId, page) {
      const [{ requiredData, dataConditions: conditions = null }] = find(offerId);
      return parts.previewOf({ requestedBundle: requiredData, conditions, narrowing: undefined, ...page });
    },
  };
};
