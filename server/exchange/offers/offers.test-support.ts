import { sql } from 'kysely';
import type { Reply } from '../../../tests/support/http.ts';
import type { KnownPda, TestAccount, TestExchange } from '../exchange.test-support.ts';
import type { Scope } from '../../platform/principal.ts';
import { createClaims } from './claims.ts';
import { createClaimCredentials } from './credentials.ts';
import { createOfferService } from './service.ts';

/** What tests of Offers share: an Offer, the calls, and what the database holds. */

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** When the clock of a test exchange starts. */
export const NOW = Date.UTC(2026, 0, 15, 12);

export const REQUIRED = {
  name: 'walks',
  bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping: { n: 'count' } }], limit: 10 } },
};

export const newOffer = (offerId: string, change: object = {}) => ({
  offerId,
  title: `About ${offerId}`,
  description: 'How far do people walk?',
  starts: NOW - DAY,
  expires: NOW + DAY,
  collectionDuration: HOUR,
  requiredData: REQUIRED,
  requiredMinUser: 1,
  requiredMaxUser: 3,
  ...change,
});

export type Claimed = {
  claim: { dataDebitId: string; confirmed: boolean; dateCreated: number };
  credentials: { login: string; passwordHash: string };
  offer: { status: string };
};

export const offerCalls = (exchange: TestExchange) => {
  const claims = async () =>
    createClaims({
      database: exchange.exchange.database,
      credentials: await createClaimCredentials('of no use here'),
      clock: exchange.clock,
    });
  const calls = {
    register: (by: TestAccount, offer: object): Promise<Reply> =>
      exchange.call('POST', '/api/v2/offer', { token: by.token, json: offer }),
    decide: (by: TestAccount, offerId: string, status: string): Promise<Reply> =>
      exchange.call('PUT', `/api/v2/offer/${offerId}?status=${status}`, { token: by.token }),
    /** Registered and approved. */
    async approved(provider: TestAccount, admin: TestAccount, offer: { offerId: string }): Promise<void> {
      const registered = await calls.register(provider, offer);
      if (registered.status !== 201) throw new Error(registered.text);
      const decided = await calls.decide(admin, offer.offerId, 'approved');
      if (decided.status !== 200) throw new Error(decided.text);
    },
    claim: async (pda: Pick<KnownPda, 'token'>, offerId: string): Promise<Reply> =>
      exchange.call('GET', `/api/v2/offer/${offerId}/claim`, { token: await pda.token() }),
    claimed: async (pda: Pick<KnownPda, 'token'>, offerId: string): Promise<Claimed> => {
      const answer = await calls.claim(pda, offerId);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json as Claimed;
    },
    /** As the room of statistics does when a PDA reports a Data Debit. */
    report: async (pdaId: string, dataDebitId: string, enabled: boolean, time: number): Promise<void> => {
      const { confirmation } = await claims();
      await exchange.exchange.database.transact((tx) => confirmation(tx, pdaId, dataDebitId, enabled, time));
    },
    /** The claims of an Offer as its provider reads them, piece by piece. */
    stream: async (offerId: string, by: TestAccount): Promise<AsyncGenerator<string>> => {
      const { database, audit, pdas } = exchange.exchange;
      const tell = () => Promise.resolve();
      const offers = createOfferService({ database, audit, pdas, claims: await claims(), tell, clock: exchange.clock });
      const { userId: accountId, name } = by;
      const principal = { kind: 'account', accountId, name, sessionId: '', scopes: new Set<Scope>() } as const;
      return offers.providerClaims(offerId, { skip: 0, take: 1_000_000 }, principal);
    },
    leave: async (pda: Pick<KnownPda, 'token'>): Promise<Reply> =>
      exchange.call('DELETE', '/api/pdas/self', { token: await pda.token() }),
    /** What the places say, and what the claims say: both must be the same. */
    counted: async (offerId: string) =>
      exchange.exchange.database.read(async (db) => {
        const slots = await db.selectFrom('offer_slots').selectAll().where('offer_id', '=', offerId).execute();
        const rows = await db
          .selectFrom('offer_claims')
          .select(['pda_id', 'shard', 'confirmed'])
          .where('offer_id', '=', offerId)
          .execute();
        const sum = (of: (slot: (typeof slots)[number]) => number) => slots.reduce((all, slot) => all + of(slot), 0);
        return {
          taken: sum((slot) => slot.taken),
          confirmed: sum((slot) => slot.confirmed),
          quota: sum((slot) => slot.quota),
          claims: rows.length,
          confirmedClaims: rows.filter((row) => row.confirmed).length,
          pdas: new Set(rows.map((row) => row.pda_id)),
          perShard: slots.every(
            (slot) => slot.taken === rows.filter((row) => row.shard === slot.shard).length && slot.taken <= slot.quota,
          ),
        };
      }),
    audited: async (what: string, subject: string): Promise<number> =>
      exchange.exchange.database.read(async (db) => {
        const rows = await db
          .selectFrom('audit')
          .select('id')
          .where('what', '=', what)
          .where('subject', '=', subject)
          .execute();
        return rows.length;
      }),
    /** PDAs with confirmed claims, straight into the database. */
    fill: (offerId: string, count: number): Promise<unknown> =>
      exchange.exchange.database.transact(async (tx) => {
        await sql`INSERT INTO pdas (id, address, public_key, waiting_key, registered, refreshed, last_seen)
          SELECT CAST('00000000-0000-4000-8000-' || lpad(CAST(n AS text), 12, '0') AS uuid), ${`${offerId}-`} || n || '.example.net', 'key', NULL, 0, 0, NULL
          FROM generate_series(1, CAST(${count} AS integer)) AS n`.execute(tx);
        await sql`INSERT INTO offer_claims (id, offer_id, pda_id, shard, data_debit_id, password_hash, confirmed, reported, created)
          SELECT id, ${offerId}, id, 0, 'offer-' || address, 'hash', true, 0, 0 FROM pdas WHERE address LIKE ${`${offerId}-%`}`.execute(
          tx,
        );
        await sql`UPDATE offer_slots SET taken = ${count}, confirmed = ${count} WHERE offer_id = ${offerId} AND shard = 0`.execute(
          tx,
        );
      }),
  };
  return calls;
};
