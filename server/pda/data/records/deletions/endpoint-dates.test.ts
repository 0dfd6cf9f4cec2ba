import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../../../../tests/support/http.ts';
import { recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { deletionSchema, endpointSummarySchema } from '../../../../wire/owner.ts';

const DELETIONS_PATH = '/api/v2.6/owner/deletions';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

const create = async (endpoint: string, values: unknown[]): Promise<string[]> =>
  recordsOf(await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: values })).map(({ recordId }) => recordId);
const remove = async (json: unknown): Promise<string> =>
  deletionSchema.parse((await pda.call('POST', DELETIONS_PATH, { json })).json).deletionId;
const undo = (id: string): Promise<Reply> => pda.call('POST', `${DELETIONS_PATH}/${id}/undo`);
const listEndpoints = async () =>
  endpointSummarySchema.array().parse((await pda.call('GET', '/api/v2.6/owner/endpoints')).json);

describe('the dates of an endpoint', () => {
  it('cover all its records after older records are restored', async () => {
    const [olderId] = await create('d/one', [1]);
    await create('d/two', [1]);
    const olderDeletionId = await remove({ endpoint: 'd/two' });
    const olderDate = new Date(pda.clock.now()).toISOString();
    pda.clock.advance(1000);
    const newerDate = new Date(pda.clock.now()).toISOString();
    await create('d/one', [2]);
    await create('d/two', [2]);
    const deletionIds = [await remove({ records: [olderId] }), olderDeletionId];
    for (const endpoint of ['d/one', 'd/two']) deletionIds.push(await remove({ endpoint }));
    for (const id of deletionIds) expect((await undo(id)).status).toBe(200);
    const summaries = (await listEndpoints()).filter(({ endpoint }) => endpoint.startsWith('d/'));
    expect(summaries.map(({ firstRecord, lastRecord }) => [firstRecord, lastRecord])).toStrictEqual([
      [olderDate, newerDate],
      [olderDate, newerDate],
    ]);
  });

  it('are those of its first and last record after other records were deleted, moved or restored', async () => {
    const dates: string[] = [];
    const ids: string[] = [];
    for (const value of [1, 2, 3, 4]) {
      dates.push(new Date(pda.clock.now()).toISOString());
      ids.push(...(await create('d/one', [value])));
      pda.clock.advance(1000);
    }
    const datesOfEndpoint = async () => {
      const summary = (await listEndpoints()).find(({ endpoint }) => endpoint === 'd/one');
      return [summary?.firstRecord, summary?.lastRecord];
    };
    const move = async (from: string, to: string, records: unknown[]) => {
      const json = { from, to, records };
      expect((await pda.call('POST', '/api/v2.6/owner/record-moves', { json })).status).toBe(200);
    };
    const deletionId = await remove({ records: [ids[3]] });
    expect(await datesOfEndpoint()).toStrictEqual([dates[0], dates[2]]);
    await pda.call('DELETE', `/api/v2.6/data?records=${ids[0]}`);
    expect(await datesOfEndpoint()).toStrictEqual([dates[1], dates[2]]);
    await move('d/one', 'd/two', [ids[2]]);
    expect(await datesOfEndpoint()).toStrictEqual([dates[1], dates[1]]);
    await undo(deletionId);
    expect(await datesOfEndpoint()).toStrictEqual([dates[1], dates[3]]);
    await remove({ records: [ids[1], ids[3]] });
    await move('d/two', 'd/one', [ids[2]]);
    expect(await datesOfEndpoint()).toStrictEqual([dates[2], dates[2]]);
  });

  it('include the original last change after an undo, even if a combinator for its path was saved before the undo', async () => {
    await create('d/one', [{ n: 1 }]);
    const lastChangeOf = async () => (await listEndpoints())[0]?.lastChange;
    const lastChange = new Date(pda.clock.now()).toISOString();
    expect(await lastChangeOf()).toBe(lastChange);
    const deletionId = await remove({ endpoint: 'd/one' });
    const filters = [{ field: 'n', operator: { operator: 'between', lower: 0, upper: 2 } }];
    await pda.call('POST', '/api/v2.6/combinator/later', { json: [{ endpoint: 'd/one', filters }] });
    await pda.pda.indexes.waitUntilIdle();
    expect((await undo(deletionId)).status).toBe(200);
    expect(await lastChangeOf()).toBe(lastChange);
  });
});
