import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createFakeFunctions,
  FAST_TIMING,
  installAndEnable,
  MARKER,
  waitForScheduler,
} from '../server/pda/functions/harness.test-support.ts';
import { aBundle, startDebits, type DebitTest } from '../server/pda/sharing/debits/harness.test-support.ts';
import { closeAll, openReceiver } from '../server/pda/sharing/webhooks/harness.test-support.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { MAX_MOVED_RECORDS, MAX_RECORD_VERSIONS } from '../server/wire/limits.ts';
import { browsedRecordSchema, deletionSchema, endpointSummarySchema } from '../server/wire/owner.ts';
import { recordMoveResultSchema, type RecordMoveResult } from '../server/wire/record-moves.ts';
import { recordVersionListSchema } from '../server/wire/record-versions.ts';
import { TRANSACTION_MAX_RECORDS } from '../server/wire/work-limits.ts';
import { recordSearchSchema, searchIndexSchema } from '../server/wire/search.ts';
import { findInconsistencies } from './support/database-check.ts';
import { until } from './support/server-process.ts';
import { dataAt, errorOf, OWNER, recordsOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const PATH = '/api/v2.6/owner/record-moves';
const OWNER_ORIGIN = { kind: 'owner', name: 'owner' };
const UNKNOWN_ID = '019bc186-de00-7000-8937-015a1f841fa9';

let pda: TestPda;
afterEach(() => pda.close());

const create = async (endpoint: string, values: readonly unknown[]): Promise<string[]> =>
  recordsOf(await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: values })).map(({ recordId }) => recordId);
const move = async (
  from: string,
  to: string,
  records: readonly (string | undefined)[],
  { moveEqual = false } = {},
): Promise<RecordMoveResult> => {
  const reply = await pda.call('POST', PATH, { json: { from, to, records, moveEqual } });
  expect(reply.status, reply.text).toBe(200);
  return recordMoveResultSchema.parse(reply.json);
};
const readText = async (endpoint: string): Promise<string> =>
  (await pda.call('GET', `/api/v2.6/data/${endpoint}?meta=true`)).text;
const readRecord = async (id: string | undefined) =>
  browsedRecordSchema.parse((await pda.call('GET', `/api/v2.6/owner/records/${id}`)).json);
const historyOf = async (id: string | undefined) =>
  recordVersionListSchema.parse((await pda.call('GET', `/api/v2.6/owner/records/${id}/versions`)).json);
const listEndpoints = async () =>
  endpointSummarySchema.array().parse((await pda.call('GET', '/api/v2.6/owner/endpoints')).json);
const readDecisions = async () => {
  const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=200')).json);
  return rows.filter(({ action }) => action === `POST ${PATH}`);
};

