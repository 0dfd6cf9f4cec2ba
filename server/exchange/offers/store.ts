import { sql, type RawBuilder, type Selectable, type SqlBool } from 'kysely';
import { collided, isTaken, type Db, type Tx } from '../storage/index.ts';
import type { OfferTable } from '../storage/tables-offers.ts';
import type { OfferState } from './rules.ts';

/** All SQL of the Offers. */

export type OfferRow = Selectable<OfferTable>;
/** With the sums of its slots. */
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

const offers = (db: Db) =>
  db
    .selectFrom('offers')
    .selectAll('offers')
    .select([sumOf('taken').as('claimed'), sumOf('confirmed').as('confirmed')]);

export const findOffer = (db: Db, id: string): Promise<CountedOfferRow | undefined> =>
  offers(db).where('offers.id', '=', id).executeTakeFirst();

/** False when there is one of that id already. */
export const insertOffer = async (tx: Tx, row: OfferRow): Promise<boolean> => {
  const done = await tx
    .insertInto('offers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n;
};

/** Offers of an account that nobody has decided about. */
export const countDrafts = async (tx: Tx, provider: string): Promise<number> => {
  const row = await tx
    .selectFrom('offers')
    .select((where) => where.fn.countAll<number>().as('count'))
    .where('provider', '=', provider)
    .where('state', '=', 'draft')
    .executeTakeFirstOrThrow();
  return row.count;
};

/** Held until the transaction ends: whoever decides about it and whoever changes it take turns. */
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

/** Makes the places of an Offer; those that are there stay as they are. */
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

export type OfferSearch = {
  /** Those that everybody may see: approved, and not over at this time. */
  openAt: number;
  /** Besides, all of this account. */
  provider?: string;
  /** All there are. */
  all?: boolean;
  state?: OfferState;
  /** Id of the last one of the page before. */
  after?: string;
  skip: number;
  take: number;
};

/** The newest first. */
export const listOffers = (db: Db, search: OfferSearch): Promise<CountedOfferRow[]> => {
  let query = offers(db)
    .orderBy('offers.created', 'desc')
    .orderBy('offers.id', 'desc')
    .limit(search.take)
    .offset(search.skip);
  if (search.all !== true) {
    query = query.where((where) =>
      where.or([
        where.and([where('offers.state', '=', 'approved'), where('offers.expires', '>', search.openAt)]),
        ...(search.provider === undefined ? [] : [where('offers.provider', '=', search.provider)]),
      ]),
    );
  }
  if (search.state !== undefined) query = query.where('offers.state', '=', search.state);
  if (search.after !== undefined) {
    query = query.where(
      sql<SqlBool>`(offers.created, offers.id) < (SELECT last.created, last.id FROM offers AS last WHERE last.id = ${search.after})`,
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
  /** Where the search for a place begins, so that PDAs that come together do not all ask for the same part. */
  turn: number;
};

/** An Offer with what one PDA has of it. */
export type ClaimOutcome = CountedOfferRow & {
  claim_id: string | null;
  data_debit_id: string | null;
  password_hash: string | null;
  claim_confirmed: boolean | null;
  claim_created: number | null;
  address: string | null;
  public_key: string | null;
};

/**
 * Claims an Offer, or finds the claim that there is: one statement, true as a whole or not at all, so that a claim costs one round trip. A place is taken
 * where the part of the Offer has one left: whoever waited for that part looks again at what it holds now. No claim and nothing in the way means that
 * others took the part's last place meanwhile: ask again. The PDA is held, so that it cannot leave in between.
 *
 * @throws of the database: isTaken when the same PDA claims twice at the same moment
 */
export const claimQuery = (claim: NewClaim): RawBuilder<ClaimOutcome> => sql<ClaimOutcome>`
  WITH pda AS (
    SELECT id, address, public_key FROM pdas WHERE id = CAST(${claim.pdaId} AS uuid) FOR KEY SHARE
  ), slot AS (
    UPDATE offer_slots SET taken = taken + 1
    WHERE offer_id = ${claim.offerId} AND taken < quota
      AND shard = (
        SELECT free.shard FROM offer_slots AS free WHERE free.offer_id = ${claim.offerId} AND free.taken < free.quota
        ORDER BY (free.shard + CAST(${claim.turn} AS integer)) % free.shards LIMIT 1
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
  ), made AS (
    INSERT INTO offer_claims (id, offer_id, pda_id, shard, data_debit_id, password_hash, confirmed, reported, created)
    SELECT CAST(${claim.id} AS uuid), CAST(${claim.offerId} AS text), CAST(${claim.pdaId} AS uuid), slot.shard,
      CAST(${claim.dataDebitId} AS text), CAST(${claim.passwordHash} AS text), false, 0, CAST(${claim.now} AS bigint)
    FROM slot
    RETURNING id, data_debit_id, password_hash, confirmed, created
  ), claim AS (
    SELECT id, data_debit_id, password_hash, confirmed, created FROM made
    UNION ALL
    SELECT id, data_debit_id, password_hash, confirmed, created FROM offer_claims
    WHERE offer_id = ${claim.offerId} AND pda_id = CAST(${claim.pdaId} AS uuid)
  )
  SELECT offers.*,
    ${sumOf('taken')} + (SELECT count(*) FROM made) AS claimed, ${sumOf('confirmed')} AS confirmed,
    claim.id AS claim_id, claim.data_debit_id, claim.password_hash, claim.confirmed AS claim_confirmed,
    claim.created AS claim_created, pda.address, pda.public_key
  FROM offers LEFT JOIN pda ON true LEFT JOIN claim ON true
  WHERE offers.id = ${claim.offerId}`;

/** Undefined when there is no such Offer. 'again': the same PDA claimed at the same moment, or is just leaving. */
export const claimOffer = async (db: Db, claim: NewClaim): Promise<ClaimOutcome | 'again' | undefined> => {
  try {
    return (await claimQuery(claim).execute(db)).rows[0];
  } catch (error) {
    if (isTaken(error) || collided(error)) return 'again';
    throw error;
  }
};

export type ConfirmedClaimRow = ClaimRow & { pda_id: string };

/** Confirmed claims in the order of their PDAs; `after` is the last PDA of the page before. */
export const confirmedClaims = (
  db: Db,
  offerId: string,
  page: { after?: string; skip: number; take: number },
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

export const claimsOfPda = (db: Db, pdaId: string) =>
  db
    .selectFrom('offer_claims as claims')
    .innerJoin('offers', 'offers.id', 'claims.offer_id')
    .select(['claims.offer_id', 'offers.title', 'claims.confirmed', 'claims.data_debit_id', 'claims.created'])
    .where('claims.pda_id', '=', pdaId)
    .orderBy('claims.created')
    .orderBy('claims.offer_id')
    .execute();

/** The claim that is for this Data Debit, unless something later is known of it. Held until the transaction ends. */
export const lockClaim = (tx: Tx, pdaId: string, dataDebitId: string, time: number) =>
  tx
    .selectFrom('offer_claims')
    .select(['offer_id', 'shard', 'confirmed'])
    .where('pda_id', '=', pdaId)
    .where('data_debit_id', '=', dataDebitId)
    .where('reported', '<=', time)
    .forUpdate()
    .executeTakeFirst();

export const reportClaim = async (
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

/** Adds to what one part of an Offer counts. */
export const countSlot = async (
  tx: Tx,
  slot: { offerId: string; shard: number },
  by: { taken: number; confirmed: number },
): Promise<void> => {
  await tx
    .updateTable('offer_slots')
    .set((old) => ({ taken: old('taken', '+', by.taken), confirmed: old('confirmed', '+', by.confirmed) }))
    .where('offer_id', '=', slot.offerId)
    .where('shard', '=', slot.shard)
    .execute();
};

/** Takes the claims of a PDA away, after the claims that it is just making: it is held from here on. */
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

/** A secret that all processes share: the one that is there, else the one that is given. */
export const keepSecret = async (tx: Tx, name: string, value: string): Promise<string> => {
  await tx
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await tx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return row.value;
};
