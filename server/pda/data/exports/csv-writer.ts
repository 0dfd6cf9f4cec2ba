import { decodedString } from '../../../platform/json/strings.ts';
import { eachMember, valueEnd } from '../../../platform/json/members.ts';

/** The column of records that are no objects. */
export const VALUE_COLUMN = 'value';

/** RFC 4180. */
const LINE_END = '\r\n';
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;
/**
 * Spreadsheets evaluate a cell that begins with one of these as a formula. Records may be untrusted, and a formula such as
 * `=HYPERLINK(…)` can send neighbouring cells to a server.
 */
const FORMULA_BEGINNING = /^[=+\-@\t\r]/;

/**
 * Gathers the columns of records in the order in which they are first seen. Export reads the records twice, once for the columns and
 * once for the rows, and so holds none of them.
 */
export class CsvColumns {
  readonly #names = new Set<string>();

  /** `recordTexts` are minified JSON texts as stored. */
  add(recordTexts: Iterable<string>): void {
    for (const text of recordTexts) {
      for (const name of flatten(text).keys()) this.#names.add(name);
    }
  }

  get names(): string[] {
    return [...this.#names];
  }
}

/** The columns of records that are all at hand. */
export function collectColumns(recordTexts: Iterable<string>): string[] {
  const columns = new CsvColumns();
  columns.add(recordTexts);
  return columns.names;
}

/** The header row, with its line end. */
export function csvHeader(columns: readonly string[]): string {
  return columns.map((name) => quoted(guarded(name))).join(',') + LINE_END;
}

/**
 * One record as a row, with its line end. Nested objects are found under dotted names (`a.b`); arrays and empty objects are written as JSON text
 * into the cell; null and what is missing are empty cells; numbers are written as they are stored.
 *
 * Texts that begin with = + - @, tab or carriage return get an apostrophe in front, so that no spreadsheet runs them as a formula. It stays when
 * the file is imported again: who needs the texts unchanged exports JSON.
 */
export function csvRow(recordText: string, columns: readonly string[]): string {
  const values = flatten(recordText);
  return columns.map((name) => cellOf(values.get(name))).join(',') + LINE_END;
}

/** The JSON texts of a record by column. When a dotted key and a nested one have the same name, the first counts. */
function flatten(recordText: string): Map<string, string> {
  const values = new Map<string, string>();
  if (!recordText.startsWith('{')) return values.set(VALUE_COLUMN, recordText);
  const walk = (at: number, prefix: string): number =>
    eachMember(recordText, at, (name, valueStart) => {
      const path = prefix + name;
      const isNested = recordText[valueStart] === '{' && recordText[valueStart + 1] !== '}';
      if (isNested) return walk(valueStart, `${path}.`);
      const end = valueEnd(recordText, valueStart);
      if (!values.has(path)) values.set(path, recordText.slice(valueStart, end));
      return end;
    });
  walk(0, '');
  return values;
}

function cellOf(valueText: string | undefined): string {
  if (valueText === undefined || valueText === 'null') return '';
  return quoted(valueText.startsWith('"') ? guarded(decodedString(valueText)) : valueText);
}

function guarded(text: string): string {
  return FORMULA_BEGINNING.test(text) ? `'${text}` : text;
}

/** Characters in which quotes are doubled at once: that takes dozens of bytes of memory for each quote. */
const DOUBLING_CHARS = 65_536;

function quoted(cell: string): string {
  if (!NEEDS_QUOTES.test(cell)) return cell;
  if (cell.length <= DOUBLING_CHARS) return `"${cell.replaceAll('"', '""')}"`;
  const parts: string[] = [];
  // `replaceAll` returns a rope of as many strings as there are quotes. All of them would stay in memory to the end; `join` returns a flat string.
  for (let at = 0; at < cell.length; at += DOUBLING_CHARS)
    parts.push(
      cell
        .slice(at, at + DOUBLING_CHARS)
        .split('"')
        .join('""'),
    );
  return `"${parts.join('')}"`;
}
