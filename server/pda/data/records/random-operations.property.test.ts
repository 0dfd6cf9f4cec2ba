import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import { recordsOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { activityDaySchema, deletionSchema, endpointSummarySchema } from '../../../wire/owner.ts';

// Runs random operations against a PDA and a model of plain arrays. Pages, counts, dates, activity and events must
// agree. The owner and an application create records, and their usage must match the stored records. Reading pages in
// between adds entries to the page-offset index, which writes and deletions must keep valid.

const ENDPOINTS = ['p/a', 'q/a'] as const;
type Model = { records: Map<string, { id: string; data: number }[]>; deletions: ModelDeletion[]; counts: Counts };
type ModelDeletion = { id: string; records: { endpoint: string; id: string; data: number }[] };
type Counts = { created: number; updated: number; deleted: number };

const endpoint = fc.constantFrom(...ENDPOINTS);
const pick = fc.nat(1_000_000);
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('create' as const), endpoint, count: fc.integer({ min: 0, max: 30 }) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('page' as const),
      endpoint,
      skip: fc.nat(1000),
      take: fc.nat(20),
      isDescending: fc.boolean(),
      usesOwnerRoute: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('update' as const), endpoint, picks: fc.array(pick, { maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('deletePermanently' as const),
      endpoint,
      picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('deleteForUndo' as const),
      endpoint,
      picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      endpoint,
      picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
      moveEqual: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), endpoint }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteEndpoint' as const), endpoint }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('undo' as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('batch' as const), endpoints: fc.array(endpoint, { maxLength: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), endpoint }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tick' as const), ms: fc.integer({ min: -5, max: 50 }) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

let lastValue = 0;

class Simulation {
  readonly model: Model = {
    records: new Map(ENDPOINTS.map((name) => [name, []])),
    deletions: [],
    counts: { created: 0, updated: 0, deleted: 0 },
  };
  readonly pda: TestPda;
  readonly applicationToken: string;
  constructor(pda: TestPda, applicationToken: string) {
    this.pda = pda;
    this.applicationToken = applicationToken;
  }

