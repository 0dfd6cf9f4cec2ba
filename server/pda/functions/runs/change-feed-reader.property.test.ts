import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { recordsOf, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createFakeFunctions,
  FUNCTIONS,
  installAndEnable,
  removeFolders,
  startWithFakes,
  type FakeFunction,
} from '../harness.test-support.ts';

afterAll(removeFolders);

const ENDPOINTS = ['data/a', 'data/b', 'data/unread'] as const;
const READ_ENDPOINTS = ENDPOINTS.slice(0, 2);
const deletionSchema = z.looseObject({ deletionId: z.uuid() });

type Operation =
  | { kind: 'create'; endpoint: number; count: number }
  | { kind: 'update' | 'delete' | 'delete with undo'; index: number }
  | { kind: 'drop'; endpoint: number }
  | { kind: 'restore' | 'run' | 'restart' | 'set the clock back' };

const operationArbitrary: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      endpoint: fc.constantFrom(0, 0, 0, 1, 2),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('update' as const, 'delete' as const, 'delete with undo' as const),
      index: fc.nat(1000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('drop' as const), endpoint: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'run' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'restore' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'set the clock back' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

/** Reference model of the records and the unprocessed changes. */
class Model {
  readonly records = new Map<string, string>();
  /** Number of unprocessed events per record. */
  readonly unprocessedEvents = new Map<string, number>();
  readonly deletions: { id: string; records: [string, string][]; droppedEndpoint?: string }[] = [];
  readonly restoredEndpoints: { endpoint: string; records: ReadonlySet<string> }[] = [];

  addChange(id: string, endpoint: string): void {
    this.records.set(id, endpoint);
    if (endpoint !== ENDPOINTS[2]) this.unprocessedEvents.set(id, (this.unprocessedEvents.get(id) ?? 0) + 1);
  }
  /**
   * Returns the maximum number of times that the next run of a function with a limit may receive a record. The event of
   * a restored endpoint does not name its records, so a record that was deleted and restored separately is received
   * once more.
   */
  maxDeliveries(id: string): number {
    const separateRestorations = this.restoredEndpoints.filter(
      ({ endpoint, records }) => endpoint === this.records.get(id) && !records.has(id),
    );
    return (this.unprocessedEvents.get(id) ?? 0) + separateRestorations.length;
  }
  /** Returns the ids of the records that the next run must receive. */
  dueIds(): string[] {
    return [...this.unprocessedEvents.keys()].filter((id) => this.records.has(id)).toSorted();
  }
}

const applyOperation = async (
  pda: TestPda,
  model: Model,
  operation: Operation,
  takeReceivedIds: () => string[],
  isUnlimited: boolean,
): Promise<void> => {
  const ids = [...model.records.keys()];
  switch (operation.kind) {
    case 'create': {
      const endpoint = ENDPOINTS[operation.endpoint] ?? ENDPOINTS[0];
      const json = Array.from({ length: operation.count }, (_, n) => n);
      for (const { recordId } of recordsOf(await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json })))
        model.addChange(recordId, endpoint);
      return;
    }
    case 'update': {
      const recordId = ids[operation.index % Math.max(1, ids.length)];
      const endpoint = model.records.get(recordId ?? '');
      if (recordId === undefined || endpoint === undefined) return;
      await pda.call('PUT', '/api/v2.6/data', { json: [{ endpoint, recordId, data: 'new' }] });
      model.addChange(recordId, endpoint);
      return;
    }
    case 'delete':
    case 'delete with undo': {
      const recordId = ids[operation.index % Math.max(1, ids.length)];
      if (recordId === undefined) return;
      if (operation.kind === 'delete') await pda.call('DELETE', `/api/v2.6/data?records=${recordId}`);
      else {
        const reply = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: [recordId] } });
        const { deletionId: id } = deletionSchema.parse(reply.json);
        model.deletions.push({ id, records: [[recordId, model.records.get(recordId) ?? '']] });
      }
      model.records.delete(recordId);
      return;
    }
    case 'drop': {
      const endpoint = ENDPOINTS[operation.endpoint] ?? ENDPOINTS[0];
      const records = [...model.records].filter(([, recordEndpoint]) => recordEndpoint === endpoint);
      if (records.length === 0) return;
      const reply = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint } });
      model.deletions.push({ id: deletionSchema.parse(reply.json).deletionId, records, droppedEndpoint: endpoint });
      for (const [id] of records) model.records.delete(id);
      return;
    }
    case 'restore': {
      const deletion = model.deletions.pop();
      if (deletion === undefined) return;
      await pda.call('POST', `/api/v2.6/owner/deletions/${deletion.id}/undo`);
      for (const [id, endpoint] of deletion.records) model.addChange(id, endpoint);
      if (deletion.droppedEndpoint !== undefined)
        model.restoredEndpoints.push({
          endpoint: deletion.droppedEndpoint,
          records: new Set(deletion.records.map(([id]) => id)),
        });
      return;
    }
    case 'set the clock back':
      pda.clock.advance(-50_000);
      return;
    case 'restart':
      await pda.restart();
      return;
    case 'run': {
      const dueIds = model.dueIds();
      expect((await pda.call('GET', `${FUNCTIONS}/all/trigger`)).status).toBe(200);
      const receivedIds = takeReceivedIds();
      expect([...new Set(receivedIds)]).toStrictEqual(dueIds);
      // At most once per event: a record that changed again may be part of a later request.
      for (const id of model.unprocessedEvents.keys())
        expect(receivedIds.filter((receivedId) => receivedId === id).length, id).toBeLessThanOrEqual(
          isUnlimited ? 1 : model.maxDeliveries(id),
        );
      model.restoredEndpoints.length = 0;
      model.unprocessedEvents.clear();
    }
  }
};

