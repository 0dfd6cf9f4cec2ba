import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UnreadableExport } from '../worker/client.ts';
import { previewFiles } from './file-preview.ts';
import { previewElements } from './element-preview.ts';

const dataFile = (name: string) => new URL(`../../../../../node_modules/vega-datasets/data/${name}`, import.meta.url);
async function* once(text: string) {
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
    const { columns, elements } = await previewElements(once('id,name,note\n1,Ada,\n2,Grace,\n3,Ada,\n'), 'csv', 2);
    expect(elements.map(({ text }) => text)).toEqual(['{"id":1,"name":"Ada"}', '{"id":2,"name":"Grace"}']);
    expect(columns).toEqual([
      { name: 'id', type: 'integer', examples: ['1', '2'] },
      { name: 'name', type: 'text', examples: ['Ada', 'Grace'] },
      { name: 'note', type: 'empty', examples: [] },
    ]);
  });

  it('reports that the reader thread of a bank statement crashed', async () => {
    const path = fileURLToPath(dataFile('seattle-weather.csv'));
    const summarize = () => Promise.reject(new UnreadableExport('its reader has stopped'));
    const preview = await previewFiles([{ path, start: 0, size: 1000, name: 'a.csv' }], { format: 'bank' }, summarize);
    expect(preview).toMatchObject({ format: 'unknown', error: { line: null, problem: 'its reader has stopped' } });
  });

  it('names the types of nested, missing and mixed values', async () => {
    const text = '[{"a":1,"b":null,"c":[1],"d":{"x":1},"e":true},{"a":1.5,"b":"x","c":[2],"e":"no"},7]';
    const { columns } = await previewElements(once(text), 'json', 10);
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['a', 'number'],
      ['b', 'text'],
      ['c', 'array'],
      ['d', 'object'],
      ['e', 'mixed'],
    ]);
  });

  it('shows valid elements together with the first invalid one', async () => {
    const { elements, broken } = await previewElements(once('[1,2,nope]'), 'json', 10);
    expect(elements.length).toBe(2);
    expect(broken).toMatchObject({ index: 2, problem: 'not_json' });
  });

  it('shortens long values', async () => {
    const { columns } = await previewElements(once(JSON.stringify([{ a: 'x'.repeat(500) }])), 'json', 1);
    expect(columns[0]?.examples).toEqual([`${'x'.repeat(100)}…`]);
  });
});
