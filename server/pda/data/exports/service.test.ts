import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, recordsOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';

const EXPORTS = '/api/v2.6/owner/exports';
const LARGE_TEXT = 'x'.repeat(300_000);

let pda: TestPda;
let ids: string[];
beforeAll(async () => {
  pda = await startTestPda();
  const json = [...Array.from({ length: 700 }, (_, n) => ({ n, odd: n % 2 === 1 })), { n: 1000, text: LARGE_TEXT }];
  ids = recordsOf(await pda.call('POST', '/api/v2.6/data/exports/a', { json })).map(({ recordId }) => recordId);
});
afterAll(() => pda.close());

const download = async (json: unknown): Promise<string> => {
  const ticket = await pda.call('POST', EXPORTS, { json });
  expect(ticket.status, ticket.text).toBe(201);
  const reply = await pda.call('GET', (ticket.json as { url: string }).url, { token: '' });
  expect(reply.status).toBe(200);
  return reply.text;
};
const numbersOf = (records: unknown): unknown[] => (records as { n: unknown }[]).map(({ n }) => n);

describe('an export', () => {
  const selection = {
    filters: [{ is: 'range', field: 'n', min: 698 }],
    sorts: [{ field: 'n', descending: true }],
  };

  it('of a selection contains its records in their order, as JSON, NDJSON and CSV', async () => {
    const expected = [1000, 699, 698];
    const json = await download({ endpoint: 'exports/a', format: 'json', selection });
    expect(numbersOf(JSON.parse(json))).toEqual(expected);
    const lines = (await download({ endpoint: 'exports/a', format: 'ndjson', selection })).trimEnd().split('\n');
    expect(numbersOf(lines.map((line): unknown => JSON.parse(line)))).toEqual(expected);
    const csv = await download({ endpoint: 'exports/a', format: 'csv', selection });
    expect(csv.split('\r\n')).toEqual(['n,text,odd', `1000,${LARGE_TEXT},`, '699,,true', '698,,false', '']);
  });

  it('of selected records contains only these, without those that have been deleted', async () => {
    const records = [ids[5], ids[2], ids[700]];
    expect(numbersOf(JSON.parse(await download({ endpoint: 'exports/a', format: 'json', records })))).toEqual([
      5, 2, 1000,
    ]);
    await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: [ids[2]] } });
    expect(await download({ endpoint: 'exports/a', format: 'ndjson', records: [ids[2]] })).toBe('');
    expect(await download({ endpoint: 'exports/a', format: 'json', records: [ids[2]] })).toBe('[]\n');
  });

  it('of all records as JSON is an array, oldest first', async () => {
    const all = numbersOf(JSON.parse(await download({ endpoint: 'exports/a', format: 'json' })));
    expect([all.length, all[0], all.at(-1)]).toEqual([700, 0, 1000]);
  });

  it('with a selection and records, or of an endpoint without records, is refused', async () => {
    const records = [ids[0]];
    const both = await pda.call('POST', EXPORTS, {
      json: { endpoint: 'exports/a', format: 'csv', selection, records },
    });
    expect(both.status).toBe(400);
    const none = await pda.call('POST', EXPORTS, { json: { endpoint: 'exports/none', format: 'csv', selection } });
    expect(errorOf(none).error).toBe('not_found');
  });
});