it('a function receives each record created, changed or restored since its last run, at most once per event', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operationArbitrary, { minLength: 5, maxLength: 25 }),
      fc.option(fc.integer({ min: 1, max: 4 })),
      async (operations, limit) => {
        const property = (endpoint: string) => ({ endpoints: [{ endpoint }], ...(limit === null ? {} : { limit }) });
        const bundle = Object.fromEntries(READ_ENDPOINTS.map((endpoint, n) => [`p${n}`, property(endpoint)]));
        let receivedIds: string[] = [];
        const fake: FakeFunction = {
          id: 'all',
          reads: [...READ_ENDPOINTS],
          trigger: { triggerType: 'manual' },
          bundle: () => ({ name: 'all', bundle }),
          process({ request }) {
            for (const records of Object.values(request.data))
              receivedIds.push(...records.map(({ recordId }) => recordId));
            return [];
          },
        };
        const pda = await startWithFakes(createFakeFunctions(fake));
        try {
          await installAndEnable(pda, fake);
          const model = new Model();
          const takeReceivedIds = (): string[] => {
            const sortedIds = receivedIds.toSorted();
            receivedIds = [];
            return sortedIds;
          };
          // The first run would read all records, so it takes place before the operations.
          const run = { kind: 'run' } as const;
          for (const step of [run, ...operations, run])
            await applyOperation(pda, model, step, takeReceivedIds, limit === null);
        } finally {
          await pda.close();
        }
      },
    ),
    {
      numRuns: Number(process.env['PDA_RUNS'] ?? 4),
      // A record that is restored separately from its endpoint.
      examples: [
        [
          [
            { kind: 'create', endpoint: 0, count: 1 },
            { kind: 'delete with undo', index: 0 },
            { kind: 'create', endpoint: 0, count: 1 },
            { kind: 'drop', endpoint: 0 },
            { kind: 'create', endpoint: 0, count: 2 },
            { kind: 'restore' },
            { kind: 'restore' },
          ],
          1,
        ],
      ],
    },
  );
});
