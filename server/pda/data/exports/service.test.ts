import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, recordsOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { MAX_EXPORTED_COLUMNS, MAX_EXPORTED_HEADING_CHARS, MAX_EXPORTED_PATH_CHARS } from '../../../wire/limits.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

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

  it('of columns contains only these fields, in their order, under their headings in CSV', async () => {
    const columns = [
      { path: 'odd', name: 'Odd number' },
      { path: 'n', name: 'Number, "n"' },
      { path: 'none', name: '=evil()' },
    ];
    const header = `Odd number,"Number, ""n""",'=evil()\r\n`;
    const request = { endpoint: 'exports/a', selection, columns };
    expect(await download({ ...request, format: 'csv' })).toBe(`${header},1000,\r\ntrue,699,\r\nfalse,698,\r\n`);
    expect(await download({ ...request, format: 'ndjson' })).toBe(
      '{"n":1000}\n{"odd":true,"n":699}\n{"odd":false,"n":698}\n',
    );
    expect(await download({ ...request, format: 'json' })).toBe(
      '[\n{"n":1000},\n{"odd":true,"n":699},\n{"odd":false,"n":698}\n]\n',
    );
    const unknownRecordRequest = { endpoint: 'exports/a', records: ['019bc186-de00-7000-8937-015a1f841fa9'], columns };
    expect(await download({ ...unknownRecordRequest, format: 'json' })).toBe('[]\n');
    expect(await download({ ...unknownRecordRequest, format: 'ndjson' })).toBe('');
    expect(await download({ ...unknownRecordRequest, format: 'csv' })).toBe(header);
  });

  it('of columns contains all records, in several chunks', async () => {
    const columns = [{ path: 'n', name: 'n' }];
    const json = JSON.parse(await download({ endpoint: 'exports/a', format: 'json', columns })) as unknown[];
    expect([json.length, json[0], json.at(-1)]).toEqual([700, { n: 0 }, { n: 1000 }]);
    expect(Object.keys(json[400] ?? {})).toEqual(['n']);
  });

  it('of columns copies hostile names and values unchanged in JSON, and without formulas in CSV', async () => {
    const text = '{"__proto__x":1,"=1+1":"=cmd()","a\\nb":"x,y","\\"":1.0,"deep":{"\u202e":[1]},"null":null}';
    await pda.call('POST', '/api/v2.6/data/exports/hostile', { body: `[${text},[5],"-x"]` });
    const columns = ['"', '=1+1', 'a\nb', 'deep.\u202e', '__proto__', '__proto__x'].map((path) => ({
      path,
      name: path,
    }));
    const request = { endpoint: 'exports/hostile', columns };
    expect(await download({ ...request, format: 'ndjson' })).toBe(
      '{"\\"":1.0,"=1+1":"=cmd()","a\\nb":"x,y","deep":{"\u202e":[1]},"__proto__x":1}\n{}\n{}\n',
    );
    expect(await download({ ...request, format: 'csv' })).toBe(
      `"""",'=1+1,"a\nb",deep.\u202e,__proto__,__proto__x\r\n1.0,'=cmd(),"x,y",[1],,1\r\n,,,,,\r\n,,,,,\r\n`,
    );
    const wholeRecordRequest = { ...request, columns: [{ path: '', name: '+evil\n' }] };
    expect(await download({ ...wholeRecordRequest, format: 'ndjson' })).toBe(`${text}\n[5]\n"-x"\n`);
    expect(await download({ ...wholeRecordRequest, format: 'csv' })).toBe(
      `"'+evil\n"\r\n"${text.replaceAll('"', '""')}"\r\n[5]\r\n'-x\r\n`,
    );
  });

  it('with invalid or too many columns is rejected', async () => {
    for (const columns of [
      [],
      [{ path: 'a' }],
      [{ path: 'a', name: 'x'.repeat(MAX_EXPORTED_HEADING_CHARS + 1) }],
      [{ path: 'x'.repeat(MAX_EXPORTED_PATH_CHARS + 1), name: 'a' }],
      [{ path: '\uD800', name: 'a' }],
      Array.from({ length: MAX_EXPORTED_COLUMNS + 1 }, () => ({ path: 'a', name: 'a' })),
    ]) {
      const json = { endpoint: 'exports/a', format: 'csv', columns };
      expect((await pda.call('POST', EXPORTS, { json })).status).toBe(400);
    }
  });

  it('of selected records has the order of the table if that is requested', async () => {
    const records = [ids[5], ids[8], ids[3]];
    const exportIn = async (order: unknown) =>
      numbersOf(JSON.parse(await download({ endpoint: 'exports/a', format: 'json', records, order })));
    expect(await exportIn({})).toEqual([8, 5, 3]);
    expect(await exportIn({ oldestFirst: true })).toEqual([3, 5, 8]);
    const sorts = [
      { field: 'odd', descending: false },
      { field: 'n', descending: true },
    ];
    expect(await exportIn({ sorts })).toEqual([8, 5, 3]);
    expect(await exportIn({ sorts: [{ field: 'odd', descending: true }, sorts[1]] })).toEqual([5, 3, 8]);
    const json = { endpoint: 'exports/a', format: 'json', order: {} };
    expect((await pda.call('POST', EXPORTS, { json })).status).toBe(400);
  });

  it('of all records as JSON is an array, oldest first', async () => {
    const allNumbers = numbersOf(JSON.parse(await download({ endpoint: 'exports/a', format: 'json' })));
    expect([allNumbers.length, allNumbers[0], allNumbers.at(-1)]).toEqual([700, 0, 1000]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'of a large selection contains all its records, newest or oldest first',
    async () => {
      const [batchRecords, batchCount] = [10_000, 11];
      for (let start = 0; start < batchRecords * batchCount; start += batchRecords) {
        const json = Array.from({ length: batchRecords }, (_, index) => ({ n: start + index }));
        expect((await pda.call('POST', '/api/v2.6/data/exports/many', { json })).status).toBe(201);
      }
      const numbers = Array.from({ length: batchRecords * batchCount }, (_, n) => n);
      const columns = [{ path: 'n', name: 'n' }];
      const exportSelection = (selection: unknown) =>
        download({ endpoint: 'exports/many', format: 'csv', selection, columns });
      expect(await exportSelection({})).toBe(`n\r\n${numbers.toReversed().join('\r\n')}\r\n`);
      const filters = [{ is: 'range', field: 'n', min: 5 }];
      expect(await exportSelection({ filters, oldestFirst: true })).toBe(`n\r\n${numbers.slice(5).join('\r\n')}\r\n`);
    },
    60_000,
  );

  it('with a selection and records, or of an endpoint without records, is rejected', async () => {
    const records = [ids[0]];
    const reply = await pda.call('POST', EXPORTS, {
      json: { endpoint: 'exports/a', format: 'csv', selection, records },
    });
    expect(reply.status).toBe(400);
    const emptyReply = await pda.call('POST', EXPORTS, {
      json: { endpoint: 'exports/none', format: 'csv', selection },
    });
    expect(errorOf(emptyReply).error).toBe('not_found');
  });
});
