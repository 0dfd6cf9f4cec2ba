import { createReadStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TOPOLOGY_MAX_BYTES, TOPOLOGY_RECORD_MAX_COORDINATES } from '../../../../wire/work-limits.ts';
import { readElements, type ReadOptions } from '../tabular/element-reader.ts';
import { BrokenElement, type ElementBatch } from '../tabular/element-source.ts';

const DATA = new URL('../../../../../node_modules/vega-datasets/data/', import.meta.url);

async function* chunksOf(text: string, size = 1000) {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const readStream = async (stream: AsyncIterable<Buffer>, options?: ReadOptions) => {
  const batches: ElementBatch[] = [];
  let brokenElement: BrokenElement | undefined;
  try {
    for await (const batch of readElements(stream, 'topojson', options)) batches.push(batch);
  } catch (error) {
    if (!(error instanceof BrokenElement)) throw error;
    brokenElement = error;
  }
  const elements = batches.flatMap((batch) => batch.elements);
  return {
    batches,
    brokenElement,
    elements,
    texts: elements.map(({ text }) => text),
    problems: batches.flatMap((batch) => batch.problems),
  };
};
const read = (text: string, options?: ReadOptions) => readStream(chunksOf(text), options);

/** The arcs run through [100,0], [101,0] and [101,1], and back from [101,1] to [100,0]. */
const TRANSFORM = '"transform":{"scale":[0.5,0.5],"translate":[100,0]}';
const ARCS = '"arcs":[[[0,0],[2,0],[0,2]],[[2,2],[-2,-2]]]';
const topologyOf = (geometries: readonly string[], { arcs = ARCS, transform = TRANSFORM } = {}): string =>
  `{"type":"Topology",${transform},"objects":{"shapes":{"type":"GeometryCollection","geometries":[${geometries.join()}]}},${arcs}}`;

describe('a topology', () => {
  it('yields the geometries of an object as records with coordinates, and keeps their properties exactly', async () => {
    const { texts, elements, problems, brokenElement } = await read(
      topologyOf([
        '{"type":"Point","properties":{"name":"Here","size":1.50},"id":7,"coordinates":[4,2]}',
        '{"type":"LineString","arcs":[0,1]}',
        '{"type":"LineString","arcs":[-1],"properties":null}',
        '{"type":"Polygon","arcs":[[0,1]],"properties":{"id":"own","geometry":"own"},"id":"b"}',
        '{"type":"MultiPolygon","arcs":[]}',
        '{"type":null,"id":"none"}',
        '{"type":"GeometryCollection","geometries":[{"type":"MultiPoint","coordinates":[[0,0,9]]}]}',
      ]),
    );
    expect(brokenElement).toBeUndefined();
    expect(problems).toEqual([]);
    expect(texts).toEqual([
      '{"id":7,"name":"Here","size":1.50,"geometry":{"type":"Point","coordinates":[102,1]}}',
      '{"geometry":{"type":"LineString","coordinates":[[100,0],[101,0],[101,1],[100,0]]}}',
      '{"geometry":{"type":"LineString","coordinates":[[101,1],[101,0],[100,0]]}}',
      '{"id":"own","geometry":"own","id_2":"b","geometry_2":{"type":"Polygon","coordinates":[[[100,0],[101,0],[101,1],[100,0]]]}}',
      '{"geometry":{"type":"MultiPolygon","coordinates":[]}}',
      '{"id":"none","geometry":null}',
      '{"geometry":{"type":"GeometryCollection","geometries":[{"type":"MultiPoint","coordinates":[[100,0,9]]}]}}',
    ]);
    expect(elements.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('may contain white space, begin with a byte order mark and have no transform', async () => {
    const objects = '"objects": {"a": {"type": "LineString", "arcs": [0]}}';
    const text = `{"type": "Topology",\n "arcs": [[[1, 2], [3.25, 4]]], ${objects}}`;
    expect((await read(`\ufeff${text}`)).texts).toEqual([
      '{"geometry":{"type":"LineString","coordinates":[[1,2],[3.25,4]]}}',
    ]);
  });

  it('yields the chosen object, by default the one with the most geometries', async () => {
    const stream = () => createReadStream(new URL('world-110m.json', DATA));
    expect((await readStream(stream())).texts).toHaveLength(177);
    const landResult = await readStream(stream(), { list: ['objects', 'land'] });
    expect(landResult.texts).toHaveLength(1);
    expect(landResult.texts[0]).toMatch(/^\{"geometry":\{"type":"MultiPolygon","coordinates":\[\[\[\[-?\d+/u);
    const missingPaths = [['objects', 'gone'], ['land'], ['objects', 'land', 'arcs'], ['objects', '__proto__']];
    for (const list of missingPaths)
      expect((await readStream(stream(), { list })).brokenElement?.message).toMatch(/there is no object/u);
  });

  it('is read in batches, and from a start index', async () => {
    const geometries = Array.from({ length: 450 }, (_, id) => `{"type":"Point","id":${id},"coordinates":[0,0]}`);
    const { batches, texts } = await read(topologyOf(geometries));
    expect(batches.map(({ elements, next }) => [elements.length, next])).toEqual([
      [200, 200],
      [200, 400],
      [50, 450],
    ]);
    expect(batches.at(-1)?.bytesRead).toBe(topologyOf(geometries).length);
    expect((await read(topologyOf(geometries), { from: 300 })).texts).toEqual(texts.slice(300));
    expect((await read(topologyOf(geometries), { from: 450 })).batches).toEqual([]);
  });

  it('yields records with the column types that the owner chose', async () => {
    const geometry = '{"type":"Point","id":7,"coordinates":[0,0]}';
    expect((await read(topologyOf([geometry]), { columnTypes: { id: 'text', geometry: 'skip' } })).texts).toEqual([
      '{"id":"7"}',
    ]);
  });
});

describe('a file that is not a valid topology', () => {
  it.each([
    ['', 1, 'empty'],
    ['[]', null, 'not_json'],
    ['{"type":"FeatureCollection","features":[]}', null, 'not_json'],
    ['{"type":"Topology","arcs":[]}', null, 'not_json'],
    ['{"type":"Topology","arcs":[],"objects":{}}', null, 'not_json'],
    ['{"type":"Topology","objects":{"a":{"type":null}}}', null, 'not_json'],
    ['{"type":"Topology","arcs":[],"transform":{"scale":[1]},"objects":{"a":{"type":null}}}', null, 'not_json'],
    ['{"type":"Topology",\n"arcs":[],\n"arcs":[],"objects":{}}', 3, 'duplicate_key'],
    ['{"type":"Topology",\n"arcs":[[1,}', 2, 'not_json'],
  ])('fails: %s', async (text, line, problem) => {
    expect(await read(text)).toMatchObject({ texts: [], brokenElement: { line, problem } });
  });

  it('fails above the size limit, without being read to its end', async () => {
    let bytes = 0;
    async function* endlessStream() {
      for (;;) {
        bytes += 1_000_000;
        yield Buffer.alloc(1_000_000, ' ');
      }
    }
    expect((await readStream(endlessStream())).brokenElement?.problem).toBe('too_large');
    expect(bytes).toBeLessThanOrEqual(TOPOLOGY_MAX_BYTES + 2_000_000);
  });
});

describe('geometries that are too large in total', () => {
  // The 10,001 lines have 20,002,000 coordinates in total, and each of them far fewer than a record may have.
  const arcs = `"arcs":[[${Array.from({ length: 1000 }, () => '[1,1]').join()}]]`;
  const line = '{"type":"LineString","arcs":[0]}';
  const lines = Array.from({ length: 10_001 }, () => line);
  const objects = `"objects":{"many":{"type":"GeometryCollection","geometries":[${lines.join()}]},"one":${line}}`;
  const text = `{"type":"Topology",${arcs},${objects}}`;

  it('make the import fail before the first record, even when it is resumed', async () => {
    for (const options of [{}, { from: 10_000 }])
      expect(await read(text, options)).toMatchObject({
        batches: [],
        brokenElement: {
          line: null,
          problem: 'too_large',
          message: expect.stringMatching(/^its geometries .* 20 million/u),
        },
      });
  });

  it('are ignored if a different object is imported', async () => {
    const { texts, brokenElement } = await read(text, { list: ['objects', 'one'] });
    expect([texts.length, brokenElement]).toEqual([1, undefined]);
  });
});

describe('a broken geometry', () => {
  const validPoint = '{"type":"Point","id":1,"coordinates":[0,0]}';

  it.each([
    ['7', 'it is not an object'],
    ['{}', 'its type is unknown'],
    ['{"type":"Feature"}', 'its type is unknown'],
    ['{"type":"Point"}', 'one of its positions is not a list of at least two numbers'],
    ['{"type":"MultiPoint","coordinates":[["0","0"]]}', 'one of its positions is not a list of at least two numbers'],
    ['{"type":"LineString"}', 'one of its lists is missing or invalid'],
    ['{"type":"LineString","arcs":[]}', 'one of its lines is empty'],
    ['{"type":"Polygon","arcs":[[0],[]]}', 'one of its lines is empty'],
    ['{"type":"Polygon","arcs":[0]}', 'one of its lists is missing or invalid'],
    ['{"type":"LineString","arcs":[[0]]}', 'one of its arc indexes is not a number'],
    ['{"type":"LineString","arcs":[2]}', 'the arc 2 is missing or invalid'],
    ['{"type":"LineString","arcs":[-3]}', 'the arc -3 is missing or invalid'],
    ['{"type":"LineString","arcs":[0.5]}', 'the arc 0.5 is missing or invalid'],
    ['{"type":"LineString","arcs":[1e300]}', 'the arc 1e+300 is missing or invalid'],
    ['{"type":"GeometryCollection","geometries":[{"type":null}]}', 'its type is unknown'],
  ])('is left out and reported, and the others are read: %s', async (geometry, problem) => {
    const { texts, problems, brokenElement, batches } = await read(topologyOf([validPoint, geometry, validPoint]));
    expect(brokenElement).toBeUndefined();
    expect(texts).toHaveLength(2);
    expect(problems).toEqual([{ position: 'shapes, geometry 2', problem }]);
    expect(batches.at(-1)?.next).toBe(3);
  });

  it('can be one that refers to an invalid arc', async () => {
    const arcs = '"arcs":[[],[[0,0],["1",2]],[[0,0],[1]],7,[[0,0],[1,1]]]';
    const lines = [0, 1, 2, 3, 4].map((index) => `{"type":"LineString","arcs":[${index}]}`);
    const { texts, problems } = await read(topologyOf(lines, { arcs }));
    expect(texts).toHaveLength(1);
    expect(problems).toHaveLength(4);
  });

  it('can be one whose coordinates overflow when the differences are added', async () => {
    const line = '{"type":"LineString","arcs":[0]}';
    expect((await read(topologyOf([line, validPoint], { arcs: '"arcs":[[[1e308,0],[1e308,0]]]' }))).problems).toEqual([
      { position: 'shapes, geometry 1', problem: 'its coordinates are too large' },
    ]);
  });

  it('can be one that repeats arcs until it has too many coordinates', async () => {
    const arcs = `"arcs":[[${Array.from({ length: 1000 }, () => '[1,1]').join()}]]`;
    const line = `{"type":"LineString","arcs":[${Array.from({ length: 500_000 }, () => '0').join()}]}`;
    const { texts, problems } = await read(topologyOf([line, validPoint], { arcs }));
    expect(texts).toHaveLength(1);
    expect(problems[0]?.problem).toBe(`it has more than ${TOPOLOGY_RECORD_MAX_COORDINATES} coordinates`);
    // A ring has four positions, even if its arc has one.
    const rings = Array.from({ length: 100_000 }, () => '[0]').join();
    const polygonResult = await read(
      topologyOf([`{"type":"Polygon","arcs":[${rings}]}`], { arcs: '"arcs":[[[0,0]]]' }),
    );
    expect(polygonResult.problems).toHaveLength(1);
  });

  it('can be one whose record is too large', async () => {
    const largePoint = `{"type":"Point","properties":{"text":"${'x'.repeat(10_000_000)}"},"coordinates":[0,0]}`;
    expect((await readStream(chunksOf(topologyOf([largePoint, validPoint]), 1_000_000))).problems).toEqual([
      { position: 'shapes, geometry 1', problem: 'its record is larger than 10 MB' },
    ]);
  });
});
