import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { openRequest } from '../../../../../tests/support/http.ts';
import { recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { z } from 'zod';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

// Tests records that are larger than a page: such records are read slice by slice, between small records.

const largeValue = (name: string) => ({ name, text: `${name}€ä"\\😀`.repeat(100_000) });
/** Multi-byte characters at varying offsets, so that some of them span two slices. */
const VALUES = [
  { name: 'first' },
  largeValue('a'),
  { name: 'between' },
  { name: 'between' },
  largeValue('bc'),
  largeValue('def'),
  'last',
];

let pda: TestPda;
let token: string;
beforeAll(async () => {
  const applications = [anApplication({ id: 'notes', roles: [{ role: 'owner' }] })];
  // In strict mode the whole response would be buffered before it is sent.
  pda = await startTestPda({ strict: false, config: { applications } });
  token = await setUpApplication(pda, 'notes');
  for (const json of VALUES) await pda.call('POST', '/api/v2.6/data/large/things', { json });
});
afterAll(() => pda.close());

describe('records that are larger than a page', () => {
  const readers = [['the owner', () => pda.token] as const, ['an application', () => token] as const];

  it.each(readers)(
    'are read by %s unchanged, in both orders and on pages of different sizes',
    async (_, tokenOfReader) => {
      const readData = async (query: string): Promise<unknown[]> =>
        recordsOf(await pda.call('GET', `/api/v2.6/data/large/things?${query}`, { token: tokenOfReader() })).map(
          ({ data }) => data,
        );
      expect(await readData('')).toStrictEqual(VALUES);
      expect(await readData('ordering=descending')).toStrictEqual(VALUES.toReversed());
      expect(await readData('skip=1&take=1')).toStrictEqual(VALUES.slice(1, 2));
      expect(await readData('skip=4&take=2')).toStrictEqual(VALUES.slice(4, 6));
      expect(await readData('skip=1&take=4&ordering=descending')).toStrictEqual(VALUES.slice(2, 6).toReversed());
      expect(await readData('orderBy=nothing')).toStrictEqual(VALUES);
    },
  );

  it.each(IS_THOROUGH_RUN ? readers : readers.slice(0, 1))(
    'have the same metadata for %s as small records, with and without orderBy',
    async (_, tokenOfReader) => {
      const path = '/api/v2.6/data/large/things?meta=true';
      const readMetadata = async (query: string): Promise<unknown[]> =>
        recordsOf(await pda.call('GET', path + query, { token: tokenOfReader() })).map((record) => ({
          ...record,
          data: null,
        }));
      const [firstMetadata, secondMetadata] = await readMetadata('');
      expect(secondMetadata).toStrictEqual({
        endpoint: 'large/things',
        recordId: expect.any(String),
        data: null,
        dateCreated: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/u),
        lastUpdated: expect.any(String),
      });
      expect(Object.keys(secondMetadata ?? {})).toStrictEqual(Object.keys(firstMetadata ?? {}));
      expect(await readMetadata('&orderBy=nothing')).toStrictEqual(await readMetadata(''));
    },
  );

  it('are read by their ids', async () => {
    const recordList = recordsOf(await pda.call('GET', '/api/v2.6/data/large/things'));
    for (const record of recordList) {
      const path = `/api/v2.6/data-record/${record.recordId}`;
      expect((await pda.call('GET', path, { token })).json).toStrictEqual(record);
      expect((await pda.call('GET', `/api/v2.6/owner/records/${record.recordId}`)).json).toMatchObject(record);
    }
  });

  it('are included in a page of the endpoint for the owner', async () => {
    const page = await pda.call('GET', '/api/v2.6/owner/records?endpoint=large/things');
    const { total, records } = page.json as { total: number; records: { data: unknown }[] };
    expect([total, records.map(({ data }) => data)]).toStrictEqual([VALUES.length, VALUES]);
  });

  it.each(IS_THOROUGH_RUN ? ['ndjson', 'csv'] : ['ndjson'])('are exported as %s', async (format) => {
    const reply = await pda.call('POST', '/api/v2.6/owner/exports', { json: { endpoint: 'large/things', format } });
    const { url } = reply.json as { url: string };
    const download = await pda.call('GET', url);
    const lines = VALUES.map((data) => JSON.stringify(data));
    const cell = (value: string): string => `"${value.replaceAll('"', '""')}"`;
    const rows = VALUES.map((data) =>
      typeof data === 'string' ? `,,${data}` : `${data.name},${'text' in data ? cell(data.text) : ''},`,
    );
    const expected = format === 'csv' ? ['name,text,value', ...rows].join('\r\n') : lines.join('\n');
    expect(download.text.trimEnd() === expected).toBe(true);
  });

  it.skipIf(!IS_THOROUGH_RUN)('are omitted if they are deleted while an application reads', async () => {
    const values = Array.from({ length: 10 }, (_, index) => largeValue(`${index} of many`));
    for (const json of values) await pda.call('POST', '/api/v2.6/data/large/going', { json });
    const lastIds = recordsOf(await pda.call('GET', '/api/v2.6/data/large/going?skip=8')).map(
      ({ recordId }) => recordId,
    );
    const response = await openRequest(`http://${pda.host}/api/v2.6/data/large/going`, {
      headers: { 'x-auth-token': token },
    });
    await new Promise((resolve) => response.once('readable', resolve));
    expect((await pda.call('DELETE', `/api/v2.6/data?records=${lastIds.join(',')}`)).status).toBe(200);
    const remainingRecords = z.array(z.object({ data: z.unknown() })).parse(JSON.parse(await text(response)));
    expect(remainingRecords.map(({ data }) => data)).toStrictEqual(values.slice(0, 8));
  });

  it.skipIf(!IS_THOROUGH_RUN)('are omitted if they are moved while the owner reads a page', async () => {
    const values = Array.from({ length: 10 }, (_, index) => largeValue(`${index} of many`));
    for (const json of values) await pda.call('POST', '/api/v2.6/data/large/moving', { json });
    const [lastRecord] = recordsOf(await pda.call('GET', '/api/v2.6/data/large/moving?skip=9'));
    const response = await openRequest(`http://${pda.host}/api/v2.6/owner/records?endpoint=large/moving`, {
      headers: { 'x-auth-token': pda.token },
    });
    await new Promise((resolve) => response.once('readable', resolve));
    const json = { from: 'large/moving', to: 'large/moved', records: [lastRecord?.recordId] };
    expect((await pda.call('POST', '/api/v2.6/owner/record-moves', { json })).status).toBe(200);
    const page = z
      .object({ records: z.array(z.object({ data: z.unknown() })) })
      .parse(JSON.parse(await text(response)));
    expect(page.records.map(({ data }) => data)).toStrictEqual(values.slice(0, 9));
  });
});
