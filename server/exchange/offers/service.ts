import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createSingleFlightCache } from '../../platform/async/single-flight-cache.ts';
import { ANONYMOUS, type Principal } from '../../platform/auth/principal.ts';
import { hasRole } from '../../platform/service/authorization.ts';
import { withEtag, type TextWithEtag } from '../../platform/http/response/etag.ts';
import type { NewOffer, Offer, OfferClaim } from '../../wire/offers.ts';
import type { AccountService } from '../accounts/service.ts';
import type { PdaService } from '../pdas/service.ts';
import type { Audit, Database } from '../storage/index.ts';
import type { ClaimNotifier } from './claims/notifier.ts';
import type { ClaimService } from './claims/service.ts';
import { toOffer, toOfferColumns } from './mapping.ts';
import { distributeSlots, findDecisionProblem, type OfferState } from './rules.ts';
import {
  changeOffer,
  countDrafts,
  findOffer,
  insertOffer,
  insertSlots,
  listOffers,
  lockOffer,
  type CountedOfferRow,
} from './store.ts';

type OfferProvider = { accountId: string; name: string };
export const OFFER_PAGE_MAX = 1000;
export type OfferPage = { status?: OfferState | undefined; after?: string | undefined; skip: number; take: number };

/** Length as JSON. Every PDA downloads all Offers, and limits a proposal to twice this size. */
const OFFER_MAX_CHARS = 50_000;
const DRAFTS_MAX = 200;

const checkSize = (offer: NewOffer): void => {
  if (JSON.stringify(offer).length > OFFER_MAX_CHARS)
    throw new Failure('too_large', `The Offer exceeds ${OFFER_MAX_CHARS} characters.`);
};

const unknownOfferFailure = (): Failure => new Failure('not_found', 'This Offer does not exist.');
const notProviderFailure = (): Failure => new Failure('forbidden', 'This Offer belongs to another account.');

