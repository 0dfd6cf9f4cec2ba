import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anOffer, startStandIn, type StandIn } from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { reportSchema, type StatisticEvent } from '../server/wire/statistics.ts';
import { ownerOfferSchema } from '../server/wire/network.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

const HOUR = 3_600_000;
const DEBITS = '/api/v2.6/data-debit';

let pda: TestPda;
let exchange: StandIn;
/** What the exchange was told. */
const told: StatisticEvent[] = [];
let isUp = true;

beforeAll(async () => {
  pda = await startTestPda({ network: { allowLoopback: true } });
  exchange = await startStandIn(pda.clock);
  exchange.lies.set('POST /stats/report', (request, response) => {
    void text(request).then((body) => {
      if (isUp) told.push(...reportSchema.parse(JSON.parse(body)));
      response.writeHead(isUp ? 200 : 503, { 'content-type': 'application/json' }).end('{}');
    });
  });
  exchange.offers = [anOffer({ offerId: 'quiet', expires: pda.clock.now() + 100 * HOUR })];
  await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
  await pda.pda.network.sync();
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});

const flush = async (): Promise<void> => {
  pda.clock.advance(2 * HOUR);
  pda.token = await pda.signIn();
  await pda.pda.statistics.flush();
};
const report = (reports: boolean) => pda.call('PUT', '/api/v2.6/owner/network', { json: { reports } });
const propose = (key: string) =>
  pda.call('POST', `${DEBITS}/${key}`, {
    json: {
      dataDebitKey: key,
      bundle: { name: key, bundle: { all: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
      start: '2026-01-01T00:00:00.000Z',
      period: 8_640_000,
      purpose: 'To be seen by nobody',
      cancelAtPeriodEnd: false,
      termsUrl: 'https://asker.example.com/terms',
      requestClientName: 'Asker',
      requestClientUrl: 'https://asker.example.com/',
      requestClientLogoUrl: 'https://asker.example.com/logo.png',
    },
  });

describe('an owner who lets nothing be reported', () => {
  it('has the exchange told what becomes of the Data Debits of claimed Offers, and nothing else', async () => {
    await flush();

    // What waits when it is turned off is held to the same.
    isUp = false;
    const claimed = await pda.call('POST', '/api/v2.6/owner/offers/quiet/claim');
    const key = ownerOfferSchema.parse(claimed.json).dataDebitKey ?? '';
    expect((await propose('before')).status).toBe(201);
    await flush();
    await report(false);
    isUp = true;
    told.length = 0;
    await pda.call('GET', `${DEBITS}/${key}/enable`);
    expect((await propose('meanwhile')).status).toBe(201);
    await flush();
    expect(told.map((event) => event.statsType === 'datadebit' && [event.dataDebitKey, event.operation])).toStrictEqual(
      [
        [key, 'Create'],
        [key, 'Enable'],
      ],
    );

    // Nor is what was done meanwhile told when it is turned on again.
    await report(true);
    await flush();
    expect(told).toHaveLength(2);
    await pda.call('GET', `${DEBITS}/${key}/disable`);
    expect((await propose('after')).status).toBe(201);
    await flush();
    expect(told.slice(2)).toMatchObject([{ operation: 'Disable' }, { dataDebitKey: 'after' }]);
  });
});
