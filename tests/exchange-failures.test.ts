import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestExchange } from '../server/exchange/exchange.test-support.ts';
import { createOfferCalls, newOffer } from '../server/exchange/offers/offers.test-support.ts';
import { systemClock } from '../server/platform/clock.ts';
import { signPdaToken } from '../server/platform/auth/pda-token.ts';
import { startOwnPostgres, type OwnPostgres } from '../server/platform/postgres/database.test-support.ts';
import type { Reply } from './support/http.ts';
import { killProcesses, pause, startService, until, type ServerProcess } from './support/server-process.ts';
import { createTestClock } from './support/test-pda.ts';
import { sharedKey } from './support/keys.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Runs three exchanges that share a name and a PostgreSQL database, and causes failures. No claim may be lost or
// duplicated, and no Offer may have more claims than slots.

const EXCHANGE_HOST = 'exchange.test';
const PDA_COUNT = 500;
/** Number of PDAs that claim during the failures. It is large enough for the failures to occur between claims. */
const PDAS_DURING_FAILURES = 260;
const SLOTS = { rush: 137, storm: 160 };
const CONCURRENT_CLAIMS = 60;

let postgres: OwnPostgres;
let database: string;
let services: ServerProcess[] = [];

beforeAll(async () => {
  postgres = await startOwnPostgres();
  database = await postgres.createDatabase();
  const now = Date.now();
  const exchange = await startTestExchange({ database, clock: createTestClock(now) });
  try {
    const calls = createOfferCalls(exchange);
    const provider = await exchange.createAccount(['marketPlace']);
    const admin = await exchange.createAccount(['administrator']);
    for (const [offerId, requiredMaxUser] of Object.entries(SLOTS)) {
      const times = { starts: now - 3_600_000, expires: now + 3_600_000 };
      await calls.publish(provider, admin, newOffer(offerId, { requiredMaxUser, ...times }));
    }
    // The other PDAs are copies of the first one.
    await exchange.insertRegisteredPda('pda1.example.org');
    await exchange.exchange.database.run((db) =>
      sql`INSERT INTO pdas (id, address, public_key, registered, refreshed)
          SELECT gen_random_uuid(), 'pda' || number || '.example.org', public_key, registered, refreshed
          FROM pdas, generate_series(2, ${PDA_COUNT}::int) AS number`.execute(db),
    );
  } finally {
    await exchange.close();
  }
  const args = ['--database', database, '--public-url', `http://${EXCHANGE_HOST}`];
  const start = () => startService('server/exchange/cli.ts', args);
  services = await Promise.all([start(), start(), start()]);
});
afterAll(async () => {
  await killProcesses();
  await postgres.close();
});
afterEach(() => {
  for (const { stderr } of services) expect(stderr()).not.toContain('unexpected failure');
});

/** Signs a PDA token for one claim. Tokens expire after five minutes. @param pda index of the PDA, from 0 */
const tokenOf = (pda: number): Promise<string> =>
  signPdaToken(
    sharedKey(),
    { iss: `pda${pda + 1}.example.org`, resource: EXCHANGE_HOST, accessScope: 'validate' },
    systemClock,
  );
const claim = (service: ServerProcess, token: string, offerId: string): Promise<Reply> =>
  service.call('GET', `/api/v2/offer/${offerId}/claim`, { token, headers: { host: EXCHANGE_HOST } });

const readClaimCounts = async (offerId: string): Promise<{ taken: number; claims: number; pdas: number }> => {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<{ taken: number; claims: number; pdas: number }>(
      `SELECT (SELECT sum(taken)::int FROM offer_slots WHERE offer_id = o.id) AS taken,
              (SELECT count(*)::int FROM offer_claims WHERE offer_id = o.id) AS claims,
              (SELECT count(DISTINCT pda_id)::int FROM offer_claims WHERE offer_id = o.id) AS pdas
       FROM offers o WHERE lower(o.id) = $1`,
      [offerId],
    );
    return rows[0] ?? { taken: -1, claims: -1, pdas: -1 };
  } finally {
    await client.end();
  }
};

