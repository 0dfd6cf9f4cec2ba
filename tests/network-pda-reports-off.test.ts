import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anOffer,
  startFakeExchange,
  type FakeExchange,
} from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { reportSchema, type StatisticEvent } from '../server/wire/statistics.ts';
import { ownerOfferSchema } from '../server/wire/network.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

const HOUR_MS = 3_600_000;
const DEBITS = '/api/v2.6/data-debit';

let pda: TestPda;
let exchange: FakeExchange;
const receivedEvents: StatisticEvent[] = [];
let isExchangeUp = true;

beforeAll(async () => {
  pda = await startTestPda({ network: { allowLoopback: true } });
  exchange = await startFakeExchange(pda.clock);
  exchange.overrides.set('POST /stats/report', (request, response) => {
    void text(request).then((body) => {
      if (isExchangeUp) receivedEvents.push(...reportSchema.parse(JSON.parse(body)));
      response.writeHead(isExchangeUp ? 200 : 503, { 'content-type': 'application/json' }).end('{}');
    });
  });
  exchange.offers = [anOffer({ offerId: 'quiet', expires: pda.clock.now() + 100 * HOUR_MS })];
  await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
  await pda.pda.network.sync();
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});

const flush = async (): Promise<void> => {
  pda.clock.advance(2 * HOUR_MS);
  pda.token = await pda.signIn();
  await pda.pda.statistics.flush();
};
const setReports = (reports: boolean) => pda.call('PUT', '/api/v2.6/owner/network', { json: { reports } });
const propose = (key: string) =>
  pda.call('POST', `${DEBITS}/${key}`, {
    json: {
      dataDebitKey: key,
      bundle: { name: key, bundle: { all: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
      start: '2026-01-01T00:00:00.000Z',
      period: 8_640_000,
      purpose: 'Not reported',
      cancelAtPeriodEnd: false,
      termsUrl: 'https://requester.example.com/terms',
      requestClientName: 'Requester',
      requestClientUrl: 'https://requester.example.com/',
      requestClientLogoUrl: 'https://requester.example.com/logo.png',
    },
  });

describe('statistics that the owner turned off', () => {
  it('report only changes to the Data Debits of claimed Offers', async () => {
    await flush();

    // The rule also applies to events that are waiting when statistics are turned off.
    isExchangeUp = false;
    const claimReply = await pda.call('POST', '/api/v2.6/owner/offers/quiet/claim');
    const key = ownerOfferSchema.parse(claimReply.json).dataDebitKey ?? '';
    expect((await propose('before')).status).toBe(201);
    await flush();
    await setReports(false);
    isExchangeUp = true;
    receivedEvents.length = 0;
    await pda.call('GET', `${DEBITS}/${key}/enable`);
    expect((await propose('meanwhile')).status).toBe(201);
    await flush();
    expect(
      receivedEvents.map((event) => event.statsType === 'datadebit' && [event.dataDebitKey, event.operation]),
    ).toStrictEqual([
      [key, 'Create'],
      [key, 'Enable'],
    ]);

    // Events that occurred while statistics were off are not reported later.
    await setReports(true);
    await flush();
    expect(receivedEvents).toHaveLength(2);
    await pda.call('GET', `${DEBITS}/${key}/disable`);
    expect((await propose('after')).status).toBe(201);
    await flush();
    expect(receivedEvents.slice(2)).toMatchObject([{ operation: 'Disable' }, { dataDebitKey: 'after' }]);
  });
});
