import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createKept } from '../../platform/kept.ts';
import { VISITOR, type Principal } from '../../platform/principal.ts';
import { hasRole } from '../../platform/service-access.ts';
import { withTag, type Tagged } from '../../platform/tagged.ts';
import type { NewOffer, Offer, OfferClaim } from '../../wire/offers.ts';
import type { PdaService } from '../pdas/service.ts';
import type { Audit, Database } from '../storage/index.ts';
import type { Claims } from './claims.ts';
import { contentOf, toOffer } from './mapping.ts';
import { slotQuotas, verdictProblem, type OfferState } from './rules.ts';
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

export type Provider = { accountId: string; name: string };
/** Offers in one answer, at most, and when nothing else is asked for. */
export const ALL_OFFERS = 1000;
export type OfferPage = { status?: OfferState | undefined; after?: string | undefined; skip: number; take: number };

/** Characters of an Offer as JSON: every PDA reads all of them, and takes no proposal that is twice as long. */
const MAX_OFFER_CHARS = 50_000;
/** Offers of one account that wait for a verdict. */
const MAX_DRAFTS = 200;

/** @throws Failure too_large */
const refuseTooLong = (offer: NewOffer): void => {
  if (JSON.stringify(offer).length > MAX_OFFER_CHARS)
    throw new Failure('too_large', `An Offer has at most ${MAX_OFFER_CHARS} characters. Nothing was changed.`);
};

const unknownOffer = (): Failure => new Failure('not_found', 'There is no Offer with this id.');

