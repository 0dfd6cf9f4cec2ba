import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { openRequest } from '../../../../../tests/support/http.ts';
import { until } from '../../../../../tests/support/server-process.ts';
import { recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { recordListSchema } from '../../../../wire/records.ts';
import { idsIn, newestOf } from './access-recorder.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const RECORD_COUNT = 3000;
const RECORDS_PER_POST = 1000;
/** Makes each response much larger than the buffers. */
const PADDING = 'x'.repeat(6000);
const ENDPOINT_PATH = '/api/v2.6/data/many/things';

let pda: TestPda;
let token: string;
beforeAll(async () => {
  // Not strict: response validation would buffer the response.
  const applications = [anApplication({ roles: [{ role: 'namespaceread', detail: 'many' }] })];
  pda = await startTestPda({ strict: false, config: { applications } });
  token = await setUpApplication(pda, 'notes');
  for (let offset = 0; offset < RECORD_COUNT; offset += RECORDS_PER_POST) {
    const json = Array.from({ length: RECORDS_PER_POST }, (_, index) => ({ n: offset + index, PADDING }));
    expect((await pda.call('POST', ENDPOINT_PATH, { json })).status).toBe(201);
    pda.clock.advance(1000);
  }
});
afterAll(() => pda.close());

/** Starts a request and pauses after the first bytes. */
const startReading = async (path: string): Promise<{ readRest: () => Promise<Buffer>; response: IncomingMessage }> => {
  const response = await openRequest(`http://${pda.host}${path}`, { headers: { 'x-auth-token': token } });
  await new Promise((resolve) => response.once('readable', resolve));
  const readRest = async (): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };
  return { readRest, response };
};

const idsOf = (body: Buffer): string[] =>
  recordListSchema
    .parse(JSON.parse(body.toString()))
    .map((record) => record.recordId)
    .toSorted();

const QUERIES = [
  ['in order', ''],
  ['in descending order', '&ordering=descending'],
  ['ordered by a field', '&orderBy=n'],
  ['with metadata', '&meta=true'],
] as const;

describe('a streamed response', () => {
  it('is logged before its first byte is sent, and its size is logged when it has ended', async () => {
    const { readRest } = await startReading(`${ENDPOINT_PATH}?take=100000`);
    const row = await newestOf(pda);
    expect(row).toMatchObject({ records: RECORD_COUNT, bytes: null, endpoints: ['many/things'] });
    const body = await readRest();
    expect(await idsIn(pda, row)).toStrictEqual(idsOf(body));
    const completedRow = await until(async () => {
      const currentRow = await newestOf(pda);
      return currentRow.bytes !== null && currentRow;
    }, 'the size is logged');
    expect(completedRow).toMatchObject({ id: row.id, bytes: body.length });
  });

  it('is logged with the sent bytes if the client aborts it', async () => {
    const { response } = await startReading(`${ENDPOINT_PATH}?take=100000`);
    response.destroy();
    const completedRow = await until(async () => {
      const currentRow = await newestOf(pda);
      return currentRow.bytes !== null && currentRow;
    }, 'the size is logged');
    expect(completedRow.records).toBe(RECORD_COUNT);
    expect(completedRow.bytes).toBeLessThan(RECORD_COUNT * PADDING.length);
  });

  it('is logged with zero bytes for a HEAD request', async () => {
    const reply = await pda.call('HEAD', `${ENDPOINT_PATH}?take=100000`, { token });
    expect(reply.body.length).toBe(0);
    expect(await newestOf(pda)).toMatchObject({ bytes: 0, outcome: 'allowed' });
  });

  it.each(IS_THOROUGH_RUN ? QUERIES : QUERIES.slice(0, 1))(
    'contains only logged records when records are added and deleted during the response (%s)',
    async (_, query) => {
      const idsBefore = recordsOf(await pda.call('GET', `${ENDPOINT_PATH}?take=100000`)).map(
        ({ recordId }) => recordId,
      );
      const { readRest } = await startReading(`${ENDPOINT_PATH}?take=100000${query}`);
      const addedRecords = recordsOf(
        await pda.call('POST', ENDPOINT_PATH, { json: [{ n: -1 }, { n: 1000.5 }, { n: 1e9 }] }),
      );
      const deletedIds = idsBefore.filter((_id, index) => index % 250 === 249 || (index >= 1500 && index < 1600));
      await pda.call('DELETE', `/api/v2.6/data?records=${deletedIds.join(',')}`);
      const returnedIds = idsOf(await readRest());
      const loggedIds = new Set(await idsIn(pda, await newestOf(pda)));
      expect(returnedIds.filter((id) => !loggedIds.has(id))).toStrictEqual([]);
      expect(new Set(returnedIds).size).toBe(returnedIds.length);
      expect(addedRecords.filter(({ recordId }) => returnedIds.includes(recordId))).toStrictEqual([]);
      // The response contains at least the records that were not deleted.
      const remainingIds = idsBefore.filter((id) => !deletedIds.includes(id));
      expect(returnedIds.length).toBeGreaterThanOrEqual(remainingIds.length);
      await pda.call('DELETE', `/api/v2.6/data?records=${addedRecords.map(({ recordId }) => recordId).join(',')}`);
    },
  );

  it('ends early when its endpoint is deleted', async () => {
    const { readRest } = await startReading(`${ENDPOINT_PATH}?take=100000`);
    // This deletion can be undone, so the rows stay in their table.
    const deletion = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'many/things' } });
    expect(deletion.status).toBe(201);
    const returnedIds = idsOf(await readRest());
    const row = await newestOf(pda);
    expect(returnedIds.length).toBeLessThan(row.records);
    const loggedIds = new Set(await idsIn(pda, row));
    expect(returnedIds.filter((id) => !loggedIds.has(id))).toStrictEqual([]);
  });
});
