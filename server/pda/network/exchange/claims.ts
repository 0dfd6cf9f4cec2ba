import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { endsWithin } from '../../../platform/async/deadline.ts';
import type { DebitProposal } from '../../../wire/debits.ts';
import { claimDetailsSchema, type ClaimDetails, type Offer } from '../../../wire/offers.ts';
import { MAX_REPORTED_EVENTS } from '../../../wire/limits.ts';
import type { OwnerOffer } from '../../../wire/network.ts';
import type { NamedBundle } from '../../../wire/query.ts';
import type { DebitService, StoredDebit } from '../../sharing/debits/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { jsonOf, problemOf, type ExchangeClient } from './connection/client.ts';
import type { ExchangeList } from './connection/cached-list.ts';
import type { Registration } from './connection/registration.ts';
import { claimState, endpointsOf, isKeyOf, isOpen, isOver, loginOf, proposalOf } from './rules.ts';
import type { Exchange, OfferService } from './service.ts';
import type { Choices } from './connection/settings.ts';
import type { ClaimRow, ExchangeStore } from './store.ts';

/** Claims whose Data Debits wait for the owner, at most: a page on which to decide must not be flooded. */
const MAX_WAITING_CLAIMS = 100;
/** Milliseconds for which the list is good when the owner looks at it. */
const GOOD_FOR_MS = 60_000;
/** Milliseconds that the owner's page waits for the exchange; what comes later is there at the next look. */
const LOOK_MS = 3000;

export type Claims = OfferService & {
  /** Fetches the claim of an Offer and makes its proposal, when that is not done yet. @throws Failure */
  take(offerId: string): Promise<void>;
  /** Claims that the exchange knows and this PDA does not: a stop, or a provider that could not reach it, came in between. */
  takeMissing(claims: readonly { offerId: string; dataDebitId: string }[]): Promise<void>;
};

export type ClaimParts = {
  store: ExchangeStore;
  writer: Writer;
  client: ExchangeClient;
  choices: Choices;
  registration: Registration;
  list: ExchangeList<Offer>;
  debits: Pick<DebitService, 'propose'>;
  /** What there is of a Data Debit, whoever asks. */
  debitOf: (
    key: string,
  ) => { state: ReturnType<DebitService['find']>['state']; requester: StoredDebit['requester'] } | undefined;
  /** Whether a bundle of this name could be bound to a new Data Debit. */
  isNameFree: (name: string) => boolean;
  /** Whether a password can be checked against this, with bounded work. */
  isCheckable: (hash: string) => boolean;
  /** Records that there are at an endpoint. */
  recordsAt: (endpoint: string) => number;
  previewOf: (wanted: {
    asked: NamedBundle;
    conditions: NamedBundle | null;
    narrowing: undefined;
    skip: number;
    take: number;
  }) => Promise<AsyncGenerator<string>>;
  /** Ends what the provider of an Offer has open. */
  endSessions: (tx: Transaction, offer: string) => void;
  tell: (tx: Transaction) => void;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
};

const notRegistered = (): Failure =>
  new Failure('wrong_state', 'This PDA is not registered with an exchange. Register it first.');
const unknownOffer = (offerId: string): Failure => new Failure('not_found', `There is no Offer ${offerId} here.`);

/** What the exchange refuses a claim with is said on; everything else is its trouble and may be over soon. */
const refusalOf = (status: number, problem: string): Failure => {
  if (status === 404) return new Failure('not_found', problem);
  if (status === 403 || status === 409) return new Failure('wrong_state', problem);
  return new Failure('unavailable', problem, { headers: { 'retry-after': '60' } });
};