export const createOfferService = (parts: {
  database: Database;
  audit: Audit;
  accounts: Pick<AccountService, 'lockWithin' | 'requireSession'>;
  pdas: Pick<PdaService, 'findAt'>;
  claims: ClaimService;
  notifyPda: ClaimNotifier;
  clock: Clock;
}) => {
  const { database, audit, accounts, pdas, claims, notifyPda, clock } = parts;

  const isProvider = (row: Pick<CountedOfferRow, 'provider'>, principal: Principal): boolean =>
    principal.kind === 'account' && principal.accountId === row.provider;

  const maySeeCounts = (row: Pick<CountedOfferRow, 'provider'>, principal: Principal): boolean =>
    isProvider(row, principal) || hasRole(principal, 'administrator');

  /** @throws Failure not_found if the Offer does not exist or the principal may not see it */
  const getVisible = async (offerId: string, principal: Principal): Promise<CountedOfferRow> => {
    const row = await database.run((db) => findOffer(db, offerId));
    if (row === undefined) throw unknownOfferFailure();
    if (row.state === 'approved' || isProvider(row, principal) || hasRole(principal, 'administrator')) return row;
    throw unknownOfferFailure();
  };

  const getOwnApproved = async (offerId: string, principal: Principal): Promise<CountedOfferRow> => {
    const row = await getVisible(offerId, principal);
    if (!isProvider(row, principal)) throw notProviderFailure();
    if (row.state === 'approved') return row;
    const reason = row.state === 'draft' ? 'is not approved yet' : 'was rejected';
    throw new Failure(
      'wrong_state',
      `This Offer ${reason}. Its provider can read and register claims only while it is approved.`,
    );
  };

  const listFor = async (page: OfferPage, principal: Principal): Promise<TextWithEtag> => {
    const rows = await database.run((db) =>
      listOffers(db, {
        ...page,
        state: page.status,
        openAt: clock.now(),
        includeAll: hasRole(principal, 'administrator'),
        provider: principal.kind === 'account' ? principal.accountId : undefined,
      }),
    );
    return withEtag(JSON.stringify(rows.map((row) => toOffer(row, maySeeCounts(row, principal)))));
  };
  // All PDAs poll the same list.
  const publicList = createSingleFlightCache(clock, () => listFor({ skip: 0, take: OFFER_PAGE_MAX }, ANONYMOUS));

  return {
    /** @throws Failure already_exists | too_large | wrong_state */
    async register(offer: NewOffer, provider: OfferProvider): Promise<Offer> {
      checkSize(offer);
      const row = {
        ...toOfferColumns(offer),
        id: offer.offerId,
        provider: provider.accountId,
        provider_name: provider.name,
        created: clock.now(),
        edition: 1,
        state: 'draft' as const,
      };
      await database.transact(async (tx) => {
        await accounts.lockWithin(tx, provider.accountId);
        if ((await countDrafts(tx, provider.accountId)) >= DRAFTS_MAX)
          throw new Failure(
            'wrong_state',
            `You already have ${DRAFTS_MAX} Offers awaiting approval. Wait until one is approved or rejected.`,
          );
        if (!(await insertOffer(tx, row)))
          throw new Failure('already_exists', `The Offer ${offer.offerId} already exists.`);
        const { offerId: subject, title: detail } = offer;
        await audit.note(tx, { actor: provider.name, action: 'offer.registered', subject, detail });
      });
      return toOffer({ ...row, claimed: 0, confirmed: 0 }, true);
    },

    /** @throws Failure not_found */
    async get(offerId: string, principal: Principal): Promise<Offer> {
      const row = await getVisible(offerId, principal);
      return toOffer(row, maySeeCounts(row, principal));
    },

    /** Returns a JSON array, newest Offer first. */
    list(page: OfferPage, principal: Principal): Promise<TextWithEtag> {
      const isDefaultPage =
        page.status === undefined && page.after === undefined && page.skip === 0 && page.take === OFFER_PAGE_MAX;
      return isDefaultPage && principal.kind !== 'account' ? publicList.get() : listFor(page, principal);
    },

    /** @throws Failure not_found | forbidden | wrong_state | invalid_input | too_large */
    async change(offer: NewOffer, offerId: string, principal: Principal): Promise<Offer> {
      if (offer.offerId !== offerId)
        throw new Failure('invalid_input', 'The id of an Offer cannot be changed.', {
          details: [{ path: 'body.offerId', problem: 'differs from the id in the path' }],
        });
      checkSize(offer);
      await getVisible(offerId, principal);
      await database.transact(async (tx) => {
        const row = await lockOffer(tx, offerId);
        if (row === undefined) throw unknownOfferFailure();
        if (!isProvider(row, principal)) throw notProviderFailure();
        if (row.state !== 'draft')
          throw new Failure('wrong_state', `This Offer is ${row.state}. Only a draft can be changed.`);
        await changeOffer(tx, offerId, { ...toOfferColumns(offer), edition: row.edition + 1 });
      });
      return toOffer(await getVisible(offerId, principal), true);
    },

    /**
     * Approves or rejects an Offer.
     * @param edition the reviewed edition, which must be the current one; undefined: not checked
     * @throws Failure not_found | wrong_state
     */
    async decide(
      offerId: string,
      decision: 'approved' | 'rejected',
      edition: number | undefined,
      principal: Principal & { name: string },
    ): Promise<Offer> {
      await database.transact(async (tx) => {
        const row = await lockOffer(tx, offerId);
        if (row === undefined) throw unknownOfferFailure();
        const problem = findDecisionProblem(row, decision, { edition, now: clock.now() });
        if (problem !== undefined) throw new Failure('wrong_state', problem);
        if (row.state === decision) return;
        await changeOffer(tx, offerId, { state: decision });
        // The slots are created before a PDA can see the Offer. They outlast a rejection, because existing claims do.
        if (decision === 'approved') await insertSlots(tx, offerId, distributeSlots(row.required_max));
        const detail = `${row.title} (was ${row.state})`;
        await audit.note(tx, { actor: principal.name, action: `offer.${decision}`, subject: offerId, detail });
      });
      publicList.forget();
      return toOffer(await getVisible(offerId, principal), true);
    },

    claim: claims.claim,

    /**
     * Claims an Offer for a PDA at the provider's request. Notifies the PDA, unless the claim is confirmed.
     * @throws Failure not_found | forbidden | wrong_state | unavailable
     */
    async registerClaim(
      offerId: string,
      pdaAddress: string,
      principal: Principal,
      issuer: string,
    ): Promise<OfferClaim> {
      await getOwnApproved(offerId, principal);
      const pda = await database.run((db) => pdas.findAt(db, pdaAddress));
      if (pda === undefined) throw new Failure('not_found', 'No PDA with this address is registered.');
      const { claim } = await claims.claim(offerId, pda.pdaId);
      // If the claim is confirmed, the PDA already has the Data Debit.
      if (!claim.confirmed) await notifyPda(pda.address, offerId, issuer);
      return claim;
    },

    /** Streams `providerClaimsSchema` as JSON. @throws Failure not_found | forbidden | wrong_state */
    async streamProviderClaims(
      offerId: string,
      page: { skip: number; take: number },
      principal: Extract<Principal, { kind: 'account' }>,
    ) {
      const offer = await getOwnApproved(offerId, principal);
      return claims.streamForProvider(offer, page, async () => {
        await accounts.requireSession(principal);
        await getOwnApproved(offerId, principal);
      });
    },
  };
};

export type OfferService = ReturnType<typeof createOfferService>;
