import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { clustersSchema, extentSchema, linesSchema, mapRecordsSchema } from '../../../../wire/maps.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
  await post('maps/capitals', await readDataSet('us-state-capitals.json'));
  const { features } = (await readDataSet('earthquakes.json')) as { features: unknown[] };
  await post('maps/earthquakes', features);
});
afterAll(() => pda.close());

const readDataSet = async (name: string): Promise<unknown> =>
  JSON.parse(
    await readFile(new URL(`../../../../../node_modules/vega-datasets/data/${name}`, import.meta.url), 'utf8'),
  );
const post = async (endpoint: string, json: unknown): Promise<void> => {
  expect((await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json })).status).toBe(201);
};
type Query = Readonly<Record<string, string>>;
const call = (name: string, query: Query) =>
  pda.call('GET', `/api/v2.6/owner/maps/${name}?${new URLSearchParams(query).toString()}`);
const get = async (name: string, query: Query): Promise<unknown> => {
  const reply = await call(name, query);
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
};
const extent = async (query: Query) => extentSchema.parse(await get('extent', query));
const clusters = async (query: Query) => clustersSchema.parse(await get('clusters', query));
const lines = async (query: Query) => linesSchema.parse(await get('lines', query));
const records = async (query: Query) => mapRecordsSchema.parse(await get('records', query));

const WORLD = { west: '-180', south: '-90', east: '180', north: '90' };
const capitals = { endpoint: 'maps/capitals', latitude: 'lat', longitude: 'lon' };
const earthquakes = { endpoint: 'maps/earthquakes' };

describe('extent', () => {
  it('is the smallest area with all positions', async () => {
    expect(await extent(capitals)).toEqual({
      bounds: { west: -157.826182, south: 21.30895, east: -69.765261, north: 58.301935 },
      records: 50,
      excluded: 0,
      times: null,
    });
  });

  it('reads GeoJSON features, and times in milliseconds', async () => {
    const {
      records: count,
      excluded,
      times,
    } = await extent({
      ...earthquakes,
      time: 'properties.time',
      format: 'milliseconds',
    });
    expect(count).toBe(1707);
    expect(excluded).toBe(0);
    expect(times?.from).toBeGreaterThan(1.5e9);
  });

  it('reads Unix times that are stored as strings, and days and times without dashes', async () => {
    await post('maps/texts', [
      { lat: 1, lon: 1, ms: '1709424000000', seconds: '1709424000', day: '20240303', basic: '20240303T010000+0100' },
    ]);
    const textQuery = { endpoint: 'maps/texts', latitude: 'lat', longitude: 'lon' };
    const times = { from: 1_709_424_000, to: 1_709_424_000 };
    expect((await extent({ ...textQuery, time: 'ms', format: 'milliseconds' })).times).toEqual(times);
    expect((await extent({ ...textQuery, time: 'seconds', format: 'seconds' })).times).toEqual(times);
    expect((await extent({ ...textQuery, time: 'day' })).times).toEqual(times);
    expect((await extent({ ...textQuery, time: 'basic' })).times).toEqual(times);
  });

  it('is empty without valid positions', async () => {
    await post('maps/invalid', [
      { lat: 91, lon: 0 },
      { lat: 0, lon: -180.5 },
      { lat: 'north', lon: '<b>0</b>' },
      { lat: null, lon: 5 },
      { lat: [1], lon: { lat: 5 } },
      {},
      'text',
    ]);
    expect(await extent({ endpoint: 'maps/invalid', latitude: 'lat', longitude: 'lon' })).toEqual({
      bounds: null,
      records: 0,
      excluded: 7,
      times: null,
    });
    expect(await extent({ endpoint: 'maps/invalid', geometry: 'lon' })).toMatchObject({ bounds: null, excluded: 7 });
  });
});

