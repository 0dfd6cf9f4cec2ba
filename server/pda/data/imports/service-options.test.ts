import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  parseImportJob,
  postToImport,
  readImportJob,
  startImport,
  uploadImport,
  waitForImport,
} from '../../../../tests/support/import-over-http.ts';
import type { Reply } from '../../../../tests/support/http.ts';
import { importPreviewSchema } from '../../../wire/imports.ts';
import { dataAt, errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const upload = async (name: string, content: string): Promise<string> =>
  (await uploadImport(pda, name, Buffer.from(content))).importId;
const preview = (importId: string, options: object): Promise<Reply> =>
  pda.call('POST', `/api/v2.6/owner/imports/${importId}/preview`, { json: options });
const run = async (importId: string, request: object) => {
  const startReply = await startImport(pda, importId, request);
  expect(startReply.status, startReply.text).toBe(202);
  return waitForImport(pda, importId);
};

const NESTED = JSON.stringify({ page: 1, data: { people: [{ name: 'Ada', zip: 1067 }, { name: 'Bob' }], other: [1] } });

describe('a list within a JSON file', () => {
  it('is previewed and imported with column types that the owner chose', async () => {
    const importId = await upload('people.json', NESTED);
    const options = { format: 'json', list: ['data', 'people'], columnTypes: { zip: 'text' } };
    expect((await preview(importId, options)).json).toMatchObject({
      rows: { count: 2, exact: true },
      elements: [{ name: 'Ada', zip: '1067' }, { name: 'Bob' }],
      lists: { chosen: ['data', 'people'] },
    });
    expect(await run(importId, { endpoint: 'in/people', ...options })).toMatchObject({ state: 'done', added: 2 });
    expect(await dataAt(pda, 'in/people')).toEqual([{ name: 'Ada', zip: '1067' }, { name: 'Bob' }]);
  });

  it('is ignored if the request names no list: the whole file becomes one record', async () => {
    const importId = await upload('people.json', NESTED);
    expect(await run(importId, { endpoint: 'in/whole', format: 'json' })).toMatchObject({ state: 'done', added: 1 });
    expect(await dataAt(pda, 'in/whole')).toEqual([JSON.parse(NESTED)]);
  });

  it('is imported from its first element if it is chosen after the import of another list has failed', async () => {
    const invalidJson = '{"a":[{"n":1},{"n":2},nope],"b":[{"n":3}]}';
    const importId = await upload('lists.json', invalidJson);
    const request = { endpoint: 'in/lists', format: 'json' };
    expect(await run(importId, { ...request, list: ['a'] })).toMatchObject({ state: 'failed', added: 2 });
    expect(await run(importId, { ...request, list: ['b'] })).toMatchObject({ state: 'done', added: 1 });
    expect(await dataAt(pda, 'in/lists')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('can be the features of GeoJSON, which become flat records', async () => {
    const geometry = { type: 'Point', coordinates: [1, 2] };
    const feature = { type: 'Feature', id: 7, properties: { name: 'Here' }, geometry };
    const importId = await upload('points.geojson', JSON.stringify({ type: 'FeatureCollection', features: [feature] }));
    const request = { format: 'geojson', columnTypes: { id: 'text' } };
    expect((await preview(importId, request)).json).toMatchObject({ format: 'geojson', lists: { kind: 'geojson' } });
    expect(await run(importId, { endpoint: 'in/points', ...request })).toMatchObject({ state: 'done', added: 1 });
    expect(await dataAt(pda, 'in/points')).toEqual([{ id: '7', name: 'Here', geometry }]);
  });
});

describe('a topology', () => {
  const point = '{"type":"Point","id":7,"properties":{"name":"Here"},"coordinates":[1,2]}';
  const topology = `{"type":"Topology","arcs":[],"objects":{
    "lines":{"type":"MultiLineString","arcs":[]},
    "places":{"type":"GeometryCollection","geometries":[${point},{"type":"LineString","arcs":[0]},${point}]}}}`;
  const record = { id: 7, name: 'Here', geometry: { type: 'Point', coordinates: [1, 2] } };

  it('is imported with its coordinates, and broken geometries are listed in the report', async () => {
    const importId = await upload('map.json', topology);
    const reply = await pda.call('GET', `/api/v2.6/owner/imports/${importId}/preview`);
    const { format, lists, elements } = importPreviewSchema.parse(reply.json);
    expect({ format, chosen: lists?.chosen, elements }).toEqual({
      format: 'topojson',
      chosen: ['objects', 'places'],
      elements: [record, record],
    });
    expect(await run(importId, { endpoint: 'in/map', format, list: lists?.chosen })).toMatchObject({
      state: 'done',
      added: 2,
      bytesRead: topology.length,
      problems: {
        count: 1,
        first: [{ position: 'places, geometry 2', problem: 'the arc 0 is missing or invalid' }],
      },
    });
    expect(await dataAt(pda, 'in/map')).toEqual([record, record]);
  });

  it('fails if it does not contain the chosen object, and can then be imported with a different object', async () => {
    const importId = await upload('map.json', topology);
    const request = { endpoint: 'in/other-map', format: 'topojson' };
    expect(await run(importId, { ...request, list: ['objects', 'gone'] })).toMatchObject({
      state: 'failed',
      error: { line: null, problem: 'there is no object "objects.gone" in this file' },
    });
    expect(await run(importId, { ...request, list: ['objects', 'places'] })).toMatchObject({
      state: 'done',
      added: 2,
      problems: { count: 1 },
    });
  });

  it('fails at a syntax error and reports its line', async () => {
    const importId = await upload('map.json', '{"type":"Topology",\n"arcs":[[1,}');
    const { state, error } = await run(importId, { endpoint: 'in/broken-map', format: 'topojson' });
    expect([state, error?.line]).toEqual(['failed', 2]);
    expect(error?.problem).not.toMatch(/line 2/iu);
  });

  it.skipIf(!IS_THOROUGH_RUN)('fails without storing a record if its geometries are too large in total', async () => {
    const arc = Array.from({ length: 1000 }, () => '[1,1]').join();
    const lines = Array.from({ length: 10_001 }, () => '{"type":"LineString","arcs":[0]}').join();
    const importId = await upload(
      'map.json',
      `{"type":"Topology","arcs":[[${arc}]],"objects":{"lines":{"type":"GeometryCollection","geometries":[${lines}]}}}`,
    );
    expect(await run(importId, { endpoint: 'in/large-map', format: 'topojson' })).toMatchObject({
      state: 'failed',
      added: 0,
      error: { line: null, problem: 'its geometries have more than 20 million coordinates in total' },
    });
  });

  it('can be previewed as JSON', async () => {
    const importId = await upload('map.json', topology);
    expect((await preview(importId, { format: 'json' })).json).toMatchObject({
      format: 'json',
      lists: { kind: 'topojson', chosen: ['objects', 'places', 'geometries'] },
      rows: { count: 3 },
    });
  });
});

describe('options of an import', () => {
  it('are rejected if they are unknown or invalid', async () => {
    const importId = await upload('a.csv', 'a\n1\n');
    for (const options of [
      { format: 'csv', columnTypes: { a: 'money' } },
      { format: 'csv', separator: ';' },
      { format: 'json', list: 'a' },
      { format: 'json', list: ['x'.repeat(201)] },
      { format: 'json', list: Array.from({ length: 101 }, () => 'a') },
    ]) {
      expect((await preview(importId, options)).status, JSON.stringify(options)).toBe(400);
      expect((await startImport(pda, importId, { endpoint: 'in/a', ...options })).status).toBe(400);
    }
  });
});

describe('a failed import', () => {
  it('stays dismissed until it fails again', async () => {
    const importId = await upload('broken.ndjson', '1\nnope\n');
    const request = { endpoint: 'in/broken', format: 'ndjson' };
    const earlyReply = await postToImport(pda, importId, 'dismiss');
    expect([earlyReply.status, errorOf(earlyReply).error]).toEqual([409, 'wrong_state']);
    expect(await run(importId, request)).toMatchObject({ state: 'failed', dismissed: false });
    expect(parseImportJob(await postToImport(pda, importId, 'dismiss'))).toMatchObject({
      state: 'failed',
      dismissed: true,
    });
    expect((await readImportJob(pda, importId)).dismissed).toBe(true);
    expect(await run(importId, request)).toMatchObject({ state: 'failed', dismissed: false });
  });
});
