import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { claimOffer } from '../server/exchange/offers/store.ts';
import { distributeSlots } from '../server/exchange/offers/rules.ts';
import { findPdaAt } from '../server/exchange/pdas/store.ts';
import type { Tables } from '../server/exchange/storage/tables.ts';
import type { Benchmark } from './support/context.ts';
import { startExchange } from './support/exchange.ts';
import { compare, measureRequests, ratioFigure, type Measurement } from './support/load.ts';
import { findClientProgram, withClient } from './support/postgres-server.ts';

const MIN_RATIO = 0.4;
const CONNECTIONS = 200;
const PDAS = 6000;
const BATCH_SIZE = 500;

/** Returns the statements of one claim as a pgbench script. */
const createPgbenchScript = async (): Promise<string> => {
  const statements: { sql: string; parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: (event) => void statements.push(event.query),
  });
  const expressions: Readonly<Record<string, string>> = {
    ADDRESS: `'p' || :number || '.bench.example'`,
    PDA: ':pda_id',
    CLAIM: 'gen_random_uuid()',
    OFFER: ':offer',
    DEBIT: `'offer-' || :number || '-abcdefghijkl'`,
    HASH: `'$argon2id$v=19$m=8,t=1,p=1$1XZ8SGpDQs+5jvqavCVaPg$bLg27iuYTNQ5RSlr/sTtXNfYBah1dxsQ3IMedINoz1s'`,
    1: ':now',
    2: ':shard_offset',
  };
  await findPdaAt(db, 'ADDRESS');
  const claim = {
    id: 'CLAIM',
    offerId: 'OFFER',
    pdaId: 'PDA',
    dataDebitId: 'DEBIT',
    passwordHash: 'HASH',
    now: 1,
    shardOffset: 2,
  };
  await claimOffer(db, claim);
  const [findPdaSql, insertClaimSql] = statements.map(({ sql, parameters }) =>
    sql.replaceAll(/\$(\d+)/gu, (_, index: string) => {
      const value = expressions[String(parameters[Number(index) - 1])];
      if (value === undefined) throw new Error(`parameter ${index} is missing for: ${sql}`);
      return value;
    }),
  );
  return [
    '\\set i :i + 1',
    `\\set number :client_id * ${PDAS / CONNECTIONS} + :i`,
    '\\set shard_offset random(0, 1023)',
    `${findPdaSql?.replaceAll(/\s+/gu, ' ')} \\gset pda_`,
    `${insertClaimSql?.replaceAll(/\s+/gu, ' ')};`,
    '',
  ].join('\n');
};

