import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { isSerializationFailure, isUniqueViolation, type Db, type Tx } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';
import type { OfferState } from './rules.ts';

export type OfferRow = Tables['offers'];
export type CountedOfferRow = OfferRow & { claimed: number; confirmed: number };

export type ClaimRow = {
  id: string;
  data_debit_id: string;
  password_hash: string;
  confirmed: boolean;
  created: number;
  address: string;
  public_key: string;
};

const sumOf = (column: 'taken' | 'confirmed'): RawBuilder<number> =>
  sql<number>`CAST(coalesce((SELECT sum(${sql.ref(column)}) FROM offer_slots WHERE offer_slots.offer_id = offers.id), 0) AS bigint)`;

const selectOffers = (db: Db) =>
  db
    .selectFrom('offers')
    .selectAll('offers')
    .select([sumOf('taken').as('claimed'), sumOf('confirmed').as('confirmed')]);

export const findOffer = (db: Db, id: string): Promise<CountedOfferRow | undefined> =>
  selectOffers(db).where('offers.id', '=', id).executeTakeFirst();

export const insertOffer = async (tx: Tx, row: OfferRow): Promise<boolean> => {
  const result = await tx
    .insertInto('offers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
};

export const countDrafts = async (tx: Tx, provider: string): Promise<number> => {
  const row = await tx
    .selectFrom('offers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('provider', '=', provider)
    .where('state', '=', 'draft')
    .executeTakeFirstOrThrow();
  return row.count;
};

/** Serialises decisions and changes until the transaction ends. */
export const lockOffer = (
  tx: Tx,
  id: string,
): Promise<Pick<OfferRow, 'provider' | 'state' | 'edition' | 'expires' | 'required_max' | 'title'> | undefined> =>
  tx
    .selectFrom('offers')
    .select(['provider', 'state', 'edition', 'expires', 'required_max', 'title'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export const changeOffer = async (tx: Tx, id: string, change: Partial<OfferRow>): Promise<void> => {
  await tx.updateTable('offers').set(change).where('id', '=', id).execute();
};

/** Does not change existing slots. */
export const insertSlots = async (tx: Tx, offerId: string, quotas: readonly number[]): Promise<void> => {
  await tx
    .insertInto('offer_slots')
    .values(
      quotas.map((quota, shard) => ({
        offer_id: offerId,
        shard,
        shards: quotas.length,
        quota,
        taken: 0,
        confirmed: 0,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

type OfferFilter = {
  /** Selects approved Offers that are not expired at this time (Unix milliseconds). */
  openAt: number;
  /** Also selects all Offers of this account. */
  provider: string | undefined;
  includeAll: boolean;
  state: OfferState | undefined;
  /** Id of the previous page's last Offer. */
  after?: string | undefined;
  skip: number;
  take: number;
};

/** Newest first. */
export const listOffers = (db: Db, filter: OfferFilter): Promise<CountedOfferRow[]> => {
  let query = selectOffers(db)
    .orderBy('offers.created', 'desc')
    .orderBy('offers.id', 'desc')
    .limit(filter.take)
    .offset(filter.skip);
  if (!filter.includeAll) {
    query = query.where((where) =>
      where.or([
        where.and([where('offers.state', '=', 'approved'), where('offers.expires', '>', filter.openAt)]),
        ...(filter.provider === undefined ? [] : [where('offers.provider', '=', filter.provider)]),
      ]),
    );
  }
  if (filter.state !== undefined) query = query.where('offers.state', '=', filter.state);
  if (filter.after !== undefined) {
    query = query.where(
      sql<SqlBool>`(offers.created, offers.id) < (SELECT last.created, last.id FROM offers AS last WHERE last.id = ${filter.after})`,
    );
  }
  return query.execute();
};

export type NewClaim = {
  id: string;
  offerId: string;
  pdaId: string;
  dataDebitId: string;
  passwordHash: string;
  now: number;
  /** Random start of the search for a free shard, so that concurrent PDAs rarely compete for the same shard. */
  shardOffset: number;
};

export type ClaimOutcome = CountedOfferRow & {
  data_debit_id: string | null;
  password_hash: string | null;
  claim_confirmed: boolean | null;
  claim_created: number | null;
  address: string | null;
  public_key: string | null;
};

/**
 * Returns the statement that claims an Offer or finds the existing claim, atomically. A concurrent statement that
 * waited for the same shard re-evaluates the condition. A result without a claim, although the Offer can be claimed and
 * the PDA is registered, means that another PDA took the shard's last slot: retry. Raises a unique violation if the
 * same PDA claims twice concurrently.
 */
const buildClaimQuery = (claim: NewClaim): RawBuilder<ClaimOutcome> => sql<ClaimOutcome>`
  WITH pda AS (
    SELECT id, address, public_key FROM pdas WHERE id = CAST(${claim.pdaId} AS uuid) FOR KEY SHARE
  ), slot AS (
    UPDATE offer_slots SET taken = taken + 1
    WHERE offer_id = ${claim.offerId} AND taken < quota
      AND shard = (
        SELECT free.shard FROM offer_slots AS free WHERE free.offer_id = ${claim.offerId} AND free.taken < free.quota
        ORDER BY (free.shard + CAST(${claim.shardOffset} AS integer)) % free.shards LIMIT 1
      )
      AND EXISTS (SELECT 1 FROM pda)
      AND EXISTS (
        SELECT 1 FROM offers WHERE offers.id = ${claim.offerId} AND offers.state = 'approved'
        AND offers.starts <= CAST(${claim.now} AS bigint) AND offers.expires > CAST(${claim.now} AS bigint)
      )
      AND NOT EXISTS (
        SELECT 1 FROM offer_claims AS own WHERE own.offer_id = ${claim.offerId} AND own.pda_id = CAST(${claim.pdaId} AS uuid)
      )
    RETURNING shard
  ), new_claim AS (
    INSERT INTO offer_claims (id, offer_id, pda_id, shard, data_debit_id, password_hash, confirmed, reported, created)
    SELECT CAST(${claim.id} AS uuid), CAST(${claim.offerId} AS text), CAST(${claim.pdaId} AS uuid), slot.shard,
      CAST(${claim.dataDebitId} AS text), CAST(${claim.passwordHash} AS text), false, 0, CAST(${claim.now} AS bigint)
    FROM slot
    RETURNING data_debit_id, password_hash, confirmed, created
  ), claim AS (
    SELECT data_debit_id, password_hash, confirmed, created FROM new_claim
    UNION ALL
    SELECT data_debit_id, password_hash, confirmed, created FROM offer_claims
    WHERE offer_id = ${claim.offerId} AND pda_id = CAST(${claim.pdaId} AS uuid)
  )
  SELECT offers.*,
    ${sumOf('taken')} + (SELECT count(*) FROM new_claim) AS claimed, ${sumOf('confirmed')} AS confirmed,
    claim.data_debit_id, claim.password_hash, claim.confirmed AS claim_confirmed, claim.created AS claim_created,
    pda.address, pda.public_key
  FROM offers LEFT JOIN pda ON true LEFT JOIN claim ON true
  WHERE offers.id = ${claim.offerId}`;

/** @returns undefined if the Offer does not exist; 'retry' if the PDA is claiming or being removed concurrently */
export const claimOffer = async (db: Db, claim: NewClaim): Promise<ClaimOutcome | 'retry' | undefined> => {
  try {
    return (await buildClaimQuery(claim).execute(db)).rows[0];
  } catch (error) {
    if (isUniqueViolation(error) || isSerializationFailure(error)) return 'retry';
    throw error;
  }
};

export type ConfirmedClaimRow = ClaimRow & { pda_id: string };

/** Ordered by PDA. @param page.after id of the previous page's last PDA */
export const listConfirmedClaims = (
  db: Db,
  offerId: string,
  page: { after: string | undefined; skip: number; take: number },
): Promise<ConfirmedClaimRow[]> => {
  let query = db
    .selectFrom('offer_claims as claims')
    .innerJoin('pdas', 'pdas.id', 'claims.pda_id')
    .select([
      'claims.id',
      'claims.pda_id',
      'claims.data_debit_id',
      'claims.password_hash',
      'claims.confirmed',
      'claims.created',
      'pdas.address',
      'pdas.public_key',
    ])
    .where('claims.offer_id', '=', offerId)
    .where('claims.confirmed', '=', true)
    .orderBy('claims.pda_id')
    .limit(page.take)
    .offset(page.skip);
  if (page.after !== undefined) query = query.where('claims.pda_id', '>', page.after);
  return query.execute();
};

export const listClaimsOfPda = (db: Db, pdaId: string) =>
  db
    .selectFrom('offer_claims as claims')
    .innerJoin('offers', 'offers.id', 'claims.offer_id')
    .select(['claims.offer_id', 'offers.title', 'claims.confirmed', 'claims.data_debit_id', 'claims.created'])
    .where('claims.pda_id', '=', pdaId)
    .orderBy('claims.created')
    .orderBy('claims.offer_id')
    .execute();

/** Locks a Data Debit's claim until the transaction ends, unless a later report was applied to the claim. */
export const lockClaim = (tx: Tx, pdaId: string, dataDebitId: string, time: number) =>
  tx
    .selectFrom('offer_claims')
    .select(['offer_id', 'shard', 'confirmed'])
    .where('pda_id', '=', pdaId)
    .where('data_debit_id', '=', dataDebitId)
    .where('reported', '<=', time)
    .forUpdate()
    .executeTakeFirst();

export const setClaimConfirmed = async (
  tx: Tx,
  claim: { offerId: string; pdaId: string },
  report: { confirmed: boolean; time: number },
): Promise<void> => {
  await tx
    .updateTable('offer_claims')
    .set({ confirmed: report.confirmed, reported: report.time })
    .where('offer_id', '=', claim.offerId)
    .where('pda_id', '=', claim.pdaId)
    .execute();
};

export const addToSlot = async (
  tx: Tx,
  slot: { offerId: string; shard: number },
  change: { taken: number; confirmed: number },
): Promise<void> => {
  await tx
    .updateTable('offer_slots')
    .set((column) => ({
      taken: column('taken', '+', change.taken),
      confirmed: column('confirmed', '+', change.confirmed),
    }))
    .where('offer_id', '=', slot.offerId)
    .where('shard', '=', slot.shard)
    .execute();
};

/** Locks the PDA first, which waits for concurrent claims and prevents new ones. */
export const deleteClaims = async (
  tx: Tx,
  pdaId: string,
): Promise<{ offer_id: string; shard: number; confirmed: boolean }[]> => {
  await tx.selectFrom('pdas').select('id').where('id', '=', pdaId).forUpdate().execute();
  return tx
    .deleteFrom('offer_claims')
    .where('pda_id', '=', pdaId)
    .returning(['offer_id', 'shard', 'confirmed'])
    .execute();
};

/** Inserts `value` if no secret has this name, and returns the stored secret. */
export const readOrInsertSecret = async (tx: Tx, name: string, value: string): Promise<string> => {
  await tx
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await tx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return row.value;
};
