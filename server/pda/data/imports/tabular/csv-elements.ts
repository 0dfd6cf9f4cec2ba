import { isUtf8 } from 'node:buffer';
import { CsvError, parse, type Parser } from 'csv-parse';
import type { ColumnChoice } from '../../../../wire/imports.ts';
import { guessColumnType, jsonOfText } from './column-types.ts';
import { columnNamesOf, type CsvColumn } from './csv-columns.ts';
import { BrokenElement, type ElementSource, type ImportedElement, MAX_ELEMENT_BYTES } from './element-source.ts';
import { type Delimiter, guessDelimiter } from './format-detection.ts';

export interface CsvOptions {
  /** Delimiter of cells; guessed by default. */
  readonly delimiter?: Delimiter;
  /** Types by column name, in place of the guesses. */
  readonly types?: Readonly<Record<string, ColumnChoice>> | undefined;
  /** Receives the columns once, before the first row is returned. */
  readonly onColumns?: (columns: readonly CsvColumn[]) => void;
}

interface Row {
  readonly cells: readonly string[];
  readonly line: number;
}

interface RenderedColumn {
  readonly key: string;
  readonly render: (cell: string) => string;
}

/**
 * Maximum rows and characters of the sample from which column types are guessed. The sample ends with a row, not with
 * a chunk, so that a resumed import with different chunk boundaries guesses the same types.
 */
const SAMPLE_ROWS = 10_000;
const SAMPLE_CHARS = 2_000_000;
const DELIMITER_SAMPLE_BYTES = 65_536;
const ELEMENT_SIZE_LIMIT = `${MAX_ELEMENT_BYTES / 1_000_000} MB`;
/** Maximum number of UTF-8 bytes of a UTF-16 code unit. */
const MAX_BYTES_PER_CHAR = 3;
const LINE_FEED = 0x0a;
const LINE_BREAK = /\r\n|\r|\n/;

/**
 * Reads a CSV file with a header row. Each other row becomes an object of its non-empty cells. Quoting follows RFC
 * 4180; quotes within unquoted cells are literal, as in spreadsheets.
 */
export class CsvElements implements ElementSource {
  readonly #from: number;
  readonly #options: CsvOptions;
  /** Bytes not parsed yet: the beginning of the file until the delimiter is known, later an incomplete character. */
  #pendingChunks: Buffer[] = [];
  #pendingBytes = 0;
  #parser: Parser | undefined;
  #rows: Row[] = [];
  #names: string[] | undefined;
  #columns: readonly (RenderedColumn | undefined)[] | undefined;
  #index = 0;
  #sampleChars = 0;
  /** Number of rows in the sample, once it is large enough. */
  #sampleRows: number | undefined;
  /** Line breaks that the parser counted twice: it counts a quoted CR LF as two lines. */
  #doubleCountedBreaks = 0;
  #nextLine = 1;
  #broken: BrokenElement | undefined;

  constructor(from: number, options: CsvOptions) {
    this.#from = from;
    this.#options = options;
  }