export const networkClaims: Benchmark = async (context) => {
  const pgbench = findClientProgram('pgbench');
  if (pgbench === undefined) {
    process.stderr.write('network-claims skipped: pgbench was not found. Install the PostgreSQL client packages.\n');
    return [];
  }
  const exchange = await startExchange(PDAS, CONNECTIONS + 50);
  const { server, postgres } = exchange;
  try {
    const offers = await insertOffers(postgres.url, 2 * (context.rounds + 1));

    const signTokens = async (): Promise<string[]> => {
      const tokens: string[] = [];
      while (tokens.length < PDAS) {
        const numbers = Array.from({ length: BATCH_SIZE }, (_, index) => tokens.length + index + 1);
        tokens.push(...(await Promise.all(numbers.map((number) => exchange.signToken(number)))));
      }
      return tokens;
    };

    const claimAll = async (offer: string): Promise<Measurement> => {
      const tokens = await signTokens();
      return measureRequests(server, PDAS, async () => {
        const result = await sendClaims(`${server.url}/api/v2/offer/${offer}/claim`, tokens);
        if (result.non2xx > 0 || result.errors > 0 || result['2xx'] !== PDAS)
          throw new Error(`${result.non2xx} claims were refused, ${result.errors} failed, ${result['2xx']} succeeded`);
      });
    };

    const script = join(context.folder, 'claim.sql');
    writeFileSync(script, await createPgbenchScript());
    const runPgbench = (offer: string): Measurement => {
      const variables = ['i=0', `offer=${offer}`, `now=${Date.now()}`].flatMap((variable) => ['-D', variable]);
      const loadArgs = `-n -M extended -c ${CONNECTIONS} -j 2 -t ${PDAS / CONNECTIONS}`.split(' ');
      const connectionArgs = `-h 127.0.0.1 -p ${postgres.port} -U ${postgres.user} postgres`.split(' ');
      const result = spawnSync(pgbench, [...loadArgs, '-f', script, ...variables, ...connectionArgs], {
        encoding: 'utf8',
        env: { ...process.env, PGPASSWORD: postgres.password },
      });
      const perSecond = Number(/tps = ([\d.]+)/u.exec(result.stdout)?.[1]);
      if (result.status !== 0 || Number.isNaN(perSecond))
        throw new Error(`pgbench failed\n${result.stdout}\n${result.stderr}`);
      return { perSecond, cpuPerRequest: undefined };
    };

    const remainingOffers = offers.values();
    const takeOffer = (): string => remainingOffers.next().value ?? '';
    // Warm-up: the first claim of a PDA also updates the PDA's last-seen time, which must not be measured.
    await claimAll(takeOffer());
    runPgbench(takeOffer());
    const comparison = await compare(
      context.rounds,
      () => claimAll(takeOffer()),
      () => Promise.resolve(runPgbench(takeOffer())),
    );
    await checkClaims(postgres.url);
    const label = `Claims of one Offer over ${CONNECTIONS} connections, compared with pgbench with the same statements`;
    return [ratioFigure(label, MIN_RATIO, comparison)];
  } finally {
    await exchange.stop();
  }
};

const sendClaims = (url: string, tokens: readonly string[]): Promise<autocannon.Result> => {
  let nextIndex = 0;
  return autocannon({
    url,
    connections: CONNECTIONS,
    amount: tokens.length,
    timeout: 60,
    requests: [
      {
        setupRequest(request) {
          const token = tokens[nextIndex % tokens.length] ?? '';
          nextIndex += 1;
          return { ...request, headers: { ...request.headers, 'x-auth-token': token } };
        },
      },
    ],
  });
};

const insertOffers = (database: string, count: number): Promise<string[]> =>
  withClient(database, async (client) => {
    const offers = Array.from({ length: count }, (_, number) => `bench${number}`);
    const claimLimit = 1_000_000_000;
    const requiredData = JSON.stringify({
      name: 'bench',
      bundle: { steps: { endpoints: [{ endpoint: 'bench/steps' }] } },
    });
    for (const id of offers) {
      await client.query(
        `INSERT INTO offers (id, provider, provider_name, created, edition, title, description, starts, expires, collection_ms,
           required_data, required_min, required_max, state)
         VALUES ($1, gen_random_uuid(), 'bench', CAST($2 AS bigint), 1, 'A bench', 'How fast can it be claimed?', CAST($2 AS bigint), CAST($2 AS bigint) + 86400000, 3600000, $3, 1, $4, 'approved')`,
        [id, Date.now(), requiredData, claimLimit],
      );
      const quotas = distributeSlots(claimLimit);
      for (const [shard, quota] of quotas.entries())
        await client.query('INSERT INTO offer_slots VALUES ($1, $2, $3, $4, 0, 0)', [id, shard, quotas.length, quota]);
    }
    await client.query('VACUUM ANALYZE');
    return offers;
  });

const checkClaims = (database: string): Promise<void> =>
  withClient(database, async (client) => {
    const { rows } = await client.query<{ id: string; claims: string }>(
      `SELECT offers.id, (SELECT count(*) FROM offer_claims WHERE offer_id = offers.id) AS claims FROM offers
       WHERE (SELECT sum(taken) FROM offer_slots WHERE offer_id = offers.id) <> ${PDAS}
         OR (SELECT count(*) FROM offer_claims WHERE offer_id = offers.id) <> ${PDAS}`,
    );
    if (rows.length > 0) throw new Error(`claims are missing: ${JSON.stringify(rows)}`);
  });