export const createClaims = (parts: ClaimParts): Claims => {
  const { store, writer, client, choices, registration, list, clock, log } = parts;
  const underWay = new Map<string, Promise<void>>();

  const stateOf = (row: ClaimRow): OwnerOffer['state'] => claimState(parts.debitOf(row.debit_key)?.state);
  const claimOf = (offerId: string): ClaimRow | undefined => store.claims().find(({ offer }) => offer === offerId);
  const detailsOf = (row: ClaimRow): Offer => JSON.parse(row.details) as Offer;

  const viewOf = (offer: Offer, row: ClaimRow | undefined): OwnerOffer => ({
    offer,
    state: row === undefined ? 'unclaimed' : stateOf(row),
    open: row === undefined && registration.as() !== undefined && isOpen(offer, clock.now()),
    dataDebitKey: row?.debit_key ?? null,
    claimed: row === undefined ? null : isoTime(row.claimed),
    here: Object.fromEntries(endpointsOf(offer).map((endpoint) => [endpoint, parts.recordsAt(endpoint)])),
  });

  const find = (offerId: string): Offer => {
    const listed = list.items().find((offer) => offer.offerId === offerId);
    const row = claimOf(offerId);
    const offer = listed ?? (row === undefined ? undefined : detailsOf(row));
    if (offer === undefined) throw unknownOffer(offerId);
    return offer;
  };

  const fetchClaim = async (exchange: Exchange, offerId: string): Promise<ClaimDetails> => {
    const as = registration.as();
    if (as === undefined) throw notRegistered();
    const wanted = { path: `/api/v2/offer/${offerId}/claim`, signal: parts.signal };
    const result = await client.call(exchange, wanted, as);
    if (result.ok && result.status === 401) await registration.doubt();
    if (!result.ok || result.status !== 200) throw refusalOf(result.ok ? result.status : 0, problemOf(result));
    const details = claimDetailsSchema.safeParse(jsonOf(result.body)).data;
    const fits =
      details?.offer.offerId === offerId &&
      details.claim.offerId === offerId &&
      details.claim.user.address === as.address &&
      details.credentials.login === loginOf(offerId) &&
      isKeyOf(offerId, details.claim.dataDebitId) &&
      parts.isCheckable(details.credentials.passwordHash);
    if (details === undefined || !fits)
      throw refusalOf(0, 'The exchange answered something that is no claim of this PDA.');
    return details;
  };

  /** Names are looked at before and may be taken by then: once more, with names that nobody else has. */
  const propose = async (proposal: (isFree: (name: string) => boolean) => DebitProposal, requester: string) => {
    const make = (isFree: (name: string) => boolean) => {
      const asked = proposal(isFree);
      return parts.debits.propose(asked.dataDebitKey, asked, { kind: 'offer', name: requester });
    };
    try {
      await make(parts.isNameFree);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'already_exists') throw error;
      await make(() => false);
    }
  };

  const requireRoom = (): void => {
    const waiting = store.claims().filter((row) => stateOf(row) === 'waiting').length;
    if (waiting < MAX_WAITING_CLAIMS) return;
    throw new Failure(
      'wrong_state',
      `${waiting} claimed Offers wait for a decision already. Decide about those first.`,
    );
  };

  const takeNow = async (offerId: string): Promise<void> => {
    const exchange = choices.exchange();
    if (exchange === undefined) throw notRegistered();
    const before = claimOf(offerId);
    if (before !== undefined && parts.debitOf(before.debit_key) !== undefined) {
      if (before.exchange === exchange.url) return;
      // Another exchange's Offer of the same name: its account is not handed to somebody else while it reads.
      if (!isOver(parts.debitOf(before.debit_key)?.state))
        throw new Failure(
          'already_exists',
          `An Offer ${offerId} of another exchange is claimed here. End that one first.`,
        );
    }
    requireRoom();
    const { claim, offer, credentials } = await fetchClaim(exchange, offerId);
    const key = claim.dataDebitId;
    const there = parts.debitOf(key);
    // Nor is what the owner has agreed to with another provider, and may begin again, handed to this one.
    if (there !== undefined && (there.requester.kind !== 'offer' || before?.debit_key === key))
      throw new Failure('already_exists', `There is a Data Debit with the key ${key} already. Nothing was changed.`);
    const now = clock.now();
    const ask = (isFree: (name: string) => boolean) => proposalOf({ offer, key, exchange: exchange.url }, now, isFree);
    if (there === undefined) await propose(ask, offer.providerName);
    await writer.write((tx) => {
      // Sessions go by the Offer's name: those of the provider before must not open what this one is given.
      if (before !== undefined) parts.endSessions(tx, offerId);
      store.putClaim(tx, {
        offer: offerId,
        exchange: exchange.url,
        debit_key: key,
        login: credentials.login,
        password_hash: credentials.passwordHash,
        claimed: claim.dateCreated,
        details: JSON.stringify(offer),
      });
      parts.tell(tx);
    });
  };

  /** Two at once for one Offer are one: the page is impatient, and the exchange calls while the owner claims. */
  const take = (offerId: string): Promise<void> => {
    const running = underWay.get(offerId);
    if (running !== undefined) return running;
    const started = takeNow(offerId).finally(() => underWay.delete(offerId));
    underWay.set(offerId, started);
    return started;
  };

  return {
    take,

    async takeMissing(claims) {
      for (const { offerId, dataDebitId } of claims.slice(0, MAX_REPORTED_EVENTS)) {
        const row = claimOf(offerId);
        if (row?.debit_key === dataDebitId && parts.debitOf(dataDebitId) !== undefined) continue;
        if (parts.signal.aborted) return;
        await take(offerId).catch((error: unknown) =>
          log.info({ err: error, offer: offerId }, 'a claim that the exchange knows of could not be made here'),
        );
      }
    },

    async list() {
      await endsWithin(LOOK_MS, list.refreshIfOlder(GOOD_FOR_MS));
      const listed = list.items();
      const ids = new Set(listed.map(({ offerId }) => offerId));
      const rest = store.claims().filter(({ offer }) => !ids.has(offer));
      const offers = [
        ...listed.map((offer) => viewOf(offer, claimOf(offer.offerId))),
        ...rest.map((row) => viewOf(detailsOf(row), row)),
      ];
      const at = list.readAt();
      return {
        offers: offers.toSorted((a, b) => b.offer.created - a.offer.created),
        asOf: at === null ? null : isoTime(at),
        problem: choices.exchange() === undefined ? null : list.problem(),
      };
    },

    async claim(offerId) {
      await take(offerId);
      return viewOf(find(offerId), claimOf(offerId));
    },

    preview(offerId, { skip, take: count }) {
      const offer = find(offerId);
      const conditions = offer.dataConditions ?? null;
      return parts.previewOf({ asked: offer.requiredData, conditions, narrowing: undefined, skip, take: count });
    },
  };
};
