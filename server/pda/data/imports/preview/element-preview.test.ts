import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { newFolder, removeFolders } from '../../../../../tests/support/server-process.ts';
import { UnreadableExport } from '../worker/client.ts';
import { previewFiles } from './file-preview.ts';
import { previewElements, previewOfElements } from './element-preview.ts';

const dataFile = (name: string) => new URL(`../../../../../node_modules/vega-datasets/data/${name}`, import.meta.url);
async function* streamOf(text: string) {
  yield Buffer.from(text);
}

describe('a preview', () => {
  it('shows the first elements of a JSON file and a summary of each key', async () => {
    const stream = createReadStream(dataFile('movies.json'));
    const { elements, columns, broken } = await previewElements(stream, 'json', 50);
    expect(elements.length).toBe(50);
    expect(broken).toBeUndefined();
    expect(columns.find(({ name }) => name === 'US Gross')).toMatchObject({
      type: 'integer',
      examples: ['146083', '10876', '203134'],
    });
    expect(columns.find(({ name }) => name === 'Title')).toMatchObject({ type: 'mixed' });
    expect(stream.destroyed).toBe(true);
  });

  it('shows every heading of a CSV file with its type, including empty columns', async () => {
    const { columns, elements } = await previewElements(streamOf('id,name,note\n1,Ada,\n2,Grace,\n3,Ada,\n'), 'csv', 2);
    expect(elements.map(({ text }) => text)).toEqual(['{"id":1,"name":"Ada"}', '{"id":2,"name":"Grace"}']);
    expect(columns).toEqual([
      { name: 'id', type: 'integer', examples: ['1', '2'] },
      { name: 'name', type: 'text', examples: ['Ada', 'Grace'] },
      { name: 'note', type: 'empty', examples: [] },
    ]);
  });

  it('reports a crash of the reader thread for a bank statement', async () => {
    const path = fileURLToPath(dataFile('seattle-weather.csv'));
    const summarize = () => Promise.reject(new UnreadableExport('its reader has stopped'));
    const preview = await previewFiles([{ path, start: 0, size: 1000, name: 'a.csv' }], { format: 'bank' }, summarize);
    expect(preview).toMatchObject({ format: 'unknown', error: { line: null, problem: 'its reader has stopped' } });
  });

  it('infers the types of nested, missing and mixed values', async () => {
    const text = '[{"a":1,"b":null,"c":[1],"d":{"x":1},"e":true},{"a":1.5,"b":"x","c":[2],"e":"no"},7]';
    const { columns } = await previewElements(streamOf(text), 'json', 10);
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['a', 'number'],
      ['b', 'text'],
      ['c', 'array'],
      ['d', 'object'],
      ['e', 'mixed'],
    ]);
  });

  it('shows the valid elements before an error, and the error', async () => {
    const { elements, broken } = await previewElements(streamOf('[1,2,nope]'), 'json', 10);
    expect(elements.length).toBe(2);
    expect(broken).toMatchObject({ index: 2, problem: 'not_json' });
  });

  it('shortens long examples', async () => {
    const { columns } = await previewElements(streamOf(JSON.stringify([{ a: 'x'.repeat(500) }])), 'json', 1);
    expect(columns[0]?.examples).toEqual([`${'x'.repeat(100)}…`]);
  });
});

describe('a preview of large elements', () => {
  afterAll(removeFolders);

  it('shortens texts, lists and rows with many cells, and stays small', async () => {
    const path = join(newFolder(), 'large.csv');
    const table = [`a;b\n1;${'x'.repeat(1_000_000)}\n`, `2;${';'.repeat(100_000)}\n`, `3;\u{1F600}\n`].join('');
    writeFileSync(path, table.replaceAll(';', ','));
    const preview = await previewOfElements({ task: 'preview', path, format: 'csv', count: 20 });
    expect(JSON.stringify(preview).length).toBeLessThan(50_000);
    expect(preview.elements[0]).toEqual({ a: 1, b: `${'x'.repeat(500)}…` });
  });

  it('shortens deep and long JSON', async () => {
    const path = join(newFolder(), 'large.json');
    const deep = JSON.parse(`${'['.repeat(50)}1${']'.repeat(50)}`) as unknown;
    writeFileSync(path, JSON.stringify([{ deep, long: Array.from({ length: 100_000 }, (_, n) => n) }]));
    const { elements } = await previewOfElements({ task: 'preview', path, format: 'json', count: 20 });
    const [element] = elements as { deep: unknown; long: number[] }[];
    expect(element?.long).toHaveLength(100);
    expect(JSON.stringify(element?.deep)).toBe('[[[[[[["…"]]]]]]]');
  });
});
