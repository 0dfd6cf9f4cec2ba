import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { uuidV7 } from '../../../platform/postgres/uuid-v7.ts';
import type { PdaDisclosure } from '../../../wire/exchange.ts';
import type { ClaimDetails, ProviderClaims } from '../../../wire/offers.ts';
import type { Database, Tx } from '../../storage/index.ts';
import { randomDebitSuffix, type ClaimCredentialDeriver } from './credentials.ts';
import { toClaim, toOffer } from '../mapping.ts';
import { claimLoginOf, findClaimProblem, dataDebitIdOf, isReleased, mayBelongToClaim } from '../rules.ts';
import {
  addToSlot,
  claimOffer,
  deleteClaims,
  listClaimsOfPda,
  listConfirmedClaims,
  lockClaim,
  setClaimConfirmed,
  type ClaimOutcome,
  type ConfirmedClaimRow,
  type CountedOfferRow,
  type NewClaim,
} from '../store.ts';

/** An attempt to claim is repeated only after a conflict with another claim or with the removal of a PDA. */
const MAX_CLAIM_ATTEMPTS = 100;
const PAGE_ROWS = 500;
/** Range of the random offset at which the search for a free shard starts. Far larger than the number of shards. */
const SHARD_OFFSETS = 1024;

export const createClaimService = (parts: {
  database: Database;
  credentials: ClaimCredentialDeriver;
  clock: Clock;
}) => {
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
      credentials: { login: claimLoginOf(row.id), passwordHash: password_hash },
    };
  };

  const toProviderClaim = (offer: CountedOfferRow, row: ConfirmedClaimRow): ProviderClaims['claims'][number] => ({
    ...toClaim(offer.id, row),
    credentials: {
      offerId: offer.id,
      login: claimLoginOf(offer.id),
      passwordPlain: credentials.password(row.id),
      passwordHash: row.password_hash,
      dateCreated: row.created,
    },
  });

  return {
    /** Claims an Offer, or returns the existing claim. @throws Failure not_found | wrong_state | unavailable */
    async claim(offerId: string, pdaId: string): Promise<ClaimDetails> {
      for (let attempt = 0; attempt < MAX_CLAIM_ATTEMPTS; attempt += 1) {
        const now = clock.now();
        const id = uuidV7(now);
        const claim: NewClaim = {
          id,
          offerId,
          pdaId,
          dataDebitId: dataDebitIdOf(offerId, randomDebitSuffix()),
          passwordHash: credentials.hash(id),
          now,
          shardOffset: Math.floor(Math.random() * SHARD_OFFSETS),
        };
        const row = await database.run((db) => claimOffer(db, claim));
        if (row === 'retry') continue;
        if (row === undefined) throw new Failure('not_found', 'This Offer does not exist.');
        const details = detailsOf(row);
        if (details !== undefined) {
          if (row.state === 'approved') return details;
          // A PDA with a claim knows the Offer, so wrong_state reveals nothing.
          throw new Failure('wrong_state', 'This Offer was withdrawn after you claimed it.');
        }
        const problem = findClaimProblem({ ...row, requiredMaxUser: row.required_max }, row.claimed, now);
        if (problem !== undefined) throw new Failure(problem.code, problem.cause);
        if (row.address === null) throw new Failure('not_found', 'This PDA is no longer registered.');
      }
      throw new Failure('unavailable', 'Too many PDAs are claiming this Offer. Try again in 1 s.', {
        headers: { 'retry-after': '1' },
      });
    },

    /**
     * Streams the confirmed claims as JSON, or none until the Offer has its minimum number of confirmed claims. Reads
     * the first page before it returns, so that a database error becomes an error response. Calls `checkAccess` before
     * each further page, because streaming can take hours.
     */
    async streamForProvider(
      offer: CountedOfferRow,
      page: { skip: number; take: number },
      checkAccess: () => Promise<unknown>,
    ): Promise<AsyncGenerator<string>> {
      const { id: offerId, created } = offer;
      const maxClaims = isReleased({ requiredMinUser: offer.required_min }, offer) ? page.take : 0;
      const readPage = (skip: number, limit: number, after?: string) =>
        limit === 0
          ? Promise.resolve([])
          : database.run((db) => listConfirmedClaims(db, offerId, { after, skip, take: Math.min(PAGE_ROWS, limit) }));
      const firstPage = await readPage(page.skip, maxClaims);
      const head: Omit<ProviderClaims, 'claims'> = {
        credentials: { offerId, login: claimLoginOf(offerId), dateCreated: created },
        count: offer.confirmed,
        claimed: offer.claimed,
      };
      return (async function* chunks() {
        yield `${JSON.stringify(head).slice(0, -1)},"claims":[`;
        let remaining = maxClaims;
        let rows = firstPage;
        let separator = '';
        for (;;) {
          for (const row of rows) {
            yield `${separator}${JSON.stringify(toProviderClaim(offer, row))}`;
            separator = ',';
          }
          remaining -= rows.length;
          const last = rows.at(-1);
          if (last === undefined || rows.length < PAGE_ROWS || remaining === 0) break;
          await checkAccess();
          rows = await readPage(0, remaining, last.pda_id);
        }
        yield ']}';
      })();
    },

    /**
     * Confirms or unconfirms the claim of a Data Debit after a report about it, unless a later report was applied. A
     * time in the future counts as now, because otherwise no later report would apply.
     * @param time Unix milliseconds
     */
    async applyReport(tx: Tx, pdaId: string, dataDebitId: string, enabled: boolean, time: number): Promise<void> {
      if (!mayBelongToClaim(dataDebitId)) return;
      const reportTime = Math.min(time, clock.now());
      const claim = await lockClaim(tx, pdaId, dataDebitId, reportTime);
      if (claim === undefined) return;
      await setClaimConfirmed(tx, { offerId: claim.offer_id, pdaId }, { confirmed: enabled, time: reportTime });
      if (claim.confirmed === enabled) return;
      const slot = { offerId: claim.offer_id, shard: claim.shard };
      await addToSlot(tx, slot, { taken: 0, confirmed: enabled ? 1 : -1 });
    },

    claimsOf: (pdaId: string): Promise<PdaDisclosure['claims']> =>
      database.run(async (db) => {
        const rows = await listClaimsOfPda(db, pdaId);
        return rows.map((row) => ({
          offerId: row.offer_id,
          title: row.title,
          confirmed: row.confirmed,
          dataDebitId: row.data_debit_id,
          dateCreated: row.created,
        }));
      }),

    async forgetPda(tx: Tx, pdaId: string): Promise<void> {
      const deletedClaims = await deleteClaims(tx, pdaId);
      // Slots are always locked in the same order. Otherwise two concurrent removals could deadlock.
      for (const claim of deletedClaims.toSorted((a, b) => (a.offer_id < b.offer_id ? -1 : 1))) {
        const slot = { offerId: claim.offer_id, shard: claim.shard };
        await addToSlot(tx, slot, { taken: -1, confirmed: claim.confirmed ? -1 : 0 });
      }
    },
  };
};

export type ClaimService = ReturnType<typeof createClaimService>;