  async push(chunk: Buffer, output: ImportedElement[]): Promise<void> {
    this.#buffer(chunk);
    if (this.#parser === undefined && this.#pendingBytes < DELIMITER_SAMPLE_BYTES) return;
    await this.#parse(this.#release(), false);
    this.#emitRows(output, false);
  }

  async end(output: ImportedElement[]): Promise<void> {
    await this.#parse(this.#release(), true);
    this.#emitRows(output, true);
    if (this.#names === undefined)
      throw new BrokenElement({ line: 1, index: 0 }, 'empty', 'this file has no header row');
  }

  #buffer(chunk: Buffer): void {
    this.#pendingChunks.push(chunk);
    this.#pendingBytes += chunk.length;
  }

  #release(): Buffer {
    const bytes = Buffer.concat(this.#pendingChunks);
    this.#pendingChunks = [];
    this.#pendingBytes = 0;
    return bytes;
  }

  async #parse(bytes: Buffer, isLast: boolean): Promise<void> {
    this.#parser ??= this.#createParser(
      this.#options.delimiter ?? guessDelimiter(bytes.subarray(0, DELIMITER_SAMPLE_BYTES)),
    );
    const parser = this.#parser;
    // The parser would silently replace invalid UTF-8, and the owner would notice only after the import.
    const completeBytes = isLast ? bytes.length : lastCharacterEnd(bytes);
    if (completeBytes < bytes.length) this.#buffer(bytes.subarray(completeBytes));
    let readableBytes = bytes.subarray(0, completeBytes);
    const isValid = isUtf8(readableBytes);
    if (!isValid) readableBytes = linesBeforeInvalid(readableBytes);
    try {
      await new Promise<void>((resolve, reject) => {
        parser.write(readableBytes, (error) => (error ? reject(error) : resolve()));
      });
      // The parser emits the last row only when more bytes arrive or it ends.
      if (isLast || !isValid) await endParser(parser);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      if (isValid) this.#fail(...problemOf(error));
    }
    if (!isValid) this.#fail('not_utf8', 'the text is not encoded as UTF-8');
  }

  #fail(problem: 'not_utf8' | 'too_large' | 'broken_csv', reason: string): void {
    this.#broken ??= new BrokenElement(
      { line: this.#nextLine, index: this.#index + this.#rows.length },
      problem,
      reason,
    );
  }

  #createParser(delimiter: Delimiter): Parser {
    const parser = parse({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_ELEMENT_BYTES,
      // Rows are collected in this callback, because a stream that fails discards the rows that it has parsed.
      on_record: (cells: string[], { lines }) => {
        this.#addRow(cells, lines);
        return undefined;
      },
    });
    // Errors arrive at the callback of `write` and at the listener of `endParser`. Without this listener, those of
    // `write` would also end the process.
    parser.on('error', () => undefined);
    parser.resume();
    return parser;
  }

  #addRow(cells: string[], countedLines: number): void {
    const breaks = countLineBreaks(cells);
    this.#doubleCountedBreaks += breaks.crlfs;
    const lastLine = countedLines - this.#doubleCountedBreaks;
    const line = lastLine - breaks.lines;
    this.#nextLine = lastLine + 1;
    if (this.#broken !== undefined || isBlank(cells)) return;
    if (this.#names === undefined) {
      this.#names = columnNamesOf(cells);
      return;
    }
    const width = this.#names.length;
    if (cells.length > width && !isBlank(cells.slice(width))) {
      const position = { line, index: this.#index + this.#rows.length };
      this.#broken = new BrokenElement(position, 'broken_csv', `${cells.length} cells under ${width} headings`);
      return;
    }
    this.#rows.push({ cells, line });
    if (this.#columns !== undefined || this.#sampleRows !== undefined) return;
    for (const cell of cells) this.#sampleChars += cell.length;
    const isSampleComplete = this.#rows.length >= SAMPLE_ROWS || this.#sampleChars >= SAMPLE_CHARS;
    if (isSampleComplete) this.#sampleRows = this.#rows.length;
  }

  #emitRows(output: ImportedElement[], isLast: boolean): void {
    const hasSample = isLast || this.#broken !== undefined || this.#sampleRows !== undefined;
    if (hasSample && this.#names !== undefined) this.#columns ??= this.#decideColumns(this.#names);
    if (this.#columns !== undefined) {
      for (const { cells, line } of this.#rows) {
        if (this.#index >= this.#from) {
          const text = objectText(this.#columns, cells);
          if (isTooLarge(text))
            throw new BrokenElement(
              { line, index: this.#index },
              'too_large',
              `the record of this row is larger than ${ELEMENT_SIZE_LIMIT}`,
            );
          output.push({ text, line, index: this.#index });
        }
        this.#index += 1;
      }
      this.#rows = [];
    }
    if (this.#broken !== undefined) throw this.#broken;
  }

  #decideColumns(names: readonly string[]): (RenderedColumn | undefined)[] {
    const sample = this.#rows.slice(0, this.#sampleRows);
    const columns = names.map((name, index): CsvColumn => ({
      name,
      type: guessColumnType(sample.map(({ cells }) => cells[index] ?? '')),
    }));
    this.#options.onColumns?.(columns);
    const choices = new Map(Object.entries(this.#options.types ?? {}));
    return columns.map(({ name, type }) => {
      const choice = choices.get(name);
      if (choice === 'skip') return undefined;
      const key = `${JSON.stringify(name)}:`;
      return { key, render: (cell) => jsonOfText(cell, choice ?? type, choice !== undefined) };
    });
  }
}

function objectText(columns: readonly (RenderedColumn | undefined)[], cells: readonly string[]): string {
  let members = '';
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    const cell = cells[index] ?? '';
    if (column === undefined || cell === '') continue;
    if (members !== '') members += ',';
    members += column.key + column.render(cell);
  }
  return `{${members}}`;
}

function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return false;
  return true;
}

function countLineBreaks(cells: readonly string[]): { lines: number; crlfs: number } {
  let lines = 0;
  let crlfs = 0;
  for (const cell of cells) {
    if (!cell.includes('\n') && !cell.includes('\r')) continue;
    lines += cell.split(LINE_BREAK).length - 1;
    crlfs += cell.split('\r\n').length - 1;
  }
  return { lines, crlfs };
}

async function endParser(parser: Parser): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    parser.once('error', reject);
    parser.once('end', resolve);
    parser.end();
  });
}

/** Returns true if a record exceeds the limit: escapes and repeated headings can make it larger than its row. */
function isTooLarge(text: string): boolean {
  return text.length * MAX_BYTES_PER_CHAR > MAX_ELEMENT_BYTES && Buffer.byteLength(text) > MAX_ELEMENT_BYTES;
}

function problemOf(error: CsvError): ['too_large' | 'broken_csv', string] {
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return ['too_large', `a single row is larger than ${ELEMENT_SIZE_LIMIT}; perhaps a quote is never closed`];
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return ['broken_csv', 'a quote that is opened in this row is never closed'];
  return ['broken_csv', `this row cannot be read (${error.message})`];
}

/** Returns the end of the last complete character in UTF-8. */
function lastCharacterEnd(bytes: Buffer): number {
  for (let distance = 1; distance <= Math.min(3, bytes.length); distance += 1) {
    const byte = bytes[bytes.length - distance] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const characterBytes = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return characterBytes > distance ? bytes.length - distance : bytes.length;
  }
  return bytes.length;
}

function linesBeforeInvalid(bytes: Buffer): Buffer {
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
  }
  return bytes.subarray(0, start);
}