describe('three exchanges on one PostgreSQL database', { timeout: 600_000 }, () => {
  it('are healthy and sign with the same key', async () => {
    const headers = { host: EXCHANGE_HOST };
    for (const service of services) expect((await service.call('GET', '/healthz', { headers })).status).toBe(200);
    const keys = await Promise.all(services.map((service) => service.call('GET', '/publickey', { headers })));
    expect(new Set(keys.map(({ text }) => text)).size).toBe(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    `accept exactly as many of ${PDA_COUNT} concurrent claims as the Offer has slots`,
    async () => {
      // On a busy machine some requests receive 503, because waiting for the database is limited.
      const claimWhenAvailable = async (pda: number): Promise<Reply> => {
        const reply = await claim(services[pda % 3] as ServerProcess, await tokenOf(pda), 'rush');
        return reply.status === 503 ? pause(50).then(() => claimWhenAvailable(pda)) : reply;
      };
      const responses = await Promise.all(Array.from({ length: PDA_COUNT }, (_, pda) => claimWhenAvailable(pda)));
      const statuses = responses.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(SLOTS.rush);
      expect(statuses.filter((status) => status === 409)).toHaveLength(PDA_COUNT - SLOTS.rush);
      expect(await readClaimCounts('rush')).toStrictEqual({ taken: SLOTS.rush, claims: SLOTS.rush, pdas: SLOTS.rush });
    },
  );

  it('neither lose nor duplicate claims when one exchange is killed and PostgreSQL restarts under load', async () => {
    let runningServices = [...services];
    let responseCount = 0;
    let unavailableCount = 0;
    const statusByPda = new Map<number, number>();
    const debitIdByPda = new Map<number, string>();

    /** Retries at another exchange after a 503 or a connection error, as a PDA does. */
    const claimUntilResponse = async (pda: number): Promise<void> => {
      for (let attempt = pda; ; attempt += 1) {
        const service = runningServices[attempt % runningServices.length] as ServerProcess;
        // After a connection error the state of the claim is unknown.
        const reply = await claim(service, await tokenOf(pda), 'storm').catch(() => undefined);
        if (reply?.status === 503) {
          expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
          unavailableCount += 1;
        } else if (reply !== undefined) {
          const { claim: claimReply } = (reply.json ?? {}) as { claim?: { dataDebitId: string } };
          if (claimReply !== undefined) debitIdByPda.set(pda, claimReply.dataDebitId);
          statusByPda.set(pda, reply.status);
          responseCount += 1;
          return;
        }
        await pause(50);
      }
    };

    const { promise: postgresStopped, resolve: onPostgresStopped } = Promise.withResolvers<void>();
    const waitingPdas = Array.from({ length: PDAS_DURING_FAILURES }, (_, pda) => pda);
    const claimForWaitingPdas = async (): Promise<void> => {
      for (let pda = waitingPdas.shift(); pda !== undefined; pda = waitingPdas.shift()) {
        // The last claims wait, so that some are made while PostgreSQL is stopped, however long the stop takes.
        if (waitingPdas.length < CONCURRENT_CLAIMS) await postgresStopped;
        await claimUntilResponse(pda);
      }
    };
    const load = Promise.all(Array.from({ length: CONCURRENT_CLAIMS }, claimForWaitingPdas));

    const injectFailures = async (): Promise<void> => {
      await until(() => responseCount >= 40, 'the first claims received a response');
      const victim = runningServices[0] as ServerProcess;
      await victim.kill();
      runningServices = runningServices.slice(1);
      await until(() => responseCount >= 80, 'claims continue without the first exchange');
      await postgres.stop();
      onPostgresStopped();
      await until(() => unavailableCount >= 2, 'some requests were refused with 503');
      for (const service of runningServices)
        expect((await service.call('GET', '/healthz', { headers: { host: EXCHANGE_HOST } })).status).toBe(503);
      await postgres.start();
    };
    await Promise.all([load, injectFailures()]);

    const statuses = [...statusByPda.values()];
    expect(statuses.filter((status) => status === 200)).toHaveLength(SLOTS.storm);
    expect(statuses.filter((status) => status === 409)).toHaveLength(PDAS_DURING_FAILURES - SLOTS.storm);
    expect(await readClaimCounts('storm')).toStrictEqual({
      taken: SLOTS.storm,
      claims: SLOTS.storm,
      pdas: SLOTS.storm,
    });

    // Repeated requests return the same claim as before the failure.
    const sample = [...debitIdByPda].filter((_, number) => number % 10 === 0);
    for (const [pda, dataDebitId] of sample) {
      const reply = await claim(runningServices[0] as ServerProcess, await tokenOf(pda), 'storm');
      expect(reply.json).toMatchObject({ claim: { dataDebitId } });
    }
  });

  it('stop on SIGTERM after completing the requests in progress', async () => {
    const [, service, otherService] = services as [ServerProcess, ServerProcess, ServerProcess];
    // The tokens are signed in advance, so that all claims are sent at the same time.
    const tokens = await Promise.all(Array.from({ length: 10 }, (_, pda) => tokenOf(pda)));
    const pendingClaims = tokens.map((token) => claim(service, token, 'storm'));
    await until(async () => (await pendingClaims[0])?.status !== undefined, 'the first request received a response');
    const [exitStatus, ...claimStatuses] = await Promise.all([
      service.stop(),
      ...pendingClaims.map((reply) => reply.then(({ status }) => status).catch(() => 'broken')),
    ]);
    expect(claimStatuses.every((status) => status === 200 || status === 409)).toBe(true);
    expect(exitStatus).toStrictEqual({ code: 0, signal: null });
    expect(await otherService.stop()).toStrictEqual({ code: 0, signal: null });
  });
});
