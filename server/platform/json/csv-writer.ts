import { decodeString } from './strings.ts';
import { forEachMember, findValueEnd } from './members.ts';

const VALUE_COLUMN = 'value';

/** RFC 4180. */
const LINE_END = '\r\n';
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;
/** Spreadsheets would evaluate such a cell as a formula, and `=HYPERLINK(…)` can send other cells to a server. */
const FORMULA_BEGINNING = /^[=+\-@\t\r]/;

/**
 * Collects column names in order of first appearance. An export reads the records twice, so that they are never all in
 * memory.
 */
export class CsvColumns {
  readonly #names = new Set<string>();

  add(recordTexts: Iterable<string>): void {
    for (const text of recordTexts) for (const name of flatten(text).keys()) this.#names.add(name);
  }

  get names(): string[] {
    return [...this.#names];
  }
}

export function formatCsvHeader(columns: readonly string[]): string {
  return columns.map((name) => quoteCell(escapeFormula(name))).join(',') + LINE_END;
}

/**
 * Returns one record as a row with its line ending. Nested objects become columns with dotted names (`a.b`); a record
 * that is not an object becomes the column `value`. Arrays and empty objects are written as JSON text. Null and missing
 * values become empty cells. Numbers are written as stored.
 *
 * Strings that begin with = + - @, tab or carriage return get a leading apostrophe, so that no spreadsheet evaluates
 * them as formulas. The apostrophe stays when the file is imported again; a JSON export keeps the text unchanged.
 */
export function formatCsvRow(recordText: string, columns: readonly string[]): string {
  const values = flatten(recordText);
  return formatCsvCells(columns.map((name) => values.get(name)));
}

/** Formats a row from the JSON texts of its values. */
export function formatCsvCells(valueTexts: readonly (string | undefined)[]): string {
  return valueTexts.map(cellOf).join(',') + LINE_END;
}

/** Returns the JSON text of each column. If a dotted key and a nested key have the same name, the first key wins. */
function flatten(recordText: string): Map<string, string> {
  const values = new Map<string, string>();
  if (!recordText.startsWith('{')) return values.set(VALUE_COLUMN, recordText);
  const walk = (offset: number, prefix: string): number =>
    forEachMember(recordText, offset, (name, valueStart) => {
      const path = prefix + name;
      const isNested = recordText[valueStart] === '{' && recordText[valueStart + 1] !== '}';
      if (isNested) return walk(valueStart, `${path}.`);
      const end = findValueEnd(recordText, valueStart);
      if (!values.has(path)) values.set(path, recordText.slice(valueStart, end));
      return end;
    });
  walk(0, '');
  return values;
}

function cellOf(valueText: string | undefined): string {
  if (valueText === undefined || valueText === 'null') return '';
  return quoteCell(valueText.startsWith('"') ? escapeFormula(decodeString(valueText)) : valueText);
}

function escapeFormula(text: string): string {
  return FORMULA_BEGINNING.test(text) ? `'${text}` : text;
}

/** Characters that are escaped in one step. Each quote in a step costs dozens of bytes of memory. */
const ESCAPE_STEP_CHARS = 65_536;

function quoteCell(cell: string): string {
  if (!NEEDS_QUOTES.test(cell)) return cell;
  if (cell.length <= ESCAPE_STEP_CHARS) return `"${cell.replaceAll('"', '""')}"`;
  const parts: string[] = [];
  // `replaceAll` returns a rope with one string per quote, which stays in memory until the table is complete. `join`
  // returns a flat string.
  for (let offset = 0; offset < cell.length; offset += ESCAPE_STEP_CHARS)
    parts.push(
      cell
        .slice(offset, offset + ESCAPE_STEP_CHARS)
        .split('"')
        .join('""'),
    );
  return `"${parts.join('')}"`;
}