export const createOfferService = (parts: {
  database: Database;
  audit: Audit;
  pdas: Pick<PdaService, 'findAt'>;
  claims: Claims;
  tell: (pdaAddress: string, offerId: string, issuer: string) => Promise<void>;
  clock: Clock;
}) => {
  const { database, audit, pdas, claims, tell, clock } = parts;

  const isOwner = (row: Pick<CountedOfferRow, 'provider'>, principal: Principal): boolean =>
    principal.kind === 'account' && principal.accountId === row.provider;

  const maySeeCounts = (row: Pick<CountedOfferRow, 'provider'>, principal: Principal): boolean =>
    isOwner(row, principal) || hasRole(principal, 'administrator');

  /** An Offer that this caller may know of. @throws Failure not_found */
  const visible = async (offerId: string, principal: Principal): Promise<CountedOfferRow> => {
    const row = await database.read((db) => findOffer(db, offerId));
    if (row === undefined) throw unknownOffer();
    if (row.state === 'approved' || isOwner(row, principal) || hasRole(principal, 'administrator')) return row;
    throw unknownOffer();
  };

  /** An Offer of this account's that PDAs may have claimed. @throws Failure not_found | forbidden | wrong_state */
  const ownOffer = async (offerId: string, principal: Principal): Promise<CountedOfferRow> => {
    const row = await visible(offerId, principal);
    if (!isOwner(row, principal)) throw new Failure('forbidden', 'This Offer belongs to somebody else.');
    if (row.state !== 'approved') {
      const why = row.state === 'draft' ? 'is not approved yet' : 'was rejected';
      throw new Failure('wrong_state', `This Offer ${why}: it has no claims.`);
    }
    return row;
  };

  const listFor = async (page: OfferPage, principal: Principal): Promise<Tagged> => {
    const rows = await database.read((db) =>
      listOffers(db, {
        openAt: clock.now(),
        skip: page.skip,
        take: page.take,
        all: hasRole(principal, 'administrator'),
        ...(principal.kind === 'account' ? { provider: principal.accountId } : {}),
        ...(page.status === undefined ? {} : { state: page.status }),
        ...(page.after === undefined ? {} : { after: page.after }),
      }),
    );
    return withTag(JSON.stringify(rows.map((row) => toOffer(row, maySeeCounts(row, principal)))));
  };
  // Every PDA asks for the same again and again.
  const forAll = createKept(clock, () => listFor({ skip: 0, take: ALL_OFFERS }, VISITOR));

  return {
    /** @throws Failure already_exists | too_large | wrong_state */
    async register(offer: NewOffer, provider: Provider): Promise<Offer> {
      refuseTooLong(offer);
      const row = {
        ...contentOf(offer),
        id: offer.offerId,
        provider: provider.accountId,
        provider_name: provider.name,
        created: clock.now(),
        edition: 1,
        state: 'draft' as const,
      };
      await database.transact(async (tx) => {
        if ((await countDrafts(tx, provider.accountId)) >= MAX_DRAFTS)
          throw new Failure('wrong_state', `${MAX_DRAFTS} Offers of yours wait for a verdict already.`);
        if (!(await insertOffer(tx, row)))
          throw new Failure('already_exists', `There is an Offer ${offer.offerId} already. Nothing was registered.`);
        await audit.note(tx, {
          who: provider.name,
          what: 'offer.registered',
          subject: offer.offerId,
          detail: offer.title,
        });
      });
      return toOffer({ ...row, claimed: 0, confirmed: 0 }, true);
    },

    async find(offerId: string, principal: Principal): Promise<Offer> {
      const row = await visible(offerId, principal);
      return toOffer(row, maySeeCounts(row, principal));
    },

    /** JSON of Offers, the newest first. */
    list(page: OfferPage, principal: Principal): Promise<Tagged> {
      const isWhole =
        page.status === undefined && page.after === undefined && page.skip === 0 && page.take === ALL_OFFERS;
      return isWhole && principal.kind !== 'account' ? forAll.get() : listFor(page, principal);
    },
    /** Another wording of a draft. @throws Failure not_found | forbidden | wrong_state | invalid_input | too_large */
    async change(offer: NewOffer, offerId: string, principal: Principal): Promise<Offer> {
      if (offer.offerId !== offerId)
        throw new Failure('invalid_input', 'The id of an Offer stays as it is.', {
          details: [{ path: 'body.offerId', problem: 'not the one in the path' }],
        });
      refuseTooLong(offer);
      await visible(offerId, principal);
      await database.transact(async (tx) => {
        const row = await lockOffer(tx, offerId);
        if (row === undefined) throw unknownOffer();
        if (!isOwner(row, principal)) throw new Failure('forbidden', 'This Offer belongs to somebody else.');
        if (row.state !== 'draft')
          throw new Failure('wrong_state', `This Offer is ${row.state}. Only a draft can be changed.`);
        await changeOffer(tx, offerId, { ...contentOf(offer), edition: row.edition + 1 });
      });
      return toOffer(await visible(offerId, principal), true);
    },

    /** What the operator decides. The same again changes nothing. @throws Failure not_found | wrong_state */
    async decide(
      offerId: string,
      verdict: 'approved' | 'rejected',
      edition: number | undefined,
      principal: Principal & { name: string },
    ): Promise<Offer> {
      await database.transact(async (tx) => {
        const row = await lockOffer(tx, offerId);
        if (row === undefined) throw unknownOffer();
        const problem = verdictProblem(row, verdict, { edition, now: clock.now() });
        if (problem !== undefined) throw new Failure('wrong_state', problem);
        if (row.state === verdict) return;
        await changeOffer(tx, offerId, { state: verdict });
        // Before the first PDA can see it. They outlast a rejection: what is claimed stays claimed.
        if (verdict === 'approved') await insertSlots(tx, offerId, slotQuotas(row.required_max));
        await audit.note(tx, {
          who: principal.name,
          what: `offer.${verdict}`,
          subject: offerId,
          detail: `${row.title} (was ${row.state})`,
        });
      });
      forAll.forget();
      return toOffer(await visible(offerId, principal), true);
    },

    claim: claims.claim,

    /** The provider asks for it: the same claim, and the PDA is told. @throws Failure not_found | forbidden | wrong_state */
    async registerClaim(
      offerId: string,
      pdaAddress: string,
      principal: Principal,
      issuer: string,
    ): Promise<OfferClaim> {
      await ownOffer(offerId, principal);
      const pda = await database.read((db) => pdas.findAt(db, pdaAddress));
      if (pda === undefined) throw new Failure('not_found', 'No PDA with this address is registered here.');
      const { claim } = await claims.claim(offerId, pda.pdaId);
      // One that is confirmed has its Data Debit already.
      if (!claim.confirmed) await tell(pda.address, offerId, issuer);
      return claim;
    },

    /** JSON of `providerClaimsSchema`. @throws Failure not_found | forbidden | wrong_state */
    async providerClaims(offerId: string, page: { skip: number; take: number }, principal: Principal) {
      const own = () => ownOffer(offerId, principal);
      return claims.forProvider(await own(), page, own);
    },
  };
};

export type OfferService = ReturnType<typeof createOfferService>;
