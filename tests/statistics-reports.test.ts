import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StatisticEvent } from '../server/wire/statistics.ts';
import { networkSchema } from '../server/wire/network.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { startReportExchange, type ReportExchange } from './support/report-exchange.ts';
import { killProcesses, newHome, removeFolders, startServer, until } from './support/server-process.ts';
import { recordsOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const DAY_MS = 86_400_000;
/** Canaries in values and keys, which must never reach the exchange. */
const CANARIES = [
  'canary-value',
  'eve.canary@example.org',
  'Canary Lovelace',
  'canary-diary.txt',
  '4477009001230',
  'canary-secret',
];

const APPLICATIONS = [
  anApplication({
    id: 'strava',
    roles: [
      { role: 'namespaceread', detail: 'fitness' },
      { role: 'namespacewrite', detail: 'fitness' },
    ],
  }),
  anApplication({ id: 'requester', roles: [{ role: 'datadebit' }] }),
];

let exchange: ReportExchange;
let pda: TestPda;
let stravaToken: string;
let requesterToken: string;
const flush = (): Promise<void> => pda.pda.statistics.flush();
beforeAll(async () => {
  exchange = await startReportExchange();
  pda = await startTestPda({
    config: { applications: APPLICATIONS, exchange: { url: exchange.url } },
    network: { allowLoopback: true },
  });
  await until(() => pda.pda.network.network.registeredExchange(), 'the PDA is registered');
  await flush();
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});
/** Signs all callers in again after time has passed. */
const signIn = async (): Promise<void> => {
  pda.token = await pda.signIn();
  stravaToken = await setUpApplication(pda, 'strava');
  requesterToken = await setUpApplication(pda, 'requester');
};
beforeEach(async () => {
  exchange.state.reports = 'accepted';
  pda.clock.advance(4 * 3_600_000);
  await signIn();
  await flush();
  exchange.reports.length = 0;
});
afterEach(killProcesses);
afterAll(removeFolders);

const writeAs = (endpoint: string, json: unknown, token = stravaToken) =>
  pda.call('POST', `/api/v2.6/data/${endpoint}`, { json, token });
const statsOf = (events: readonly StatisticEvent[], statsType: 'inbound' | 'outbound') =>
  events.flatMap((event) => (event.statsType === statsType ? event.stats : []));
const totalsOf = (statsType: 'inbound' | 'outbound'): Record<string, number> => {
  const totals: Record<string, number> = {};
  for (const { endpoint, records, propertyStats } of statsOf(exchange.distinctEvents(), statsType)) {
    for (const [name, count] of [['records', records] as const, ...Object.entries(propertyStats)])
      totals[`${endpoint} ${name}`] = (totals[`${endpoint} ${name}`] ?? 0) + count;
  }
  return totals;
};
const listOperations = (): string[] =>
  exchange
    .distinctEvents()
    .flatMap((event) => (event.statsType === 'datadebit' ? [`${event.operation} ${event.dataDebitKey}`] : []));
const readReportState = async () =>
  networkSchema.parse((await pda.call('GET', '/api/v2.6/owner/network')).json).reports;
/** Sends all reports. After a failure, the next attempt is due only later, so each poll advances the clock. */
const deliverAll = (): Promise<void> =>
  expect
    .poll(async () => {
      pda.clock.advance(2 * 3_600_000);
      await flush();
      return (await readReportState()).waiting;
    })
    .toBe(0);
const propose = (key: string, endpoint: string, mapping?: Record<string, string>) =>
  pda.call('POST', `/api/v2.6/data-debit/${key}`, {
    token: requesterToken,
    json: {
      dataDebitKey: key,
      bundle: {
        name: key,
        bundle: { all: { endpoints: [{ endpoint, ...(mapping === undefined ? {} : { mapping }) }] } },
      },
      start: '2026-01-01T00:00:00.000Z',
      period: 8_640_000,
      purpose: 'canary-secret',
      cancelAtPeriodEnd: false,
      termsUrl: 'https://requester.example.com/terms',
      requestClientName: 'Requester',
      requestClientUrl: 'https://requester.example.com/',
      requestClientLogoUrl: 'https://requester.example.com/logo.png',
      requestApplicationId: 'requester',
    },
  });

describe('PDA reports', () => {
  it('count the values of each field that applications wrote or changed, but not those that the owner wrote', async () => {
    await writeAs('fitness/runs', [
      { km: 5, place: 'canary-value' },
      { km: 7, splits: [{ s: 300 }, { s: 290 }] },
    ]);
    const [walk] = recordsOf(await writeAs('fitness/walks', [{ km: 1 }]));
    await pda.call('PUT', '/api/v2.6/data', { json: [{ ...walk, data: { km: 2 } }], token: stravaToken });
    await writeAs('fitness/runs', { km: 1 }, pda.token);
    await flush();
    expect(exchange.distinctEvents()[0]).toMatchObject({ statsType: 'inbound', application: 'strava' });
    expect(totalsOf('inbound')).toStrictEqual({
      'fitness/runs records': 2,
      'fitness/runs km': 2,
      'fitness/runs place': 1,
      'fitness/runs splits[].s': 2,
      // The record was created once and updated once.
      'fitness/walks records': 2,
      'fitness/walks km': 2,
    });
    const previousCount = exchange.distinctEvents().length;
    await flush();
    expect(exchange.distinctEvents()).toHaveLength(previousCount);
  });

  it('contain the events of Data Debits in order, and count the values of each field that were read through them', async () => {
    await writeAs('fitness/meals', [{ kcal: 500, with: { who: 'canary-value' } }, { kcal: 600 }]);
    expect((await propose('lunch', 'fitness/meals', { energy: 'kcal' })).status).toBe(201);
    await pda.call('GET', '/api/v2.6/data-debit/lunch/enable');
    for (let readCount = 0; readCount < 3; readCount += 1)
      expect((await pda.call('GET', '/api/v2.6/data-debit/lunch/values', { token: requesterToken })).status).toBe(200);
    // Reads by the owner are not reported.
    await pda.call('GET', '/api/v2.6/data-debit/lunch/values');
    await pda.call('GET', '/api/v2.6/data-debit/lunch/disable');
    expect((await pda.call('GET', '/api/v2.6/data-debit/lunch/values', { token: requesterToken })).status).toBe(400);
    await pda.call('DELETE', '/api/v2.6/data-debit/lunch');
    await flush();
    expect(listOperations()).toStrictEqual(['Create lunch', 'Enable lunch', 'Disable lunch', 'Remove lunch']);
    expect(totalsOf('outbound')).toStrictEqual({ 'fitness/meals records': 6, 'fitness/meals kcal': 6 });
    expect(exchange.distinctEvents().find(({ statsType }) => statsType === 'outbound')).toMatchObject({
      dataDebitKey: 'lunch',
    });
    expect(await readReportState()).toMatchObject({ on: true, waiting: 0 });
  });

  it('are sent soon after a change to a Data Debit', async () => {
    await propose('soon', 'fitness/meals');
    await expect.poll(listOperations).toContain('Create soon');
  });

  it('contain no values, names or addresses, not even those in the keys of records', async () => {
    await writeAs('fitness/friends', {
      'eve.canary@example.org': { note: 'canary-value', 'Canary Lovelace': ['canary-secret'] },
      byPhone: { '4477009001230': 'canary-value', 'canary-diary.txt': 1 },
      file: 'canary-diary.txt',
    });
    await pda.call('POST', '/api/v2.6/files/upload', { json: { name: 'canary-diary.txt', source: 'fitness' } });
    await propose('friends', 'fitness/friends', { 'eve.canary@example.org': 'eve.canary@example.org', x: 'byPhone' });
    await pda.call('GET', '/api/v2.6/data-debit/friends/enable');
    await pda.call('GET', '/api/v2.6/data-debit/friends/values', { token: requesterToken });
    await flush();
    expect(totalsOf('inbound')).toStrictEqual({
      'fitness/friends records': 1,
      'fitness/friends *': 1,
      'fitness/friends *.*': 3,
      'fitness/friends *.*[]': 1,
    });
    expect(statsOf(exchange.distinctEvents(), 'outbound')).toHaveLength(1);
    const allText = exchange.allText();
    expect(allText).toContain('fitness/friends');
    for (const canary of [...CANARIES, 'canary', 'Canary']) expect(allText).not.toContain(canary);
  });
});

describe('reports that cannot be delivered', () => {
  it('wait while the exchange is down, and then arrive once each, in order', async () => {
    exchange.state.reports = 'down';
    const origin = { kind: 'application', name: 'strava' } as const;
    for (let count = 0; count < 24; count += 1) {
      await pda.pda.records.create([{ endpoint: 'fitness/beats', data: '{"bpm":60}' }], origin);
      if (count === 0) await propose('first', 'fitness/beats');
      if (count === 12) await pda.restart();
      if (count === 23) await propose('last', 'fitness/beats');
      pda.clock.advance(3_600_000);
      await flush();
    }
    expect((await readReportState()).waiting).toBeGreaterThan(3);
    expect(exchange.reports).toHaveLength(0);
    exchange.state.reports = 'accepted';
    await deliverAll();
    expect(exchange.reports.flat()).toHaveLength(exchange.distinctEvents().length);
    expect(listOperations()).toStrictEqual(['Create first', 'Create last']);
    expect(totalsOf('inbound')['fitness/beats bpm']).toBe(24);
    const times = exchange.distinctEvents().map(({ time }) => time);
    expect(times).toStrictEqual(times.toSorted((a, b) => a - b));
  });

  it('are combined when there are too many, except for events of Data Debits', async () => {
    exchange.state.reports = 'down';
    const simulateDay = async (key: string, elapsedDays: number): Promise<void> => {
      await Promise.all(
        Array.from({ length: 180 }, (_, n) =>
          pda.pda.records.create([{ endpoint: 'fitness/beats', data: '{"bpm":60}' }], {
            kind: 'application',
            name: `app-${n}`,
          }),
        ),
      );
      await propose(key, 'fitness/beats');
      await flush();
      pda.clock.advance(elapsedDays * DAY_MS);
      await signIn();
    };
    await simulateDay('bounded-1', 1);
    await simulateDay('bounded-2', 40);
    expect((await readReportState()).waiting).toBe(362);
    await simulateDay('bounded-3', 1);
    // Events that the exchange may have received are unchanged. Other events older than five weeks are combined per
    // application.
    expect((await readReportState()).waiting).toBeLessThanOrEqual(100 + 180 + 180 + 3);
    exchange.state.reports = 'accepted';
    await deliverAll();
    expect(totalsOf('inbound')['fitness/beats bpm']).toBe(3 * 180);
    expect(listOperations()).toStrictEqual(['Create bounded-1', 'Create bounded-2', 'Create bounded-3']);
  });

  it('are repeated with the same ids and numbers when the response is lost', async () => {
    exchange.state.reports = 'cut';
    await writeAs('fitness/lost', { a: 1 });
    await flush();
    await writeAs('fitness/lost', { a: 2 });
    exchange.state.reports = 'accepted';
    await deliverAll();
    const [firstReport = [], secondReport = []] = exchange.reports;
    expect(firstReport).toHaveLength(1);
    expect(secondReport[0]).toStrictEqual(firstReport[0]);
    expect(totalsOf('inbound')['fitness/lost a']).toBe(2);
  });

  it('do not block other reports when the exchange refuses one', async () => {
    // The state is set first, because a report is sent soon after a change to a Data Debit.
    exchange.state.reports = 'refused';
    await propose('odd', 'fitness/meals');
    await flush();
    exchange.state.reports = 'accepted';
    await propose('even', 'fitness/meals');
    await flush();
    expect(listOperations()).toStrictEqual(['Create even']);
  });
});

describe('a PDA with reports turned off', () => {
  it('counts nothing and drops pending reports; later, only new events are counted', async () => {
    exchange.state.reports = 'down';
    await writeAs('fitness/off', { a: 1 });
    await flush();
    expect((await readReportState()).waiting).toBe(1);
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { reports: false } });
    await writeAs('fitness/off', { b: 1 });
    await propose('unseen', 'fitness/off');
    await flush();
    expect(await readReportState()).toMatchObject({ on: false, waiting: 0 });
    exchange.state.reports = 'accepted';
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { reports: true } });
    await flush();
    pda.clock.advance(2 * 3_600_000);
    await signIn();
    await writeAs('fitness/off', { c: 1 });
    await flush();
    expect(totalsOf('inbound')).toStrictEqual({ 'fitness/off records': 1, 'fitness/off c': 1 });
    expect(listOperations()).toStrictEqual([]);
  });
});

