import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../platform/log.ts';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import { availableDataSchema, dailyStatisticsSchema, statisticsSchema } from '../../wire/statistics.ts';
import {
  startTestExchange,
  type RegisteredTestPda,
  type TestAccount,
  type TestExchange,
} from '../exchange.test-support.ts';
import { createCompactor, type Compactor } from './compaction/compactor.ts';
import { statsOf, debitEvent, eventId, inboundEvent, outboundEvent } from './statistics.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../tests/support/long-run.ts';

const DAY_MS = 86_400_000;

describeOnDatabases('statistics', ({ createDatabase }) => {
  let exchange: TestExchange;
  let compactor: Compactor;
  let administrator: TestAccount;
  let lastNumber = 0;
  const nextNumber = (): number => (lastNumber += 1);

  beforeAll(async () => {
    exchange = await startTestExchange({
      database: await createDatabase(),
      minReportingPdas: 2,
      compactionIntervalMs: 1e8,
    });
    const { database } = exchange.exchange;
    compactor = createCompactor({
      database,
      clock: exchange.clock,
      log: silentLog(),
      minReportingPdas: 2,
      compactionIntervalMs: 1e8,
    });
    administrator = await exchange.createAccount(['administrator']);
  });
  afterAll(async () => {
    await compactor.close();
    await exchange.close();
  });
  // Expires the caches.
  beforeEach(() => exchange.clock.advance(100_000));

  const report = async (pda: RegisteredTestPda, events: unknown) =>
    exchange.call('POST', '/stats/report', { token: await pda.token(), json: events });

  const readValues = async (): Promise<Record<string, number>> => {
    exchange.clock.advance(100_000);
    const entries = statisticsSchema.parse((await exchange.call('GET', '/stats')).json);
    return Object.fromEntries(entries.map(({ title, value }) => [title, value]));
  };
  const readAvailableData = async () => {
    await compactor.compact();
    exchange.clock.advance(100_000);
    return availableDataSchema.parse((await exchange.call('GET', '/stats/available-data')).json);
  };
  const endpointsOf = async (namespace: string): Promise<string[]> =>
    (await readAvailableData())
      .filter((entry) => entry.namespace === namespace)
      .flatMap(({ endpoints }) =>
        endpoints.map(({ endpoint, fields }) => [endpoint, ...fields.map(({ name }) => name)].join(' ')),
      );

  it('counts each event once, and returns the number of new events', async () => {
    const pda = await exchange.insertRegisteredPda();
    const initialValues = await readValues();
    const now = exchange.clock.now();
    const events = [
      inboundEvent(nextNumber(), now, [statsOf('fitness/steps', { count: 3, 'days[].steps': 7 })]),
      outboundEvent(nextNumber(), now, [statsOf('fitness/steps', { count: 5 })]),
    ];
    const firstReply = await report(pda, [...events, events[0]]);
    expect(firstReply.json).toEqual({ message: 'The events were accepted.', taken: 2, known: 1 });
    const repeatedResponse = await report(
      pda,
      events.map((event) => ({ ...event, id: event.id.toUpperCase() })),
    );
    expect(repeatedResponse.json).toMatchObject({ taken: 0, known: 2 });
    const expectedStatistics = {
      ...initialValues,
      'Data In': (initialValues['Data In'] ?? 0) + 10,
      'Data Out': (initialValues['Data Out'] ?? 0) + 5,
    };
    expect(await readValues()).toEqual(expectedStatistics);
    await compactor.compact();
    expect(await readValues()).toMatchObject({
      'Data In': expectedStatistics['Data In'],
      'Data Out': expectedStatistics['Data Out'],
    });
  });

  it('states when a registration or removal last changed the number of registered PDAs', async () => {
    const { counts, database } = exchange.exchange;
    await database.transact((tx) => counts.add(tx, 'registration'));
    exchange.clock.advance(DAY_MS);
    const removedAt = exchange.clock.now();
    await database.transact((tx) => counts.add(tx, 'leaving'));
    exchange.clock.advance(DAY_MS);
    await report(await exchange.insertRegisteredPda(), [inboundEvent(nextNumber(), exchange.clock.now(), [])]);
    // Compacted together.
    await database.run((db) => db.updateTable('count_additions').set({ shard: 0 }).execute());
    for (const isCompacted of [false, true]) {
      if (isCompacted) await compactor.compact();
      exchange.clock.advance(100_000);
      const entries = statisticsSchema.parse((await exchange.call('GET', '/stats')).json);
      expect(entries.find(({ title }) => title === 'Registered PDAs')?.updated).toBe(removedAt);
    }
  });

  it('counts an event id again for a different PDA', async () => {
    const events = [inboundEvent(nextNumber(), exchange.clock.now(), [])];
    const [firstPda, secondPda] = [await exchange.insertRegisteredPda(), await exchange.insertRegisteredPda()];
    expect((await report(firstPda, events)).json).toMatchObject({ taken: 1 });
    expect((await report(secondPda, events)).json).toMatchObject({ taken: 1 });
  });

  it('rejects a report as a whole if one event is invalid', async () => {
    const pda = await exchange.insertRegisteredPda();
    const validEvent = inboundEvent(nextNumber(), exchange.clock.now(), [statsOf('fitness/steps', { count: 1 })]);
    for (const invalidEvent of [
      { ...validEvent, id: eventId(nextNumber()), statsType: 'storage' },
      { ...validEvent, id: eventId(nextNumber()), stats: [statsOf('fitness/steps', { count: -1 })] },
      { ...validEvent, id: 'no id' },
      { ...validEvent, id: eventId(nextNumber()), value: 'something that was stored' },
    ]) {
      expect((await report(pda, [validEvent, invalidEvent])).status).toBe(400);
    }
    expect((await report(pda, [validEvent])).json).toMatchObject({ taken: 1 });
  });

  it('accepts reports only from PDAs', async () => {
    const json = [inboundEvent(nextNumber(), exchange.clock.now(), [])];
    expect((await exchange.call('POST', '/stats/report', { json })).status).toBe(401);
    expect((await exchange.call('POST', '/stats/report', { json, token: administrator.token })).status).toBe(403);
    const pda = await exchange.insertRegisteredPda();
    const otherToken = await pda.token('proof');
    expect((await exchange.call('POST', '/stats/report', { json, token: otherToken })).status).toBe(401);
  });

  it('does not count events that are 35 days old or two days in the future', async () => {
    const pda = await exchange.insertRegisteredPda();
    const now = exchange.clock.now();
    const stats = [statsOf('fitness/steps', { count: 1 })];
    const events = [
      inboundEvent(nextNumber(), now - 35 * DAY_MS, stats),
      inboundEvent(nextNumber(), now + 2 * DAY_MS, stats),
    ];
    expect((await report(pda, events)).json).toMatchObject({ taken: 0, known: 2 });
    expect((await report(pda, [inboundEvent(nextNumber(), now - 34 * DAY_MS, stats)])).json).toMatchObject({
      taken: 1,
    });
  });

  it('publishes only names that several PDAs reported', async () => {
    const [firstPda, secondPda] = [await exchange.insertRegisteredPda(), await exchange.insertRegisteredPda()];
    const now = exchange.clock.now();
    await report(firstPda, [
      inboundEvent(nextNumber(), now, [
        statsOf('shared/things', { name: 1, 'own.field': 2 }),
        statsOf('own/things', { a: 1 }),
      ]),
    ]);
    await report(firstPda, [inboundEvent(nextNumber(), now, [statsOf('own/things', { a: 1 })])]);
    expect(await endpointsOf('shared')).toEqual([]);
    await report(secondPda, [inboundEvent(nextNumber(), now, [statsOf('shared/things', { name: 4 })])]);
    expect(await endpointsOf('shared')).toEqual(['things name']);
    expect(await endpointsOf('own')).toEqual([]);
    const sharedNamespace = (await readAvailableData()).find(({ namespace }) => namespace === 'shared');
    expect(sharedNamespace?.endpoints[0]?.fields).toEqual([{ name: 'name', description: '', count: 5 }]);
    const topEntry = statisticsSchema
      .parse((await exchange.call('GET', '/stats')).json)
      .find(({ children }) => children);
    expect(topEntry?.title).toBe('Top Datapoints');
    // The value includes both fields, although only one is published.
    expect(topEntry?.children?.['shared/things']).toMatchObject({ title: 'shared/things', value: 7 });
    expect(topEntry?.children?.['own/things']).toBeUndefined();
  });

  it('publishes only valid names, but also counts values with invalid names', async () => {
    const pdas = [await exchange.insertRegisteredPda(), await exchange.insertRegisteredPda()];
    const now = exchange.clock.now();
    const initialValues = await readValues();
    const names = {
      'a.b': 1,
      'a[].b': 1,
      '[].c': 1,
      größe: 1,
      'ada@example.org': 1,
      '2026-01-31': 1,
      'a..b': 1,
      'a b': 1,
      __proto__x: 1,
    };
    for (const pda of pdas) {
      const stats = [
        statsOf('grammar/it', names),
        statsOf('no endpoint', { a: 1 }),
        statsOf('../x', { a: 1 }),
        statsOf('grammar', { a: 1 }),
      ];
      expect((await report(pda, [inboundEvent(nextNumber(), now, stats)])).status).toBe(200);
    }
    expect(await endpointsOf('grammar')).toEqual(['it [].c __proto__x a.b a[].b größe']);
    expect((await readValues())['Data In']).toBe((initialValues['Data In'] ?? 0) + 2 * 12);
  });

  it('limits the values and the new names that one PDA adds per day', async () => {
    const pda = await exchange.insertRegisteredPda();
    const initialDataIn = (await readValues())['Data In'] ?? 0;
    const now = exchange.clock.now();
    const createHugeEvent = () =>
      inboundEvent(nextNumber(), now, [
        statsOf('loud/things', { a: 10_000_000 }),
        statsOf('loud/more', { a: 10_000_000 }),
      ]);
    await report(pda, Array.from({ length: 20 }, createHugeEvent));
    expect((await readValues())['Data In']).toBe(initialDataIn + 10_000_000);
    const createField = (): [string, number] => [`f${nextNumber()}`, 1];
    const createEventWithManyFields = () =>
      inboundEvent(nextNumber(), now, [
        statsOf('wide/things', Object.fromEntries(Array.from({ length: 900 }, createField))),
      ]);
    for (let round = 0; round < 2; round += 1)
      await report(pda, [createEventWithManyFields(), createEventWithManyFields()]);
    const { rows } = await exchange.exchange.database.run(async (db) => ({
      rows: await db.selectFrom('reported_names').select('field').where('endpoint', 'like', 'wide/%').execute(),
    }));
    expect(rows.length).toBeLessThanOrEqual(2000);
    expect(rows.length).toBeGreaterThan(1500);
    exchange.clock.advance(DAY_MS);
    expect(
      (await report(pda, [inboundEvent(nextNumber(), exchange.clock.now(), [statsOf('loud/things', { a: 2 })])]))
        .status,
    ).toBe(200);
    expect((await readValues())['Data In']).toBe(initialDataIn + 10_000_002);
  });

  it('limits the report rate per PDA and sends Retry-After', async () => {
    const pda = await exchange.insertRegisteredPda();
    const token = await pda.token();
    const statuses: number[] = [];
    let lastRetryAfter = '';
    for (let round = 0; round < 22; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, () =>
          exchange.call('POST', '/stats/report', { token, json: [inboundEvent(1, exchange.clock.now(), [])] }),
        ),
      );
      statuses.push(...replies.map(({ status }) => status));
      lastRetryAfter = replies.at(-1)?.headers['retry-after'] ?? '';
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(200);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    expect(Number(lastRetryAfter)).toBeGreaterThan(0);

    // The limit survives a new registration of the same address.
    expect((await exchange.call('DELETE', '/api/pdas/self', { token })).status).toBe(200);
    const newRegistration = await exchange.insertRegisteredPda(pda.address);
    expect((await report(newRegistration, [inboundEvent(1, exchange.clock.now(), [])])).status).toBe(429);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'stores the descriptions that a management account sends, and returns all available data with them',
    async () => {
      const management = await exchange.createAccount(['management']);
      const developer = await exchange.createAccount(['developer']);
      const pdas = [await exchange.insertRegisteredPda(), await exchange.insertRegisteredPda()];
      const now = exchange.clock.now();
      for (const pda of pdas)
        await report(pda, [inboundEvent(nextNumber(), now, [statsOf('described/it', { 'a[]': 2, b: 1 })])]);
      await readAvailableData();
      const json = [
        {
          namespace: 'described',
          description: 'For people',
          endpoints: [{ endpoint: 'it', description: '', fields: [{ name: 'a[]', description: 'A list', count: 0 }] }],
        },
        { namespace: 'planned', description: 'Not reported yet', endpoints: [] },
      ];
      const path = '/stats/available-data/descriptions';
      expect((await exchange.call('POST', path, { json, token: developer.token })).status).toBe(403);
      const reply = await exchange.call('POST', path, { json, token: management.token });
      const response = availableDataSchema.parse(reply.json);
      expect(response.filter(({ namespace }) => namespace === 'described' || namespace === 'planned')).toEqual([
        {
          namespace: 'described',
          description: 'For people',
          endpoints: [
            {
              endpoint: 'it',
              description: '',
              fields: [
                { name: 'a[]', description: 'A list', count: 4 },
                { name: 'b', description: '', count: 2 },
              ],
            },
          ],
        },
        { namespace: 'planned', description: 'Not reported yet', endpoints: [] },
      ]);
      expect((await exchange.call('GET', '/stats/available-data')).json).toEqual(response);
      const plannedNamespaces = [{ namespace: 'planned', description: '', endpoints: [] }];
      const lastReply = await exchange.call('POST', path, {
        json: plannedNamespaces,
        token: (await exchange.createAccount(['administrator'])).token,
      });
      expect(availableDataSchema.parse(lastReply.json).map(({ namespace }) => namespace)).not.toContain('planned');
    },
  );

  it('returns daily statistics by application to an administrator', async () => {
    exchange.clock.advance(5 * DAY_MS);
    const developer = await exchange.createAccount(['developer']);
    const pda = await exchange.insertRegisteredPda();
    await exchange.exchange.database.transact((tx) => exchange.exchange.counts.add(tx, 'registration'));
    const now = exchange.clock.now();
    await report(pda, [
      inboundEvent(nextNumber(), now - DAY_MS, [statsOf('fitness/steps', { a: 2 })]),
      inboundEvent(nextNumber(), now, [statsOf('fitness/steps', { a: 3 })]),
      outboundEvent(nextNumber(), now, [statsOf('fitness/steps', { a: 4 })]),
      debitEvent(nextNumber(), now, 'Create'),
    ]);
    const noChanges = { registrations: 0, removals: 0, claims: 0, confirmations: 0 };
    const { token } = await exchange.createAccount(['administrator']);
    const getDays = async () =>
      dailyStatisticsSchema.parse((await exchange.call('GET', '/api/statistics/daily?days=2', { token })).json);
    const yesterday = {
      ...noChanges,
      eventsIn: 1,
      eventsOut: 0,
      valuesIn: 2,
      valuesOut: 0,
      applications: { other: 2 },
    };
    const today = {
      ...noChanges,
      registrations: 1,
      eventsIn: 1,
      eventsOut: 1,
      valuesIn: 3,
      valuesOut: 4,
      applications: { other: 3 },
    };
    for (const isCompacted of [false, true]) {
      if (isCompacted) await compactor.compact();
      expect(await getDays()).toEqual([
        { day: new Date(now - DAY_MS).toISOString().slice(0, 10), ...yesterday },
        { day: new Date(now).toISOString().slice(0, 10), ...today },
      ]);
    }
    expect((await exchange.call('GET', '/api/statistics/daily', { token: developer.token })).status).toBe(403);
    expect((await exchange.call('GET', '/api/statistics/daily?days=367', { token })).status).toBe(400);
  });

  it('confirms a claim when its Data Debit is enabled, and unconfirms it when the debit is removed', async () => {
    const market = await exchange.createAccount(['marketPlace']);
    const operator = await exchange.createAccount(['administrator']);
    const pda = await exchange.insertRegisteredPda();
    const now = exchange.clock.now();
    const offer = {
      offerId: 'steps',
      title: 'Steps',
      description: 'Your steps',
      starts: now - 1000,
      expires: now + DAY_MS,
      collectionDuration: DAY_MS,
      requiredData: { name: 'steps', bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
      requiredMinUser: 0,
      requiredMaxUser: 10,
    };
    expect((await exchange.call('POST', '/api/v2/offer', { json: offer, token: market.token })).status).toBe(201);
    await exchange.call('PUT', '/api/v2/offer/steps?status=approved', { token: operator.token });
    const initialValues = await readValues();
    const claim = async () => {
      const reply = await exchange.call('GET', '/api/v2/offer/steps/claim', { token: await pda.token() });
      return (reply.json as { claim: { confirmed: boolean; dataDebitId: string } }).claim;
    };
    const { dataDebitId } = await claim();
    expect((await readValues())['Total Offer Claims']).toBe((initialValues['Total Offer Claims'] ?? 0) + 1);
    await report(pda, [debitEvent(nextNumber(), now + 1, 'Enable', dataDebitId)]);
    expect(await claim()).toMatchObject({ confirmed: true });
    // The event times determine the order.
    await report(pda, [
      debitEvent(nextNumber(), now + 3, 'Enable', dataDebitId),
      debitEvent(nextNumber(), now + 2, 'Disable', dataDebitId),
    ]);
    expect(await claim()).toMatchObject({ confirmed: true });
    await report(pda, [debitEvent(nextNumber(), now + 4, 'Remove', dataDebitId)]);
    expect(await claim()).toMatchObject({ confirmed: false });
  });

  it('deletes the event ids and the report counters of a PDA when it leaves', async () => {
    const pda = await exchange.insertRegisteredPda();
    await report(pda, [inboundEvent(nextNumber(), exchange.clock.now(), [])]);
    const self = await exchange.call('GET', '/api/pdas/self', { token: await pda.token() });
    expect(self.json).toMatchObject({ reports: { events: 1 } });
    expect((await exchange.call('DELETE', '/api/pdas/self', { token: await pda.token() })).status).toBeLessThan(300);
    expect(await exchange.exchange.statistics.reportsOf(pda.pdaId)).toEqual({ events: 0, last: null });
    const remainingRows = await exchange.exchange.database.run((db) =>
      db.selectFrom('reported_events').select('event_id').where('pda_id', '=', pda.pdaId).execute(),
    );
    expect(remainingRows).toEqual([]);
  });

  it('stores nothing for a PDA that leaves while its report is on the way', async () => {
    const pda = await exchange.insertRegisteredPda();
    const { pdas, statistics, database } = exchange.exchange;
    await pdas.remove(pda.pdaId, pda.address);
    const events = [inboundEvent(nextNumber(), exchange.clock.now(), [])];
    await expect(statistics.report(pda, events)).rejects.toMatchObject({ code: 'not_found' });
    const storedRows = await database.run(async (db) => [
      ...(await db.selectFrom('pda_reports').select('day').where('pda_id', '=', pda.pdaId).execute()),
      ...(await db.selectFrom('reported_events').select('day').where('pda_id', '=', pda.pdaId).execute()),
    ]);
    expect(storedRows).toEqual([]);
  });

  it('deletes expired event ids and names, and retains the totals', async () => {
    const pda = await exchange.insertRegisteredPda();
    const event = inboundEvent(nextNumber(), exchange.clock.now(), [statsOf('forgotten/it', { a: 1 })]);
    await report(pda, [event]);
    await compactor.compact();
    const initialValues = await readValues();
    const readStoredRows = (): Promise<unknown[]> =>
      exchange.exchange.database.run(async (db) => [
        ...(await db.selectFrom('reported_events').select('day').where('pda_id', '=', pda.pdaId).execute()),
        ...(await db.selectFrom('reported_names').select('field').where('endpoint', '=', 'forgotten/it').execute()),
      ]);
    exchange.clock.advance(20 * DAY_MS);
    await compactor.deleteExpired();
    expect(await readStoredRows()).toHaveLength(3);
    exchange.clock.advance(18 * DAY_MS);
    await compactor.deleteExpired();
    expect(await readStoredRows()).toEqual([]);
    expect((await report(pda, [event])).json).toMatchObject({ taken: 0, known: 1 });
    expect(await readValues()).toMatchObject({ 'Data In': initialValues['Data In'] });
  });
});