describe('clusters', () => {
  it('contain each record in the area once, and have the id and title of a record that is alone', async () => {
    const world = await clusters({ ...capitals, ...WORLD, zoom: '0' });
    expect(world.records).toBe(50);
    expect(world.clusters.reduce((sum, cluster) => sum + cluster.records, 0)).toBe(50);
    expect(world.clusters.length).toBeLessThan(8);
    const closeView = await clusters({ ...capitals, ...WORLD, zoom: '8', title: 'state' });
    expect(closeView.clusters).toHaveLength(50);
    const [firstCluster] = closeView.clusters;
    const reply = await pda.call('GET', `/api/v2.6/data-record/${firstCluster?.recordId ?? ''}`);
    expect(reply.json).toMatchObject({
      data: { lat: firstCluster?.latitude, lon: firstCluster?.longitude, state: firstCluster?.title },
    });
  });

  it('are limited to the area, which may cross the antimeridian', async () => {
    await post('maps/pacific', [
      { lat: -17, lon: 178 },
      { lat: -17, lon: -179 },
      { lat: 50, lon: 10 },
    ]);
    const pacific = { endpoint: 'maps/pacific', latitude: 'lat', longitude: 'lon', zoom: '8' };
    const area = await clusters({ ...pacific, ...WORLD, west: '170', east: '-170' });
    expect(area.clusters.map(({ longitude }) => longitude).toSorted((a, b) => a - b)).toEqual([-179, 178]);
    expect(await clusters({ ...pacific, ...WORLD, west: '-170', east: '0' })).toEqual({ clusters: [], records: 0 });
  });

  it('are limited to an interval', async () => {
    await post('maps/timed', [
      { lat: 1, lon: 1, at: '2026-03-01T10:00:00Z' },
      { lat: 2, lon: 2, at: '2026-03-01T13:00:00+02:00' },
      { lat: 3, lon: 3, at: '2026-03-02' },
      { lat: 4, lon: 4 },
    ]);
    const seconds = (time: string): string => String(Date.parse(time) / 1000);
    const timedQuery = { endpoint: 'maps/timed', latitude: 'lat', longitude: 'lon', time: 'at' };
    expect((await extent(timedQuery)).times).toEqual({
      from: Date.parse('2026-03-01T10:00:00Z') / 1000,
      to: Date.parse('2026-03-02T00:00:00Z') / 1000,
    });
    const interval = { from: seconds('2026-03-01T10:30:00Z'), to: seconds('2026-03-01T11:30:00Z') };
    const { clusters: timedClusters } = await clusters({ ...timedQuery, ...WORLD, zoom: '8', ...interval });
    expect(timedClusters.map(({ latitude }) => latitude)).toEqual([2]);
  });

  it('require a time field for an interval, as the other reads of a map do', async () => {
    for (const interval of [{ from: '0' }, { to: '0' }, { from: '0', to: '1' }]) {
      for (const name of ['extent', 'clusters', 'lines', 'records']) {
        const area = name === 'extent' ? {} : WORLD;
        const zoom = name === 'clusters' || name === 'lines' ? { zoom: '1' } : {};
        const reply = await call(name, { ...capitals, ...area, ...zoom, ...interval });
        expect([reply.status, errorOf(reply).error], name).toEqual([400, 'invalid_input']);
        expect(errorOf(reply).cause).toContain('require `time`');
      }
    }
  });

  it('cannot be read with only one coordinate, an invalid area or zoom level, or an unknown endpoint', async () => {
    for (const query of [
      { endpoint: 'maps/capitals', latitude: 'lat' },
      { endpoint: 'maps/capitals', longitude: 'lon' },
      { ...capitals, north: '91' },
      { ...capitals, west: 'NaN' },
      { ...capitals, zoom: '23' },
    ]) {
      const reply = await call('clusters', { ...WORLD, zoom: '1', ...query });
      expect([reply.status, errorOf(reply).error]).toEqual([400, 'invalid_input']);
    }
    const reply = await call('clusters', { ...capitals, endpoint: 'maps/none', ...WORLD, zoom: '1' });
    expect(reply.status).toBe(404);
  });
});

describe('lines', () => {
  it('connect positions in order of time, simplified for the zoom level', async () => {
    const walk = Array.from({ length: 100 }, (_, n) => ({ lat: 50, lon: 10 + n / 100, at: n * 60 + 1_770_000_000 }));
    await post('maps/walk', walk.toReversed());
    const request = { endpoint: 'maps/walk', latitude: 'lat', longitude: 'lon', time: 'at', format: 'seconds' };
    const closeView = await lines({ ...request, ...WORLD, zoom: '12' });
    expect(closeView.isComplete).toBe(true);
    expect(closeView.lines).toHaveLength(1);
    expect(closeView.lines[0]?.map(([longitude]) => longitude)).toEqual(walk.map(({ lon }) => lon));
    expect((await lines({ ...request, ...WORLD, zoom: '5' })).lines[0]?.length).toBeLessThan(15);
    const middle = await lines({ ...request, ...WORLD, west: '10.4', east: '10.5', zoom: '12' });
    expect(middle.lines.map((line) => [line[0], line.at(-1)])).toEqual([
      [
        [10.39, 50],
        [10.51, 50],
      ],
    ]);
  });

  it('are read from geometries', async () => {
    const coordinates = [
      [10, 50],
      [11, 51],
      [12, 50],
    ];
    await post('maps/shapes', [
      { shape: { type: 'LineString', coordinates } },
      { shape: { type: 'Point', coordinates: [1, 1] } },
      { shape: 'none' },
    ]);
    const request = { endpoint: 'maps/shapes', geometry: 'shape', ...WORLD, zoom: '10' };
    expect(await lines(request)).toEqual({ lines: [coordinates], isComplete: true });
    expect((await clusters(request)).records).toBe(2);
  });
});

describe('records', () => {
  it('are listed up to 100, with their titles and the total number in the area', async () => {
    const texas = { west: '-98', south: '30', east: '-97', north: '31' };
    const texasRecords = await records({ ...capitals, ...texas, title: 'city' });
    expect(texasRecords).toMatchObject({ total: 1, records: [{ title: 'Austin', longitude: -97.75 }] });
    const worldRecords = await records({ ...earthquakes, ...WORLD, title: 'properties.mag' });
    expect(worldRecords.total).toBe(1707);
    expect(worldRecords.records).toHaveLength(100);
  });

  it('are listed newest first; their titles are cut off, and omitted unless they are texts or numbers', async () => {
    await post('maps/titles', [
      { lat: 1, lon: 1, title: 'x'.repeat(1000) },
      { lat: 1, lon: 1, title: { a: 1 } },
      { lat: 1, lon: 1, title: 7 },
    ]);
    const titledRecords = await records({
      endpoint: 'maps/titles',
      latitude: 'lat',
      longitude: 'lon',
      ...WORLD,
      title: 'title',
    });
    expect(titledRecords.records.map(({ title }) => title?.length)).toEqual([1, undefined, 200]);
  });
});