describe('moved records', () => {
  beforeEach(async () => {
    pda = await startTestPda();
  });

  it('keep id, data, dates, versions and creator, and are listed in the order of creation', async () => {
    const [firstId, secondId, thirdId] = await create('a/one', [{ n: 1 }, { n: 2 }, { n: 3 }]);
    pda.clock.advance(1000);
    await create('b/two', [{ n: 4 }]);
    await pda.call('PUT', '/api/v2.6/data', { json: [{ endpoint: 'a/one', recordId: firstId, data: { n: 1.5 } }] });
    const [originalRecord, history] = [await readRecord(firstId), await historyOf(firstId)];
    pda.clock.advance(1000);
    const result = await move('a/one', 'b/two', [thirdId, firstId?.toUpperCase(), thirdId]);
    expect(result).toEqual({ moved: [thirdId, firstId], equal: [], missing: 0 });
    expect(await dataAt(pda, 'a/one')).toEqual([{ n: 2 }]);
    expect(await dataAt(pda, 'b/two')).toEqual([{ n: 1.5 }, { n: 3 }, { n: 4 }]);
    expect(await readRecord(firstId)).toEqual({ ...originalRecord, endpoint: 'b/two' });
    const moves = [
      { moved: new Date(pda.clock.now()).toISOString(), movedBy: OWNER_ORIGIN, from: 'a/one', to: 'b/two' },
    ];
    expect(await historyOf(firstId)).toEqual({ ...history, moves });
    expect((await historyOf(secondId)).moves).toEqual([]);
    const [source, target] = await listEndpoints();
    expect([source?.records, target?.records]).toEqual([1, 3]);
    expect(target?.firstRecord).toBe(originalRecord.dateCreated);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it('can be moved back, and both endpoints are as before', async () => {
    const ids = await create('a/one', [1, 2, 2, 3]);
    await create('b/two', [2, 4]);
    const originalTexts = [await readText('a/one'), await readText('b/two')];
    const { moved, equal } = await move('a/one', 'b/two', ids);
    expect([moved, equal]).toEqual([
      [ids[0], ids[3]],
      [ids[1], ids[2]],
    ]);
    // A record that is equal to a moved one is stored at the source before they are moved back.
    await create('a/one', [3]);
    expect(await move('b/two', 'a/one', moved, { moveEqual: true })).toEqual({ moved, equal: [], missing: 0 });
    const [addedRecord] = recordsOf(await pda.call('GET', '/api/v2.6/data/a/one?ordering=descending&take=1'));
    await pda.call('DELETE', `/api/v2.6/data?records=${addedRecord?.recordId}`);
    expect([await readText('a/one'), await readText('b/two')]).toEqual(originalTexts);
    expect((await historyOf(ids[0])).moves.map(({ from, to }) => [from, to])).toEqual([
      ['b/two', 'a/one'],
      ['a/one', 'b/two'],
    ]);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it('include only the first of several equal records, even at a new endpoint', async () => {
    const ids = await create('a/one', [
      { x: 1, y: 2 },
      { y: 2.0, x: 1 },
      { x: 1, y: 3 },
    ]);
    expect(await move('a/one', 'c/new', ids)).toEqual({ moved: [ids[0], ids[2]], equal: [ids[1]], missing: 0 });
    // The fingerprints of both endpoints are up to date.
    const skipQuery = '?skipErrors=true';
    expect(await create(`c/new${skipQuery}`, [{ y: 3, x: 1 }])).toEqual([]);
    expect(await create(`a/one${skipQuery}`, [{ x: 1, y: 2 }])).toEqual([]);
    expect(await create(`a/one${skipQuery}`, [{ x: 1, y: 3 }])).toHaveLength(1);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it('do not include deleted records or records of other endpoints', async () => {
    const [movableId, deletedId] = await create('a/one', [1, 2]);
    const [otherId] = await create('b/two', [3]);
    const deletion = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: [deletedId] } });
    const records = [UNKNOWN_ID, otherId, deletedId, movableId];
    expect(await move('a/one', 'c/new', records)).toEqual({ moved: [movableId], equal: [], missing: 3 });
    expect(await move('a/one', 'c/new', records)).toEqual({ moved: [], equal: [], missing: 4 });
    expect((await listEndpoints()).map(({ endpoint }) => endpoint)).toEqual(['b/two', 'c/new']);
    // The second move changed nothing, so it is not recorded.
    expect((await readDecisions()).map(({ who, endpoints, records: count }) => [who.kind, endpoints, count])).toEqual([
      ['owner', ['a/one', 'c/new'], 1],
    ]);
    const { deletionId } = deletionSchema.parse(deletion.json);
    expect((await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`)).status).toBe(200);
    expect(await dataAt(pda, 'a/one')).toEqual([2]);
  });

  it('are restored with their moves at the new endpoint, and lose the moves when they are permanently deleted', async () => {
    const [id] = await create('a/one', [1]);
    await move('a/one', 'b/two', [id]);
    const { deletionId } = deletionSchema.parse(
      (await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: [id] } })).json,
    );
    await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`);
    expect(await dataAt(pda, 'b/two')).toEqual([1]);
    expect((await historyOf(id)).moves).toHaveLength(1);
    await pda.call('DELETE', `/api/v2.6/data?records=${id}`);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('are all moved, even if their number and size require several transactions', async () => {
    const values = [...Array.from({ length: 350 }, (_, n) => n), 'x'.repeat(600_000), 'y'.repeat(600_000)];
    const ids = await create('a/one', values);
    expect((await move('a/one', 'b/two', ids)).moved).toEqual(ids);
    expect(await dataAt(pda, 'b/two')).toEqual(values);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it('are all moved back if the undo arrives while they are still being moved', async () => {
    const values = Array.from({ length: 3 * TRANSACTION_MAX_RECORDS }, (_, n) => n);
    const ids = await create('a/one', values);
    const results = await Promise.all([move('a/one', 'b/two', ids), move('b/two', 'a/one', ids, { moveEqual: true })]);
    expect(results.map(({ moved }) => moved.length)).toEqual([ids.length, ids.length]);
    expect(await dataAt(pda, 'a/one')).toEqual(values);
  });

  it('keep a bounded history of their moves', async () => {
    const [id] = await create('a/one', [1]);
    for (let n = 0; n < MAX_RECORD_VERSIONS + 1; n += 1)
      await move(n % 2 === 0 ? 'a/one' : 'b/two', n % 2 === 0 ? 'b/two' : 'a/one', [id]);
    const { moves } = await historyOf(id);
    expect([moves.length, moves[0]?.from, moves.at(-1)?.from]).toEqual([MAX_RECORD_VERSIONS, 'a/one', 'b/two']);
  });

  it.skipIf(!IS_THOROUGH_RUN)('are found by the search only while their source is included', async () => {
    const [id] = await create('a/one', [{ t: 'persimmon' }]);
    const waitUntilIndexed = () =>
      expect
        .poll(
          async () => searchIndexSchema.parse((await pda.call('GET', '/api/v2.6/owner/search-index')).json).remaining,
        )
        .toBe(0);
    const findMatches = async (): Promise<string[]> => {
      await waitUntilIndexed();
      const reply = await pda.call('GET', '/api/v2.6/owner/search?text=persimmon');
      return recordSearchSchema.parse(reply.json).matches.map(({ endpoint }) => endpoint);
    };
    const json = { enabled: true, excludedSources: ['secret'] };
    expect((await pda.call('PUT', '/api/v2.6/owner/search-index', { json })).status).toBe(200);
    expect(await findMatches()).toEqual(['a/one']);
    await move('a/one', 'secret/one', [id]);
    expect(await findMatches()).toEqual([]);
    await move('secret/one', 'a/two', [id]);
    expect(await findMatches()).toEqual(['a/two']);
  });

  it.skipIf(!IS_THOROUGH_RUN)('lose the moves from a source that is erased', async () => {
    const [id] = await create('secret/one', [1]);
    await move('secret/one', 'b/two', [id]);
    expect((await historyOf(id)).moves).toHaveLength(1);
    const json = { kind: 'namespace', target: 'secret', typed: 'secret', password: OWNER.password };
    const reply = await pda.call('POST', '/api/v2.6/owner/erasures', { json });
    expect(reply.status, reply.text).toBe(202);
    await pda.pda.erasure.waitUntilIdle();
    expect((await historyOf(id)).moves).toEqual([]);
  });

  it('are not moved by an invalid request', async () => {
    const records = await create('a/one', [1]);
    for (const invalidFields of [
      { to: 'a/one' },
      { to: 'nowhere' },
      { to: 'a/../b' },
      { to: 'b/two', records: [] },
      { to: 'b/two', records: ['no id'] },
      { to: 'b/two', records: Array.from({ length: MAX_MOVED_RECORDS + 1 }, () => UNKNOWN_ID) },
    ]) {
      const reply = await pda.call('POST', PATH, { json: { from: 'a/one', records, ...invalidFields } });
      expect([reply.status, errorOf(reply).error]).toEqual([400, 'invalid_input']);
    }
    expect(await dataAt(pda, 'a/one')).toEqual([1]);
  });
});

describe('a move', () => {
  let debits: DebitTest;
  const fakes = createFakeFunctions(MARKER, { id: 'sums', reads: ['b/two'] });
  beforeEach(async () => {
    const functions = { host: fakes.host, timing: FAST_TIMING };
    debits = await startDebits(undefined, { network: { allowLoopback: true }, functions });
    ({ pda } = debits);
  });
  afterEach(closeAll);

  it.skipIf(!IS_THOROUGH_RUN)(
    'triggers functions and webhooks of the target, and changes the values of its Data Debits',
    async () => {
      const { owner } = debits;
      const receiver = await openReceiver();
      const bundle = aBundle('days', 'b/two');
      await debits.proposeAndEnable({ bundle, requestClientCallbackUrl: receiver.url });
      await installAndEnable(pda, MARKER, { id: 'sums', reads: ['b/two'] });
      const [id] = await create('a/one', [{ n: 1 }]);
      await waitForScheduler(pda, fakes);
      expect(fakes.inputs.get('sums') ?? []).toEqual([]);
      const eventNames = (): string[] => receiver.received.map(({ event }) => event);
      expect(eventNames()).not.toContain('values-available');
      await move('a/one', 'b/two', [id]);
      await until(() => eventNames().includes('values-available'), 'the webhook is received');
      expect(await owner.values('lunch')).toEqual({ days: [{ n: 1 }] });
      await expect.poll(() => fakes.inputs.get('sums')?.length).toBe(1);
      expect(JSON.stringify(fakes.inputs.get('sums'))).toContain('{"n":1}');
      await move('b/two', 'a/one', [id]);
      expect(await owner.values('lunch')).toEqual({ days: [] });
    },
  );
});
