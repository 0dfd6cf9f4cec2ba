import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvColumns, formatCsvHeader, formatCsvRow } from '../../../platform/json/csv-writer.ts';
import { readElements } from '../imports/tabular/element-reader.ts';

function collectColumns(texts: string[]) {
  const columns = new CsvColumns();
  columns.add(texts);
  return columns.names;
}

async function roundTrip(texts: string[]) {
  const columns = collectColumns(texts);
  const csv = formatCsvHeader(columns) + texts.map((text) => formatCsvRow(text, columns)).join('');
  const imported: unknown[] = [];
  const stream = (async function* () {
    yield Buffer.from(csv);
  })();
  for await (const { elements } of readElements(stream, 'csv'))
    imported.push(...elements.map(({ text }): unknown => JSON.parse(text)));
  return imported;
}

describe('columns', () => {
  it('are collected in order of first appearance, across several batches', () => {
    const columns = new CsvColumns();
    columns.add(['{"b":1,"a":{"y":1,"x":{"z":2}}}', '{"c":[1],"b":2}']);
    columns.add(['{"a":{"w":1}}', '5']);
    expect(columns.names).toEqual(['b', 'a.y', 'a.x.z', 'c', 'a.w', 'value']);
  });
});

describe('rows', () => {
  it('write nested values under dotted names, and arrays and empty objects as JSON', () => {
    const text = '{"a":{"b":1,"c":{"d":"x"}},"list":[1,{"e":"f"}],"none":null,"empty":{},"yes":true}';
    const columns = collectColumns([text]);
    expect(columns).toEqual(['a.b', 'a.c.d', 'list', 'none', 'empty', 'yes']);
    expect(formatCsvRow(text, columns)).toBe('1,x,"[1,{""e"":""f""}]",,{},true\r\n');
  });

  it('write numbers unchanged', () => {
    expect(formatCsvRow('{"a":1.0,"b":12345678901234567890,"c":-5e-3}', ['a', 'b', 'c'])).toBe(
      '1.0,12345678901234567890,-5e-3\r\n',
    );
  });

  it('leave missing fields empty, and put values that are not objects into the column "value"', () => {
    expect(formatCsvRow('{"b":"\\u0061"}', ['a', 'b', 'c'])).toBe(',a,\r\n');
    expect(formatCsvRow('[1,2]', ['value'])).toBe('"[1,2]"\r\n');
    expect(formatCsvRow('"x"', ['a', 'value'])).toBe(',x\r\n');
  });

  it('quote cells that contain delimiters, quotes, line breaks or surrounding spaces', () => {
    expect(formatCsvRow('{"a":"x,y","b":"say \\"hi\\"","c":"two\\nlines","d":" e"}', ['a', 'b', 'c', 'd'])).toBe(
      '"x,y","say ""hi""","two\nlines"," e"\r\n',
    );
  });

  it('escape texts that look like formulas, but not negative numbers', () => {
    const texts = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'];
    const cells = texts.map((text) => formatCsvRow(JSON.stringify({ a: text }), ['a']).trimEnd());
    expect(cells).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", '"\'\t=1"', '"\'\r=1"']);
    expect(formatCsvRow('{"a":-1}', ['a'])).toBe('-1\r\n');
    expect(formatCsvHeader(['=evil()', 'b'])).toBe("'=evil(),b\r\n");
  });
});

describe('export and import', () => {
  it('preserve flat records in a round trip', async () => {
    const words = fc
      .string({ unit: fc.constantFrom('a', 'B', '"', ',', ';', '\n', '\r\n', "'", 'é', '😀', '\t', ' ') })
      .map((text) => `w${text}`);
    const records = fc.record({
      name: words,
      count: fc.maxSafeInteger().map((number) => number % 1e15),
      ratio: fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
      done: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(records, { minLength: 1 }), async (values) => {
        const texts = values.map((value) => JSON.stringify(value));
        expect(await roundTrip(texts)).toEqual(texts.map((text): unknown => JSON.parse(text)));
      }),
    );
  });

  it('turn nested values into dotted names in a round trip', async () => {
    expect(await roundTrip(['{"a":{"b":1},"c":"x"}', '{"c":"y"}'])).toEqual([{ 'a.b': 1, c: 'x' }, { c: 'y' }]);
  });
});
