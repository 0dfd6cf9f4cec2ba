import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import type { Reply } from '../../../tests/support/http.ts';
import type { RegisteredTestPda, TestAccount, TestExchange } from '../exchange.test-support.ts';
import type { Scope } from '../../platform/auth/principal.ts';
import { createClaimService } from './claims/service.ts';
import { createClaimCredentialDeriver } from './claims/credentials.ts';
import { createOfferService } from './service.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const NOW = Date.UTC(2026, 0, 15, 12);

const REQUIRED_DATA = {
  name: 'walks',
  bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping: { n: 'count' } }], limit: 10 } },
};

export const newOffer = (offerId: string, changes: object = {}) => ({
  offerId,
  title: `About ${offerId}`,
  description: 'How far do people walk?',
  starts: NOW - DAY_MS,
  expires: NOW + DAY_MS,
  collectionDuration: HOUR_MS,
  requiredData: REQUIRED_DATA,
  requiredMinUser: 1,
  requiredMaxUser: 3,
  ...changes,
});

type ClaimReply = {
  claim: { dataDebitId: string; confirmed: boolean; dateCreated: number };
  credentials: { login: string; passwordHash: string };
  offer: { status: string };
};

export const createOfferCalls = (exchange: TestExchange) => {
  const newClaimService = () =>
    createClaimService({
      database: exchange.exchange.database,
      credentials: createClaimCredentialDeriver('a secret for tests'),
      clock: exchange.clock,
    });
  const calls = {
    register: (account: TestAccount, offer: object): Promise<Reply> =>
      exchange.call('POST', '/api/v2/offer', { token: account.token, json: offer }),
    decide: (account: TestAccount, offerId: string, status: string): Promise<Reply> =>
      exchange.call('PUT', `/api/v2/offer/${offerId}?status=${status}`, { token: account.token }),
    async publish(provider: TestAccount, admin: TestAccount, offer: { offerId: string }): Promise<void> {
      const registration = await calls.register(provider, offer);
      if (registration.status !== 201) throw new Error(registration.text);
      const approval = await calls.decide(admin, offer.offerId, 'approved');
      if (approval.status !== 200) throw new Error(approval.text);
    },
    claim: async (pda: Pick<RegisteredTestPda, 'token'>, offerId: string): Promise<Reply> =>
      exchange.call('GET', `/api/v2/offer/${offerId}/claim`, { token: await pda.token() }),
    /** @throws Error if the claim is refused */
    claimOrThrow: async (pda: Pick<RegisteredTestPda, 'token'>, offerId: string): Promise<ClaimReply> => {
      const response = await calls.claim(pda, offerId);
      if (response.status !== 200) throw new Error(response.text);
      return response.json as ClaimReply;
    },
    /** Applies a report as the statistics do. */
    report: async (pdaId: string, dataDebitId: string, enabled: boolean, time: number): Promise<void> => {
      const { applyReport } = newClaimService();
      await exchange.exchange.database.transact((tx) => applyReport(tx, pdaId, dataDebitId, enabled, time));
    },
    /** Streams the claims of an Offer without HTTP, so that a test can change the Offer between two chunks. */
    stream: async (offerId: string, provider: TestAccount): Promise<AsyncGenerator<string>> => {
      const { database, audit, accounts, pdas } = exchange.exchange;
      const notifyPda = () => Promise.resolve();
      const claims = newClaimService();
      const offers = createOfferService({ database, audit, accounts, pdas, claims, notifyPda, clock: exchange.clock });
      const { userId: accountId, name, token } = provider;
      const sessionId = decodeJwt(token).jti ?? '';
      const principal = { kind: 'account', accountId, name, sessionId, scopes: new Set<Scope>() } as const;
      return offers.streamProviderClaims(offerId, { skip: 0, take: 1_000_000 }, principal);
    },
    leave: async (pda: Pick<RegisteredTestPda, 'token'>): Promise<Reply> =>
      exchange.call('DELETE', '/api/pdas/self', { token: await pda.token() }),
    /** Returns the sums of the slots' counters, and counts of the stored claims for comparison. */
    countClaims: async (offerId: string) =>
      exchange.exchange.database.run(async (db) => {
        const slots = await db.selectFrom('offer_slots').selectAll().where('offer_id', '=', offerId).execute();
        const rows = await db
          .selectFrom('offer_claims')
          .select(['pda_id', 'shard', 'confirmed'])
          .where('offer_id', '=', offerId)
          .execute();
        const sum = (valueOf: (slot: (typeof slots)[number]) => number) =>
          slots.reduce((total, slot) => total + valueOf(slot), 0);
        return {
          taken: sum((slot) => slot.taken),
          confirmed: sum((slot) => slot.confirmed),
          quota: sum((slot) => slot.quota),
          claims: rows.length,
          confirmedClaims: rows.filter((row) => row.confirmed).length,
          pdas: new Set(rows.map((row) => row.pda_id)),
          isConsistentPerShard: slots.every(
            (slot) => slot.taken === rows.filter((row) => row.shard === slot.shard).length && slot.taken <= slot.quota,
          ),
        };
      }),
    countAuditEntries: async (action: string, subject: string): Promise<number> =>
      exchange.exchange.database.run(async (db) => {
        const rows = await db
          .selectFrom('audit')
          .select('id')
          .where('what', '=', action)
          .where('subject', '=', subject)
          .execute();
        return rows.length;
      }),
    /** Inserts PDAs with confirmed claims into the database. */
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