  recordsAt(name: string): { id: string; data: number }[] {
    return this.model.records.get(name) ?? [];
  }
  setRecords(name: string, records: { id: string; data: number }[]): void {
    this.model.records.set(
      name,
      records.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }
  pickRecords(name: string, picks: readonly number[]): { id: string; data: number }[] {
    const records = this.recordsAt(name);
    return [...new Set(picks.map((number) => records[number % Math.max(1, records.length)]))].filter(
      (record) => record !== undefined,
    );
  }
  removeRecords(name: string, removedRecords: readonly { id: string }[]): void {
    const ids = new Set(removedRecords.map((record) => record.id));
    this.setRecords(
      name,
      this.recordsAt(name).filter((record) => !ids.has(record.id)),
    );
    this.model.counts.deleted += ids.size;
  }

  async create(names: readonly string[]): Promise<void> {
    const entries = names.map((name) => ({ endpoint: name, data: (lastValue += 1) }));
    const creator = lastValue % 2 === 0 ? {} : { token: this.applicationToken };
    const storedRecords = recordsOf(await this.pda.call('POST', '/api/v2.6/data-batch', { json: entries, ...creator }));
    expect(storedRecords).toHaveLength(entries.length);
    for (const record of storedRecords)
      this.setRecords(record.endpoint, [
        ...this.recordsAt(record.endpoint),
        { id: record.recordId, data: Number(record.data) },
      ]);
    this.model.counts.created += entries.length;
  }

  async page(step: Extract<Operation, { do: 'page' }>): Promise<void> {
    const { take, isDescending, usesOwnerRoute } = step;
    const skip = step.skip % (this.recordsAt(step.endpoint).length + 3);
    const paging = `skip=${skip}&take=${take}&ordering=${isDescending ? 'descending' : 'ascending'}`;
    const allRecords = isDescending ? this.recordsAt(step.endpoint).toReversed() : this.recordsAt(step.endpoint);
    const expected = allRecords.slice(skip, skip + take);
    const path = usesOwnerRoute
      ? `owner/records?endpoint=${step.endpoint}&${paging}`
      : `data/${step.endpoint}?${paging}`;
    const { json } = await this.pda.call('GET', `/api/v2.6/${path}`);
    const records = usesOwnerRoute ? Object(json).records : json;
    const expectedRecords = expected.map(({ id, data }) =>
      expect.objectContaining({ endpoint: step.endpoint, recordId: id, data }),
    );
    expect(records).toStrictEqual(expectedRecords);
    if (usesOwnerRoute) expect(Object(json).total).toBe(allRecords.length);
  }

  /** Reads a page in both orders. An invalid entry in the page-offset index would make it differ from the model. */
  async readPageInBothOrders(name: (typeof ENDPOINTS)[number]): Promise<void> {
    const skip = lastValue * 7;
    for (const isDescending of [true, false])
      await this.page({ do: 'page', endpoint: name, skip, take: 5, isDescending, usesOwnerRoute: lastValue % 3 === 0 });
  }

  async deleteForUndo(json: unknown, removedRecords: { endpoint: string; id: string; data: number }[]): Promise<void> {
    const reply = await this.pda.call('POST', '/api/v2.6/owner/deletions', { json });
    expect(reply.status).toBe(201);
    const { deletionId, records } = deletionSchema.parse(reply.json);
    expect(records).toBe(removedRecords.length);
    this.model.deletions.push({ id: deletionId, records: removedRecords });
  }

  async undo(number: number): Promise<void> {
    const [deletion] = this.model.deletions.splice(number % Math.max(1, this.model.deletions.length), 1);
    if (deletion === undefined) return;
    const reply = await this.pda.call('POST', `/api/v2.6/owner/deletions/${deletion.id}/undo`);
    expect(reply.status).toBe(200);
    for (const { endpoint: name, ...record } of deletion.records)
      this.setRecords(name, [...this.recordsAt(name), record]);
  }

  async step(step: Operation): Promise<void> {
    const { pda } = this;
    switch (step.do) {
      case 'create':
        return this.create(Array.from({ length: step.count }, () => step.endpoint));
      case 'batch':
        return this.create(step.endpoints);
      case 'page':
        return this.page(step);
      case 'update': {
        const entries = this.pickRecords(step.endpoint, step.picks).map(({ id }) => ({
          endpoint: step.endpoint,
          recordId: id,
          data: (lastValue += 1),
        }));
        expect((await pda.call('PUT', '/api/v2.6/data', { json: entries })).status).toBe(201);
        for (const { recordId, data } of entries)
          for (const record of this.recordsAt(step.endpoint)) if (record.id === recordId) record.data = data;
        this.model.counts.updated += entries.length;
        return;
      }
      case 'deletePermanently': {
        const removedRecords = this.pickRecords(step.endpoint, step.picks);
        if (removedRecords.length === 0) return;
        const reply = await pda.call(
          'DELETE',
          `/api/v2.6/data?records=${removedRecords.map((record) => record.id).join(',')}`,
        );
        expect(reply.status).toBe(200);
        return this.removeRecords(step.endpoint, removedRecords);
      }
      case 'deleteForUndo': {
        const removedRecords = this.pickRecords(step.endpoint, step.picks);
        if (removedRecords.length === 0) return;
        await this.deleteForUndo(
          { records: removedRecords.map((record) => record.id) },
          removedRecords.map((record) => ({ ...record, endpoint: step.endpoint })),
        );
        return this.removeRecords(step.endpoint, removedRecords);
      }
      case 'move': {
        const movedRecords = this.pickRecords(step.endpoint, step.picks);
        if (movedRecords.length === 0) return;
        const to = ENDPOINTS.find((name) => name !== step.endpoint) ?? expect.fail('no other endpoint');
        const { moveEqual } = step;
        const json = { from: step.endpoint, to, records: movedRecords.map((record) => record.id), moveEqual };
        const reply = await pda.call('POST', '/api/v2.6/owner/record-moves', { json });
        expect(reply.json).toStrictEqual({ moved: json.records, equal: [], missing: 0 });
        this.removeRecords(step.endpoint, movedRecords);
        return this.setRecords(to, [...this.recordsAt(to), ...movedRecords]);
      }
      case 'clear':
        expect((await pda.call('DELETE', `/api/v2.6/data/${step.endpoint}`)).status).toBe(200);
        return this.removeRecords(step.endpoint, this.recordsAt(step.endpoint));
      case 'deleteEndpoint': {
        const removedRecords = this.recordsAt(step.endpoint);
        if (removedRecords.length === 0) return;
        await this.deleteForUndo(
          { endpoint: step.endpoint },
          removedRecords.map((record) => ({ ...record, endpoint: step.endpoint })),
        );
        return this.removeRecords(step.endpoint, removedRecords);
      }
      case 'undo':
        return this.undo(step.pick);
      case 'fail': {
        // A rolled-back transaction must leave no count, event or page-offset entry.
        const [firstRecord] = this.recordsAt(step.endpoint);
        const changes =
          firstRecord === undefined ? [] : [{ endpoint: step.endpoint, recordId: firstRecord.id, data: 0 }];
        const entries = [
          ...changes,
          { endpoint: step.endpoint, recordId: '019bc186-de00-7000-8937-015a1f841fa9', data: 0 },
        ];
        expect((await pda.call('PUT', '/api/v2.6/data', { json: entries })).status).toBe(400);
        const ids = entries.map((entry) => entry.recordId);
        expect((await pda.call('DELETE', `/api/v2.6/data?records=${ids.join(',')}`)).status).toBe(400);
        expect((await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: ids } })).status).toBe(400);
        return;
      }
      case 'sweep':
        return pda.pda.deletions.sweep();
      case 'tick':
        pda.clock.advance(step.ms);
    }
  }

  async check(): Promise<void> {
    const { pda } = this;
    for (const name of ENDPOINTS)
      await this.page({
        do: 'page',
        endpoint: name,
        skip: 0,
        take: 100_000,
        isDescending: false,
        usesOwnerRoute: true,
      });
    const { json } = await pda.call('GET', '/api/v2.6/owner/endpoints');
    const summaries = endpointSummarySchema.array().parse(json);
    const counts = summaries.map(({ endpoint: name, records, bytes }) => ({ name, records, bytes }));
    const expected = ENDPOINTS.filter((name) => this.recordsAt(name).length > 0).map((name) => ({
      name,
      records: this.recordsAt(name).length,
      bytes: this.recordsAt(name).reduce((sum, record) => sum + String(record.data).length, 0),
    }));
    expect(counts).toStrictEqual(expected);
    for (const { endpoint: name, firstRecord, lastRecord } of summaries) {
      const records = recordsOf(await pda.call('GET', `/api/v2.6/data/${name}?meta=true&take=100000`));
      const dates = [records[0], records.at(-1)].map((record) => record?.dateCreated);
      expect([firstRecord, lastRecord]).toStrictEqual(dates);
    }
    const days = activityDaySchema.array().parse((await pda.call('GET', '/api/v2.6/owner/activity?days=1')).json);
    const { day: _, ...today } = days[0] ?? expect.fail('no day');
    expect(today).toStrictEqual(this.model.counts);
    this.checkEvents();
    this.checkUsage();
  }

  checkUsage(): void {
    const db = new Database(`${this.pda.home}/pda.sqlite`, { readonly: true });
    const countedUsage = db.prepare('SELECT kind, name, bytes, endpoints FROM record_usage ORDER BY kind, name').all();
    const storedUsage = db
      .prepare(
        `SELECT kind, name, sum(octet_length(data)) AS bytes, count(DISTINCT endpoint) AS endpoints
         FROM records JOIN endpoints ON endpoints.id = endpoint AND path IS NOT NULL JOIN origins ON origins.id = origin
         GROUP BY kind, name ORDER BY kind, name`,
      )
      .all();
    db.close();
    expect(countedUsage).toStrictEqual(storedUsage);
  }

  checkEvents(): void {
    const db = new Database(`${this.pda.home}/pda.sqlite`, { readonly: true });
    const sums = db
      .prepare("SELECT kind, sum(count) AS count FROM events WHERE kind <> 'restored' GROUP BY kind")
      .all();
    const { counts } = this.model;
    const expected = Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => ({ kind, count }));
    expect(sums).toStrictEqual(expected.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)));
    // Every record is within a range of sequence numbers that an event reported as created.
    const unreportedCount = db
      .prepare(
        `SELECT count(*) FROM records JOIN endpoints ON endpoints.id = records.endpoint AND path IS NOT NULL
         WHERE NOT EXISTS (SELECT 1 FROM events WHERE kind = 'created' AND records.seq BETWEEN first_seq AND last_seq)`,
      )
      .pluck()
      .get();
    expect(unreportedCount).toBe(0);
    db.close();
  }
}

describe('random sequences of operations', () => {
  it('keep pages, counts, dates, activity and events equal to a model, and usage equal to the stored records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 40, maxLength: 80 }), async (steps) => {
        const roles = ['p', 'q'].map((detail) => ({ role: 'namespacewrite' as const, detail }));
        const pda = await startTestPda({ config: { applications: [anApplication({ id: 'writer', roles })] } });
        try {
          const simulation = new Simulation(pda, await setUpApplication(pda, 'writer'));
          for (const name of ENDPOINTS) await simulation.create(Array.from({ length: 20 }, () => name));
          for (const step of steps) {
            await simulation.step(step);
            simulation.checkUsage();
            if ('endpoint' in step) await simulation.readPageInBothOrders(step.endpoint);
          }
          await simulation.check();
          await pda.restart();
          await simulation.check();
        } finally {
          await pda.close();
        }
      }),
      { numRuns: Number(process.env['PDA_OPERATION_RUNS'] ?? 2) },
    );
  });
});
