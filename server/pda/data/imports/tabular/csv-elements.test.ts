import fc from 'fast-check';
import { createReadStream, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CsvColumn, columnNamesOf } from './csv-columns.ts';
import { readElements, type ReadOptions } from './element-reader.ts';
import { BrokenElement } from './element-source.ts';

const dataFile = (name: string) => new URL(`../../../../../node_modules/vega-datasets/data/${name}`, import.meta.url);

async function* chunksOf(bytes: Buffer, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

type CsvOptions = ReadOptions['csv'] & Pick<ReadOptions, 'columnTypes'>;

async function readCsv(stream: AsyncIterable<Buffer>, { columnTypes, ...csv }: CsvOptions = {}) {
  const texts: string[] = [];
  const lines: number[] = [];
  let columns: readonly CsvColumn[] = [];
  let brokenElement: BrokenElement | undefined;
  try {
    for await (const { elements } of readElements(stream, 'csv', {
      columnTypes,
      csv: { ...csv, onColumns: (detected) => (columns = detected) },
    })) {
      texts.push(...elements.map(({ text }) => text));
      lines.push(...elements.map(({ line }) => line));
    }
  } catch (error) {
    if (!(error instanceof BrokenElement)) throw error;
    brokenElement = error;
  }
  return { texts, lines, columns, brokenElement };
}

const read = (text: string | Buffer, csv?: CsvOptions, size = 5) => readCsv(chunksOf(Buffer.from(text), size), csv);

describe('a published data set', () => {
  it('yields a record for each line of seattle-weather.csv, with typed columns', async () => {
    const [header = '', ...rows] = readFileSync(dataFile('seattle-weather.csv'), 'utf8').trim().split('\n');
    const { texts, columns, lines } = await readCsv(createReadStream(dataFile('seattle-weather.csv')));
    expect(columns.map(({ name }) => name)).toEqual(header.split(','));
    expect(columns.map(({ type }) => type)).toEqual(['iso', 'number', 'number', 'number', 'number', 'text']);
    const expected = rows.map((row) => {
      const [date, precipitation, max, min, wind, weather] = row.split(',');
      return `{"date":"${date}","precipitation":${precipitation},"temp_max":${max},"temp_min":${min},"wind":${wind},"weather":"${weather}"}`;
    });
    expect(texts).toEqual(expected);
    expect(lines).toEqual(rows.map((_, index) => index + 2));
  });

  it.each([
    ['airports.csv', { iata: 'text', latitude: 'number' }],
    ['stocks.csv', { symbol: 'text', date: 'month-name', price: 'number' }],
    ['zipcodes.csv', { zip_code: 'text', latitude: 'number', city: 'text' }],
    ['flights-airport.csv', { origin: 'text', count: 'integer' }],
    ['birdstrikes.csv', { 'Flight Date': 'iso' }],
  ])('yields every row of %s and guesses its column types', async (name, types) => {
    const { texts, columns, brokenElement } = await readCsv(createReadStream(dataFile(name)));
    // None of these files has line breaks within cells.
    expect(texts.length).toBe(readFileSync(dataFile(name), 'utf8').trim().split(/\r?\n/).length - 1);
    expect(brokenElement).toBeUndefined();
    expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toMatchObject(types);
  });
});

describe('cells', () => {
  it('become numbers and booleans only if the whole column has that type', async () => {
    const { texts, columns } = await read(
      'int,num,bool,mixed,zip,date,none,long\n1,1.50,true,1,007,2026-11-20,,12345678901234567890\n-2,3e2,FALSE,x,123,2026-11-21,,1\n',
    );
    expect(columns.map(({ type }) => type)).toEqual([
      'integer',
      'number',
      'boolean',
      'text',
      'text',
      'iso',
      'empty',
      'text',
    ]);
    expect(texts).toEqual([
      '{"int":1,"num":1.50,"bool":true,"mixed":"1","zip":"007","date":"2026-11-20","long":"12345678901234567890"}',
      '{"int":-2,"num":3e2,"bool":false,"mixed":"x","zip":"123","date":"2026-11-21","long":"1"}',
    ]);
  });

  it('are omitted if they are empty', async () => {
    expect((await read('a,b,c\n1,,3\n,,\n"",x\n')).texts).toEqual(['{"a":1,"c":3}', '{"b":"x"}']);
  });

  it('are stored as text if they do not match the type of the first ten thousand rows', async () => {
    const { texts } = await read(`a\n${'1\n'.repeat(10_000)}n/a\n007\n2\n`, {}, 65_536);
    expect(texts.slice(-4)).toEqual(['{"a":1}', '{"a":"n/a"}', '{"a":"007"}', '{"a":2}']);
  });

  it('are read with the types that the owner chose', async () => {
    const columnTypes = { zip: 'number', no: 'text', yes: 'boolean', gone: 'skip', price: 'number' } as const;
    const { texts } = await read('zip,no,yes,gone,price\n007,1,yes,x,+.5\n8,2,0,y,about 5\n', { columnTypes });
    expect(texts).toEqual([
      '{"zip":7,"no":"1","yes":true,"price":0.5}',
      '{"zip":8,"no":"2","yes":false,"price":"about 5"}',
    ]);
  });

  it('may contain delimiters, quotes and line breaks if quoted, with any chunk boundaries', async () => {
    const cells = fc
      .string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', ' ', 'é', '😀', '\t') })
      .map((text) => `x${text}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cells, cells), { minLength: 1 }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, size) => {
          const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
          const text = `a,b\r\n${rows.map((row) => row.map(quote).join(',')).join('\r\n')}`;
          const { texts } = await read(text, { delimiter: ',' }, size);
          expect(texts.map((element): unknown => JSON.parse(element))).toEqual(rows.map(([a, b]) => ({ a, b })));
        },
      ),
    );
  });

  it('may contain quotes if not quoted', async () => {
    expect((await read('size,name\n5" pipe,a "b" c\n')).texts).toEqual(['{"size":"5\\" pipe","name":"a \\"b\\" c"}']);
  });
});

describe('tables', () => {
  it.each([',', ';', '\t'])('may use the delimiter %j, a byte order mark and any line ending', async (delimiter) => {
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const text = `\ufeffa|b|c${lineEnd}1|"x|y"|z${lineEnd}${lineEnd}2|u|v`.replaceAll('|', delimiter);
      expect((await read(text)).texts).toEqual([
        `{"a":1,"b":${JSON.stringify(`x${delimiter}y`)},"c":"z"}`,
        '{"a":2,"b":"u","c":"v"}',
      ]);
    }
  });

  it('may have one column, or rows with missing cells', async () => {
    expect((await read('name\nAda\nGrace\n')).texts).toEqual(['{"name":"Ada"}', '{"name":"Grace"}']);
    expect((await read('a,b\n1\n2,3\n')).texts).toEqual(['{"a":1}', '{"a":2,"b":3}']);
  });

  it('report the first line of each row', async () => {
    expect((await read('a,b\n1,"x\ny"\n2,z\n\n3,u\n')).lines).toEqual([2, 4, 6]);
    expect((await read('a,b\r\n1,"x\r\ny"\r\n2,z\r\n\r\n3,u')).lines).toEqual([2, 4, 6]);
  });

  it('have a unique name for each column', () => {
    expect(columnNamesOf(['a', '', 'a', ' b ', 'a_2', '__proto__', 'a'])).toEqual([
      'a',
      'column_2',
      'a_3',
      'b',
      'a_2',
      'column_6',
      'a_4',
    ]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'a_2', '', 'column_1', '__proto__', 'b')), (header) => {
        const names = columnNamesOf(header);
        expect(new Set(names).size).toBe(header.length);
        expect(names).not.toContain('');
        expect(names).not.toContain('__proto__');
      }),
    );
  });

  it('have no elements if there is only a header', async () => {
    expect(await read('a,b\n')).toMatchObject({
      texts: [],
      brokenElement: undefined,
      columns: [{ name: 'a', type: 'empty' }, { name: 'b' }],
    });
  });
});

describe('an invalid table', () => {
  it('fails at a row with a non-empty cell beyond the last heading, after yielding the rows before it', async () => {
    expect(await read('a,b\n1,2\n3,4,5\n6,7\n')).toMatchObject({
      texts: ['{"a":1,"b":2}'],
      brokenElement: { problem: 'broken_csv', line: 3, index: 1, message: '3 cells under 2 headings' },
    });
    expect((await read('a,b\n1,2,,\n')).texts).toEqual(['{"a":1,"b":2}']);
  });

  it('fails at a quote that is never closed', async () => {
    expect(await read('a,b\n1,2\n3,"4\n5,6\n')).toMatchObject({
      texts: ['{"a":1,"b":2}'],
      brokenElement: { problem: 'broken_csv', line: 3, index: 1 },
    });
    const endlessText = `a,b\n1,2\n3,"${'x\n'.repeat(6_000_000)}`;
    expect(await read(endlessText, {}, 262_144)).toMatchObject({
      texts: ['{"a":1,"b":2}'],
      brokenElement: { problem: 'too_large', line: 3, index: 1 },
    });
  });

  it('fails at a row whose record is too large because of its escapes', async () => {
    expect(await read(`a,b\n1,2\n3,"${'\u0001'.repeat(2_000_000)}"\n5,6\n`, {}, 262_144)).toMatchObject({
      texts: ['{"a":1,"b":"2"}'],
      brokenElement: { problem: 'too_large', line: 3, index: 1 },
    });
  });

  it('fails where the encoding is not UTF-8', async () => {
    for (const size of [1, 4, 1000]) {
      expect(await read(Buffer.from('a,b\n1,2\n3,\xe9t\xe9\n4,5\n', 'latin1'), {}, size)).toMatchObject({
        texts: ['{"a":1,"b":2}'],
        brokenElement: { problem: 'not_utf8', line: 3, index: 1 },
      });
    }
  });

  it('fails with "empty" if it has no header row', async () => {
    expect(await read('\n\n')).toMatchObject({ brokenElement: { problem: 'empty' } });
  });
});
