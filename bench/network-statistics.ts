import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Pool } from 'undici';
import { systemClock } from '../server/platform/clock.ts';
import { signPdaToken } from '../server/platform/auth/pda-token.ts';
import type { StatisticEvent } from '../server/wire/statistics.ts';
import type { Benchmark } from './support/context.ts';
import { startPostgresServer, type PostgresServer } from './support/postgres-server.ts';
import { startProcess } from './support/processes.ts';
import { median, percentile, toFixed2, formatRounded } from './support/stats.ts';

const MIN_EVENTS_PER_SECOND = 5000;
const EVENTS_PER_BATCH = 100;
const PDAS = 500;
const CONNECTIONS = 16;
const ROUNDS = 3;
const BATCHES_PER_ROUND = 600;
const FIELDS_PER_RECORD = 8;
const APPLICATIONS = 40;

const addressOf = (number: number): string => `p${number}.bench.example`;

const propertyStatsOf = (records: number): Record<string, number> =>
  Object.fromEntries(
    Array.from({ length: FIELDS_PER_RECORD }, (_, field) => [field < 2 ? `list[].f${field}` : `f${field}`, records]),
  );

/**
 * Creates an event of a typical day: mostly inbound data of plugs, some outbound data, and occasional Data Debit
 * operations.
 */
const eventOf = (number: number, time: number): StatisticEvent => {
  const records = 1 + (number % 5);
  const plug = `plug${number % APPLICATIONS}`;
  const stats = [{ endpoint: `${plug}/things/kind${number % 3}`, records, propertyStats: propertyStatsOf(records) }];
  const event = { id: randomUUID(), time };
  if (number % 20 === 0)
    return { ...event, statsType: 'datadebit', dataDebitKey: `debit-${number}`, operation: 'Enable' };
  if (number % 4 === 0) return { ...event, statsType: 'outbound', dataDebitKey: `debit-${number}`, stats };
  return { ...event, statsType: 'inbound', application: plug, stats };
};

const countValues = (events: readonly StatisticEvent[]): number =>
  events.reduce(
    (sum, event) =>
      event.statsType === 'inbound'
        ? sum + event.stats.reduce((total, { records }) => total + records * FIELDS_PER_RECORD, 0)
        : sum,
    0,
  );

/** Measures how many events per second the exchange stores if PDAs report in batches, each with a new token. */
export const networkStatistics: Benchmark = async () => {
  const postgres = await startPostgresServer(50);
  const exchange = await startProcess('server/exchange/cli.ts', ['serve', '--database', postgres.url]);
  try {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await insertPdas(postgres, publicKey.export({ type: 'spki', format: 'pem' }).toString());
    const resource = new URL(exchange.url).host;
    let expectedValues = 0;
    let sentCount = 0;

    const prepareBatches = async (count: number): Promise<{ token: string; body: string }[]> => {
      const batches: { token: string; body: string }[] = [];
      while (batches.length < count) {
        const events = Array.from({ length: EVENTS_PER_BATCH }, (_, index) => eventOf(sentCount + index, Date.now()));
        sentCount += EVENTS_PER_BATCH;
        expectedValues += countValues(events);
        const claims = { iss: addressOf(batches.length % PDAS), resource, accessScope: 'validate' };
        batches.push({ token: await signPdaToken({ privateKey }, claims, systemClock), body: JSON.stringify(events) });
      }
      return batches;
    };

    const runRound = async (
      count: number,
    ): Promise<{ perSecond: number; cpuMs: number | undefined; durations: number[] }> => {
      const batches = (await prepareBatches(count)).values();
      const pool = new Pool(exchange.url, { connections: CONNECTIONS, pipelining: 1 });
      const durations: number[] = [];
      const sendBatches = async (): Promise<void> => {
        for (const { token, body } of batches) {
          const startedAt = performance.now();
          const headers = { 'content-type': 'application/json', 'x-auth-token': token };
          const response = await pool.request({ path: '/stats/report', method: 'POST', headers, body });
          const text = await response.body.text();
          if (response.statusCode !== 200 || !text.includes(`"taken":${EVENTS_PER_BATCH}`))
            throw new Error(`a report was refused: ${response.statusCode} ${text}`);
          durations.push(performance.now() - startedAt);
        }
      };
      try {
        const before = exchange.cpuSeconds();
        const startedAt = performance.now();
        await Promise.all(Array.from({ length: CONNECTIONS }, sendBatches));
        const seconds = (performance.now() - startedAt) / 1000;
        const after = exchange.cpuSeconds();
        const cpuMs = before === undefined || after === undefined ? undefined : ((after - before) * 1000) / count;
        return { perSecond: (count * EVENTS_PER_BATCH) / seconds, cpuMs, durations };
      } finally {
        await pool.close();
      }
    };

    await runRound(100);
    const rounds: Awaited<ReturnType<typeof runRound>>[] = [];
    while (rounds.length < ROUNDS) rounds.push(await runRound(BATCHES_PER_ROUND));
    const countingTime = await waitForCount(exchange.url, expectedValues);
    const rates = rounds.map(({ perSecond }) => perSecond);
    const cpuTimesMs = rounds.flatMap(({ cpuMs }) => cpuMs ?? []);
    return [
      {
        label: `Events that ${PDAS} PDAs report in batches of ${EVENTS_PER_BATCH}, per second`,
        value: median(rates),
        target: MIN_EVENTS_PER_SECOND,
        better: 'more',
        unit: 'events/s',
        detail: `${ROUNDS} rounds of ${BATCHES_PER_ROUND} batches over ${CONNECTIONS} connections, each with a separate token, ${rates.map(formatRounded).join(', ')}; 99 % of the batches within ${formatRounded(
          percentile(
            rounds.flatMap(({ durations }) => durations),
            0.99,
          ),
        )} ms; ${toFixed2(median(cpuTimesMs))} ms of the exchange's CPU time for a batch; the sums are correct ${countingTime}`,
      },
    ];
  } finally {
    await exchange.stop();
    await postgres.stop();
  }
};

const insertPdas = async (postgres: PostgresServer, publicPem: string): Promise<void> => {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO pdas (id, address, public_key, waiting_key, registered, refreshed, last_seen)
       SELECT gen_random_uuid(), 'p' || n || '.bench.example', $1, NULL, $2, $2, NULL FROM generate_series(0, $3) AS n`,
      [publicPem, Date.now(), PDAS - 1],
    );
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
};

/**
 * Waits until the exchange has counted all events. Its published figures are cached for at least a second.
 * @returns the duration of the wait, formatted for the report
 */
const waitForCount = async (url: string, expectedValues: number): Promise<string> => {
  const startedAt = performance.now();
  let total: number | undefined;
  while (performance.now() - startedAt < 10_000) {
    const response = await fetch(`${url}/stats`);
    const entries = (await response.json()) as { title: string; value: number }[];
    total = entries.find(({ title }) => title === 'Data In')?.value;
    if (total === expectedValues) return `after ${toFixed2((performance.now() - startedAt) / 1000)} s`;
    await sleep(100);
  }
  throw new Error(`Data In is ${total}, but ${expectedValues} values were reported`);
};
