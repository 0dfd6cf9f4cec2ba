import { createReadStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findRecordLists } from './record-lists.ts';

const dataFile = (name: string) => new URL(`../../../../../node_modules/vega-datasets/data/${name}`, import.meta.url);
const listsOf = (name: string) => findRecordLists(createReadStream(dataFile(name)), 60_000);
async function* streamOf(value: unknown) {
  yield Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}
const chosenIn = async (value: unknown) => (await findRecordLists(streamOf(value), 60_000))?.chosen;
const people = Array.from({ length: 20 }, (_, id) => ({ id, name: `Person ${id}` }));

describe('the list of records in a JSON file', () => {
  it('is the largest list, which may be nested, and the others are offered with their counts', async () => {
    expect(await listsOf('miserables.json')).toEqual({
      kind: 'object',
      chosen: ['links'],
      lists: [
        { path: ['nodes'], elements: 77, objects: 77 },
        { path: ['links'], elements: 254, objects: 254 },
      ],
      complete: true,
    });
    expect(await chosenIn({ status: 'ok', data: { page: 1, people }, ids: [1, 2, 3] })).toEqual(['data', 'people']);
  });

  it('is the list of features in GeoJSON', async () => {
    expect(await listsOf('earthquakes.json')).toMatchObject({ kind: 'geojson', chosen: ['features'] });
  });

  it('is the object with the most geometries in TopoJSON; arcs and properties are not offered', async () => {
    expect(await listsOf('us-10m.json')).toEqual({
      kind: 'topojson',
      chosen: ['objects', 'counties'],
      lists: [
        { path: ['objects', 'counties'], elements: 3641, objects: 3641 },
        { path: ['objects', 'states'], elements: 53, objects: 53 },
        { path: ['objects', 'land'], elements: 1, objects: 1 },
      ],
      complete: true,
    });
    const object = { type: 'Polygon', arcs: [[0]], properties: { geometries: [1, 2, 3] } };
    expect(await findRecordLists(streamOf({ type: 'Topology', objects: { object } }), 60_000)).toMatchObject({
      lists: [{ path: ['objects', 'object'], elements: 1, objects: 1 }],
    });
  });

  it('is a list of geometries if TopoJSON is read as JSON', async () => {
    const stream = createReadStream(dataFile('us-10m.json'));
    expect(await findRecordLists(stream, 60_000, false)).toMatchObject({
      kind: 'topojson',
      chosen: ['objects', 'counties', 'geometries'],
      lists: [
        { path: ['objects', 'counties', 'geometries'], elements: 3641 },
        { path: ['objects', 'states', 'geometries'] },
        { path: ['objects', 'land', 'arcs'] },
      ],
    });
  });

  it('is a list of numbers if it makes up most of the file', async () => {
    expect(await listsOf('volcano.json')).toMatchObject({
      chosen: ['values'],
      lists: [{ elements: 5307, objects: 0 }],
    });
  });

  it('is not chosen if lists are only a minor part of the file, which is then one record', async () => {
    const text = 'x'.repeat(5000);
    expect(await chosenIn({ title: 'Report', text, people })).toEqual([]);
    expect(await findRecordLists(streamOf({ text, empty: [] }), 60_000)).toBeNull();
  });

  it('is not offered if its path is too long for a request', async () => {
    const nest = (depth: number): unknown => (depth === 0 ? people : { a: nest(depth - 1) });
    expect((await findRecordLists(streamOf(nest(100)), 60_000))?.lists).toHaveLength(1);
    expect(await findRecordLists(streamOf(nest(101)), 60_000)).toBeNull();
    expect(await chosenIn({ ['x'.repeat(201)]: people })).toBeUndefined();
  });

  it('is not searched for if the file itself is a list, a value or empty', async () => {
    for (const value of [people, 7, '"text"', '', '  [{"a":[1]}]'])
      expect(await findRecordLists(streamOf(value), 60_000), JSON.stringify(value)).toBeNull();
  });

  it('is found even if the file is invalid or the time limit is reached', async () => {
    expect(await findRecordLists(streamOf('{"a":[{"b":1},{"b":2}],"c":]'), 60_000)).toMatchObject({
      chosen: ['a'],
      complete: false,
    });
    const stream = createReadStream(dataFile('earthquakes.json'), { highWaterMark: 65_536 });
    const recordLists = await findRecordLists(stream, -1);
    expect(recordLists).toMatchObject({ kind: 'geojson', chosen: ['features'], complete: false });
    expect(recordLists?.lists.find(({ path }) => path[0] === 'features')?.elements).toBeGreaterThan(50);
  });

  it('is among the 30 lists that are offered, even if the file contains more', async () => {
    const file = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`list ${n}`, n === 500 ? people : [n]]));
    const recordLists = await findRecordLists(streamOf(file), 60_000);
    expect(recordLists).toMatchObject({ complete: false });
    expect(recordLists?.lists).toHaveLength(30);
    expect(recordLists?.lists).toContainEqual({ path: ['list 500'], elements: 20, objects: 20 });
  });
});