describe('a server killed before it received the acknowledgement', () => {
  it.skipIf(!IS_THOROUGH_RUN)('sends the same events again', async () => {
    const home = await newHome();
    const config = { exchange: { url: exchange.url }, development: { allowLoopback: true } };
    writeFileSync(join(home, 'config.json'), JSON.stringify(config));
    let server = await startServer(home);
    await expect.poll(() => exchange.receivedRequests.some(({ call }) => call.includes('registerPda'))).toBe(true);
    exchange.state.reports = 'silent';
    const json = {
      dataDebitKey: 'killed',
      bundle: { name: 'killed', bundle: { all: { endpoints: [{ endpoint: 'a/b' }] } } },
      start: '2026-01-01T00:00:00.000Z',
      period: 86_400,
      purpose: 'To be killed',
      cancelAtPeriodEnd: false,
      termsUrl: 'https://requester.example.com/terms',
      requestClientName: 'Requester',
      requestClientUrl: 'https://requester.example.com/',
      requestClientLogoUrl: 'https://requester.example.com/logo.png',
    };
    expect((await server.call('POST', '/api/v2.6/data-debit/killed', { json })).status).toBe(201);
    await expect.poll(() => exchange.reports.length).toBe(1);
    await server.kill();
    exchange.state.reports = 'accepted';
    server = await startServer(home);
    await expect.poll(() => exchange.reports.length).toBe(2);
    expect(exchange.reports[1]).toStrictEqual(exchange.reports[0]);
    expect(listOperations()).toStrictEqual(['Create killed']);
  });
});
