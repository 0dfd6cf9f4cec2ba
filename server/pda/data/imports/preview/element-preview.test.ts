import { join } from 'node:path';
import { createReadStream, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { newFolder, removeFolders } from '../../../../../tests/support/server-process.ts';
import { UnreadableFile } from '../worker/client.ts';
import { previewFiles } from './file-preview.ts';
import type { ImportThreadTask } from '../worker/messages.ts';
import { previewElements, runPreviewTask } from './element-preview.ts';

const dataFile = (name: string) => new URL(`../../../../../node_modules/vega-datasets/data/${name}`, import.meta.url);
async function* streamOf(text: string) {
  yield Buffer.from(text);
}

const limits = { count: 10, size: 1000, maxMs: 60_000 };
const preview = (
  path: string,
  format: 'json' | 'csv',
  options: Partial<Extract<ImportThreadTask, { task: 'preview' }>> = {},
) =>
  runPreviewTask({
    task: 'preview',
    path,
    size: statSync(path).size,
    format,
    isFormatChosen: false,
    list: undefined,
    columnTypes: undefined,
    count: 20,
    listsMaxMs: 60_000,
    countMaxMs: 60_000,
    ...options,
  });

afterAll(removeFolders);

describe('a preview', () => {
  it('shows the first elements, the total number of elements and the type of each member', async () => {
    const stream = createReadStream(dataFile('movies.json'));
    const { elements, columns, rows, error } = await previewElements(stream, 'json', { ...limits, count: 50 });
    expect(elements.length).toBe(50);
    expect(rows).toEqual({ count: 3201, exact: true });
    expect(error).toBeNull();
    const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({ 'US Gross': 'integer', Title: 'mixed', 'Release Date': 'month-name' });
    expect(stream.destroyed).toBe(true);
  });

  it('estimates the number of elements after the time limit', async () => {
    const size = statSync(dataFile('flights-200k.json')).size;
    const stream = createReadStream(dataFile('flights-200k.json'), { highWaterMark: 262_144 });
    const { rows } = await previewElements(stream, 'json', { count: 1, size, maxMs: 0 });
    expect(rows?.exact).toBe(false);
    expect(rows?.count).toBeGreaterThan(200_000);
    expect(rows?.count).toBeLessThan(260_000);
    expect(stream.destroyed).toBe(true);
  });

  it('shows every heading of a CSV file with its type, including empty columns', async () => {
    const { columns, elements } = await previewElements(streamOf('id,name,note\n1,Ada,\n2,Grace,\n3,Ada,\n'), 'csv', {
      ...limits,
      count: 2,
    });
    expect(elements).toEqual([
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Grace' },
    ]);
    expect(columns).toEqual([
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text' },
      { name: 'note', type: 'empty' },
    ]);
  });

  it('shows elements as they would be stored, with the types that the owner chose', async () => {
    const columnTypes = { a: 'text', b: 'skip' } as const;
    const csv = await previewElements(streamOf('a,b,c\n1,2,3\n'), 'csv', limits, { columnTypes });
    expect(csv.elements).toEqual([{ a: '1', c: 3 }]);
    expect(csv.columns.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    const json = await previewElements(streamOf('[{"a":1,"b":2,"c":3}]'), 'json', limits, { columnTypes });
    expect(json.elements).toEqual([{ a: '1', c: 3 }]);
    expect(json.columns.map(({ name, type }) => [name, type])).toEqual([
      ['a', 'integer'],
      ['b', 'integer'],
      ['c', 'integer'],
    ]);
  });

  it('reports a crash of the reader thread for a bank statement', async () => {
    const path = fileURLToPath(dataFile('seattle-weather.csv'));
    const summarise = () => Promise.reject(new UnreadableFile('its reader has stopped'));
    const result = await previewFiles([{ path, start: 0, size: 1000, name: 'a.csv' }], { format: 'bank' }, summarise);
    expect(result).toMatchObject({ format: 'unknown', error: { line: null, problem: 'its reader has stopped' } });
  });

  it('shows the line of an error that the reader thread reports', async () => {
    const path = fileURLToPath(dataFile('seattle-weather.csv'));
    const summarise = () => Promise.reject(new UnreadableFile('a value is missing here', 3));
    const result = await previewFiles([{ path, start: 0, size: 1000, name: 'a.csv' }], { format: 'bank' }, summarise);
    expect(result.error).toEqual({ line: 3, problem: 'a value is missing here' });
  });

  it('infers the types of nested, missing and mixed values', async () => {
    const text = '[{"a":1,"b":null,"c":[1],"d":{"x":1},"e":true},{"a":1.5,"b":"x","c":[2],"e":"no","f":null},7]';
    const { columns } = await previewElements(streamOf(text), 'json', limits);
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['a', 'number'],
      ['b', 'text'],
      ['c', 'array'],
      ['d', 'object'],
      ['e', 'mixed'],
      ['f', 'null'],
    ]);
  });

  it('shows the first elements, and an error even if it is beyond them', async () => {
    const { elements, rows, error } = await previewElements(streamOf('[1,2,3,\nnope]'), 'json', {
      ...limits,
      count: 2,
    });
    expect(elements).toEqual([1, 2]);
    expect(rows).toEqual({ count: 3, exact: true });
    expect(error).toMatchObject({ line: 2 });
  });
});

