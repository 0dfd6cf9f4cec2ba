import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, tokenOf } from '../../../../../tests/support/applications.ts';
import { begin } from '../../../../../tests/support/http.ts';
import { until } from '../../../../../tests/support/server-process.ts';
import { recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { recordListSchema } from '../../../../wire/records.ts';
import { idsIn, newestOf } from './access-recorder.test-support.ts';

const STORED = 3000;
const PER_POST = 1000;
/** Large enough that most of an answer is not in any buffer while the test looks. */
const PADDING = 'x'.repeat(6000);
const MANY = '/api/v2.6/data/many/things';

let pda: TestPda;
let token: string;
beforeAll(async () => {
  // Strict, an answer would be gathered before it leaves.
  const applications = [anApplication({ roles: [{ role: 'namespaceread', detail: 'many' }] })];
  pda = await startTestPda({ strict: false, config: { applications } });
  token = await tokenOf(pda, 'notes');
  for (let at = 0; at < STORED; at += PER_POST) {
    const json = Array.from({ length: PER_POST }, (_, index) => ({ n: at + index, PADDING }));
    expect((await pda.call('POST', MANY, { json })).status).toBe(201);
    pda.clock.advance(1000);
  }
});
afterAll(() => pda.close());

/** Begins to read and stops after the first bytes; the rest comes when it is asked for. */
const beginToRead = async (path: string): Promise<{ rest: () => Promise<Buffer>; answer: IncomingMessage }> => {
  const answer = await begin(`http://${pda.host}${path}`, { headers: { 'x-auth-token': token } });
  await new Promise((resolve) => answer.once('readable', resolve));
  const rest = async (): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    return Buffer.concat(parts);
  };
  return { rest, answer };
};

const idsOf = (body: Buffer): string[] =>
  recordListSchema
    .parse(JSON.parse(body.toString()))
    .map((record) => record.recordId)
    .toSorted();

const QUERIES = [
  ['in order', ''],
  ['in the other order', '&ordering=descending'],
  ['by a path in the data', '&orderBy=n'],
  ['with dates', '&meta=true'],
] as const;

describe('an answer that streams', () => {
  it('is in the ledger before its first byte is out; its bytes follow when it is over', async () => {
    const { rest } = await beginToRead(`${MANY}?take=100000`);
    const row = await newestOf(pda);
    expect(row).toMatchObject({ records: STORED, bytes: null, endpoints: ['many/things'] });
    const body = await rest();
    expect(await idsIn(pda, row)).toStrictEqual(idsOf(body));
    const over = await until(async () => {
      const now = await newestOf(pda);
      return now.bytes !== null && now;
    }, 'the bytes are there');
    expect(over).toMatchObject({ id: row.id, bytes: body.length });
  });

  it('that its caller broke off is there with the bytes that left', async () => {
    const { answer } = await beginToRead(`${MANY}?take=100000`);
    answer.destroy();
    const over = await until(async () => {
      const now = await newestOf(pda);
      return now.bytes !== null && now;
    }, 'the bytes are there');
    expect(over.records).toBe(STORED);
    expect(over.bytes).toBeLessThan(STORED * PADDING.length);
  });

  it('to a HEAD has no bytes', async () => {
    const reply = await pda.call('HEAD', `${MANY}?take=100000`, { token });
    expect(reply.body.length).toBe(0);
    expect(await newestOf(pda)).toMatchObject({ bytes: 0, outcome: 'allowed' });
  });

  it.each(QUERIES)('%s holds no record that the ledger lacks, whatever comes and goes meanwhile', async (_, query) => {
    const before = recordsOf(await pda.call('GET', `${MANY}?take=100000`)).map(({ recordId }) => recordId);
    const { rest } = await beginToRead(`${MANY}?take=100000${query}`);
    const late = recordsOf(await pda.call('POST', MANY, { json: [{ n: -1 }, { n: 1000.5 }, { n: 1e9 }] }));
    // From all over, and one whole stretch.
    const gone = before.filter((_id, index) => index % 250 === 249 || (index >= 1500 && index < 1600));
    await pda.call('DELETE', `/api/v2.6/data?records=${gone.join(',')}`);
    const answered = idsOf(await rest());
    const accounted = new Set(await idsIn(pda, await newestOf(pda)));
    expect(answered.filter((id) => !accounted.has(id))).toStrictEqual([]);
    expect(new Set(answered).size).toBe(answered.length);
    expect(late.filter(({ recordId }) => answered.includes(recordId))).toStrictEqual([]);
    // What stayed all the time is in it.
    const stayed = before.filter((id) => !gone.includes(id));
    expect(answered.length).toBeGreaterThanOrEqual(stayed.length);
    await pda.call('DELETE', `/api/v2.6/data?records=${late.map(({ recordId }) => recordId).join(',')}`);
  });

  it('hands nothing out of an endpoint that was taken away meanwhile', async () => {
    const { rest } = await beginToRead(`${MANY}?take=100000`);
    // One that can be undone: the rows stay in their table.
    const deleted = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'many/things' } });
    expect(deleted.status).toBe(201);
    const answered = idsOf(await rest());
    const row = await newestOf(pda);
    expect(answered.length).toBeLessThan(row.records);
    const accounted = new Set(await idsIn(pda, row));
    expect(answered.filter((id) => !accounted.has(id))).toStrictEqual([]);
  });
});
