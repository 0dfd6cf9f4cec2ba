import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { ClaimDetails, ProviderClaims } from '../../wire/offers.ts';
import type { Database, Tx } from '../storage/index.ts';
import { randomDebitEnd, type ClaimCredentials } from './credentials.ts';
import { toClaim, toOffer } from './mapping.ts';
import { claimLogin, claimProblem, dataDebitIdOf, isClaimDebit, isReleased } from './rules.ts';
import {
  claimOffer,
  claimsOfPda,
  confirmedClaims,
  countSlot,
  deleteClaims,
  lockClaim,
  reportClaim,
  type ClaimOutcome,
  type ConfirmedClaimRow,
  type CountedOfferRow,
  type NewClaim,
} from './store.ts';

/** Claims, from when a PDA makes one until it leaves. */

/** How often a place is looked for while others keep on taking what was found: each time somebody else was served. */
const MAX_TURNS = 100;
/** Claims that are read at once, where all are asked for. */
const PAGE = 500;

export type OwnClaim = { offerId: string; title: string; confirmed: boolean; dataDebitId: string; dateCreated: number };

export const createClaims = (parts: { database: Database; credentials: ClaimCredentials; clock: Clock }) => {
  const { database, credentials, clock } = parts;

  const detailsOf = (row: ClaimOutcome): ClaimDetails | undefined => {
    const { data_debit_id, password_hash, claim_confirmed, claim_created, address, public_key } = row;
    if (data_debit_id === null || password_hash === null || claim_confirmed === null || claim_created === null)
      return undefined;
    if (address === null || public_key === null) return undefined;
    return {
      claim: toClaim(row.id, {
        data_debit_id,
        confirmed: claim_confirmed,
        created: claim_created,
        address,
        public_key,
      }),
      offer: toOffer(row),
      credentials: { login: claimLogin(row.id), passwordHash: password_hash },
    };
  };

  const providerClaim = (offer: CountedOfferRow, row: ConfirmedClaimRow): ProviderClaims['claims'][number] => ({
    ...toClaim(offer.id, row),
    credentials: {
      offerId: offer.id,
      login: claimLogin(offer.id),
      passwordPlain: credentials.password(row.id),
      passwordHash: row.password_hash,
      dateCreated: row.created,
    },
  });

  return {
    /** The claim of this PDA: the one that there is, or a new one. @throws Failure not_found | wrong_state | unavailable */
    async claim(offerId: string, pdaId: string): Promise<ClaimDetails> {
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        const now = clock.now();
        const id = uuidV7(now);
        const claim: NewClaim = {
          id,
          offerId,
          pdaId,
          dataDebitId: dataDebitIdOf(offerId, randomDebitEnd()),
          passwordHash: credentials.hash(id),
          now,
          turn: Math.floor(Math.random() * 1024),
        };
        const row = await database.read((db) => claimOffer(db, claim));
        if (row === 'again') continue;
        if (row === undefined) throw new Failure('not_found', 'There is no Offer with this id.');
        const details = detailsOf(row);
        if (details !== undefined) {
          // Who has a claim knows the Offer, also one that was withdrawn since: nothing may come of it any more.
          if (row.state === 'approved') return details;
          throw new Failure('wrong_state', 'This Offer was withdrawn after you had claimed it.');
        }
        const problem = claimProblem(
          { state: row.state, starts: row.starts, expires: row.expires, requiredMaxUser: row.required_max },
          row.claimed,
          now,
        );
        if (problem !== undefined) throw new Failure(problem.code, problem.cause);
        if (row.address === null) throw new Failure('not_found', 'This PDA is not registered here any more.');
      }
      throw new Failure('unavailable', 'Too many PDAs claim this Offer at this moment.', {
        headers: { 'retry-after': '1' },
      });
    },

    /**
     * What the provider sees, as JSON in pieces: a million claims never stand in memory. Read before the first piece: the first page, so that a
     * database that is away is answered as such. `mayStill` rejects once the provider may not have
     * them any more: reading them all can take hours.
     */
    async forProvider(
      offer: CountedOfferRow,
      page: { skip: number; take: number },
      mayStill: () => Promise<unknown>,
    ): Promise<AsyncGenerator<string>> {
      const { requiredMinUser, offerId, created, requiredMaxUser } = toOffer(offer);
      const released = isReleased({ requiredMinUser, requiredMaxUser }, offer);
      const most = released ? page.take : 0;
      const readPage = (skip: number, left: number, after?: string) =>
        left === 0
          ? Promise.resolve([])
          : database.read((db) =>
              confirmedClaims(db, offerId, {
                skip,
                take: Math.min(PAGE, left),
                ...(after === undefined ? {} : { after }),
              }),
            );
      const first = await readPage(page.skip, most);
      const head: Omit<ProviderClaims, 'claims'> = {
        credentials: { offerId, login: claimLogin(offerId), dateCreated: created },
        count: offer.confirmed,
        claimed: offer.claimed,
      };
      return (async function* pieces() {
        yield `${JSON.stringify(head).slice(0, -1)},"claims":[`;
        let left = most;
        let rows = first;
        let comma = '';
        for (;;) {
          for (const row of rows) {
            yield `${comma}${JSON.stringify(providerClaim(offer, row))}`;
            comma = ',';
          }
          left -= rows.length;
          const last = rows.at(-1);
          if (last === undefined || rows.length < PAGE || left === 0) break;
          await mayStill();
          rows = await readPage(0, left, last.pda_id);
        }
        yield ']}';
      })();
    },

    /**
     * Takes down whether a Data Debit is enabled, inside the transaction in which that is reported. A report that is older than the one by which the claim
     * stands changes nothing; one that says it is from the future counts as of now, or nothing could undo it.
     */
    async confirmation(tx: Tx, pdaId: string, dataDebitId: string, enabled: boolean, time: number): Promise<void> {
      if (!isClaimDebit(dataDebitId)) return;
      const at = Math.min(time, clock.now());
      const claim = await lockClaim(tx, pdaId, dataDebitId, at);
      if (claim === undefined) return;
      await reportClaim(tx, { offerId: claim.offer_id, pdaId }, { confirmed: enabled, time: at });
      if (claim.confirmed === enabled) return;
      const slot = { offerId: claim.offer_id, shard: claim.shard };
      await countSlot(tx, slot, { taken: 0, confirmed: enabled ? 1 : -1 });
    },

    /** Everything that a PDA has claimed. */
    claimsOf: (pdaId: string): Promise<OwnClaim[]> =>
      database.read(async (db) => {
        const rows = await claimsOfPda(db, pdaId);
        return rows.map((row) => ({
          offerId: row.offer_id,
          title: row.title,
          confirmed: row.confirmed,
          dataDebitId: row.data_debit_id,
          dateCreated: row.created,
        }));
      }),

    /** Takes the claims of a PDA away that leaves, inside that transaction and before the PDA itself goes. Its places are free again. */
    async forgetPda(tx: Tx, pdaId: string): Promise<void> {
      const gone = await deleteClaims(tx, pdaId);
      // In one order everywhere: two who leave at once do not wait for each other.
      for (const claim of gone.toSorted((a, b) => (a.offer_id < b.offer_id ? -1 : 1))) {
        const slot = { offerId: claim.offer_id, shard: claim.shard };
        await countSlot(tx, slot, { taken: -1, confirmed: claim.confirmed ? -1 : 0 });
      }
    },
  };
};

export type Claims = ReturnType<typeof createClaims>;