describe('the list of records', () => {
  it('contains the features of GeoJSON by default; they stay nested if the file is read as JSON', async () => {
    const path = fileURLToPath(dataFile('earthquakes.json'));
    const features = await preview(path, 'json');
    expect(features).toMatchObject({ format: 'geojson', rows: { count: 1707 }, error: null });
    expect(features.lists).toMatchObject({ kind: 'geojson', chosen: ['features'], complete: true });
    expect(features.elements[0]).toMatchObject({ mag: 2, geometry: { type: 'Point' } });
    const jsonPreview = await preview(path, 'json', { isFormatChosen: true });
    expect(jsonPreview).toMatchObject({ format: 'json', lists: { chosen: ['features'] } });
    expect(jsonPreview.elements[0]).toMatchObject({ type: 'Feature', properties: { mag: 2 } });
    expect(await preview(path, 'json', { isFormatChosen: true, list: [] })).toMatchObject({
      format: 'json',
      rows: { count: 1 },
      lists: { chosen: [] },
    });
  });

  it('cannot be chosen for a file that is itself a list', async () => {
    expect((await preview(fileURLToPath(dataFile('movies.json')), 'json')).lists).toBeNull();
  });
});

describe('a preview of large elements', () => {
  it('shortens texts and rows with many cells, and stays small', async () => {
    const path = join(newFolder(), 'large.csv');
    const table = [`a;b\n1;${'x'.repeat(1_000_000)}\n`, `2;${';'.repeat(100_000)}\n`, `3;\u{1F600}\n`].join('');
    writeFileSync(path, table.replaceAll(';', ','));
    const largePreview = await preview(path, 'csv');
    expect(JSON.stringify(largePreview).length).toBeLessThan(50_000);
    expect(largePreview.elements[0]).toEqual({ a: 1, b: `${'x'.repeat(500)}…` });
  });

  it('shortens deep and long JSON', async () => {
    const path = join(newFolder(), 'large.json');
    const deepValue = JSON.parse(`${'['.repeat(50)}1${']'.repeat(50)}`) as unknown;
    writeFileSync(path, JSON.stringify([{ deep: deepValue, long: Array.from({ length: 100_000 }, (_, n) => n) }]));
    const { elements } = await preview(path, 'json');
    const [element] = elements as { deep: unknown; long: number[] }[];
    expect(element?.long).toHaveLength(100);
    expect(JSON.stringify(element?.deep)).toBe('[[[[[[["…"]]]]]]]');
  });
});
