import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { StatisticEvent } from '../server/wire/statistics.ts';
import type { Benchmark } from './support/context.ts';
import { startExchange } from './support/exchange.ts';
import { measureRequests, type Measurement } from './support/load.ts';
import { median, percentile, toFixed2, formatRounded } from './support/stats.ts';

const MIN_EVENTS_PER_SECOND = 5000;
const EVENTS_PER_BATCH = 100;
const PDAS = 500;
const CONNECTIONS = 16;
const ROUNDS = 3;
const BATCHES_PER_ROUND = 600;
const FIELDS_PER_RECORD = 8;
const APPLICATIONS = 40;

const propertyStatsOf = (records: number): Record<string, number> =>
  Object.fromEntries(
    Array.from({ length: FIELDS_PER_RECORD }, (_, field) => [field < 2 ? `list[].f${field}` : `f${field}`, records]),
  );

/** Returns an event of a typical day, on which most events report data that Data Plugs have stored. */
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

export const networkStatistics: Benchmark = async () => {
  const exchange = await startExchange(PDAS, 50);
  const { server } = exchange;
  try {
    let expectedValues = 0;
    let sentCount = 0;

    const prepareBatches = async (count: number): Promise<{ token: string; body: string }[]> => {
      const batches: { token: string; body: string }[] = [];
      while (batches.length < count) {
        const events = Array.from({ length: EVENTS_PER_BATCH }, (_, index) => eventOf(sentCount + index, Date.now()));
        sentCount += EVENTS_PER_BATCH;
        expectedValues += countValues(events);
        const token = await exchange.signToken(1 + (batches.length % PDAS));
        batches.push({ token, body: JSON.stringify(events) });
      }
      return batches;
    };

    const durations: number[] = [];
    const runRound = async (count: number): Promise<Measurement> => {
      const batches = (await prepareBatches(count)).values();
      const pool = new Pool(server.url, { connections: CONNECTIONS, pipelining: 1 });
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
        return await measureRequests(server, count, () =>
          Promise.all(Array.from({ length: CONNECTIONS }, sendBatches)),
        );
      } finally {
        await pool.close();
      }
    };

    await runRound(100);
    durations.length = 0;
    const rounds: Measurement[] = [];
    while (rounds.length < ROUNDS) rounds.push(await runRound(BATCHES_PER_ROUND));
    const countingTime = await waitForCount(server.url, expectedValues);
    const rates = rounds.map(({ perSecond }) => perSecond * EVENTS_PER_BATCH);
    const cpuTimesMs = rounds.flatMap(({ cpuPerRequest }) => (cpuPerRequest === undefined ? [] : cpuPerRequest / 1000));
    return [
      {
        label: `Events that ${PDAS} PDAs report in batches of ${EVENTS_PER_BATCH}, per second`,
        value: median(rates),
        target: MIN_EVENTS_PER_SECOND,
        better: 'more',
        unit: 'events/s',
        detail: `${ROUNDS} rounds of ${BATCHES_PER_ROUND} batches, each with a separate token, over ${CONNECTIONS} connections: ${rates.map(formatRounded).join(', ')}; 99 % of the batches within ${formatRounded(percentile(durations, 0.99))} ms; ${toFixed2(median(cpuTimesMs))} ms of the exchange's CPU time for a batch; the sums are correct ${countingTime}`,
      },
    ];
  } finally {
    await exchange.stop();
  }
};

/**
 * Waits until the exchange has counted all values. Its published figures are cached for at least a second.
 * @returns the duration of the wait, for the report
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
