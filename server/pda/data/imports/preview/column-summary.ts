import { decodeString } from '../../../../platform/json/strings.ts';
import { findValueEnd, forEachMember } from '../../../../platform/json/members.ts';
import type { ImportPreview } from '../../../../wire/imports.ts';
import { TEXT_TIME_FORMATS } from '../../../../wire/time-formats.ts';
import { guessColumnType } from '../tabular/column-types.ts';

type PreviewColumn = ImportPreview['columns'][number];

const FRACTION_OR_EXPONENT = /[.eE]/;
/** Columns beyond this number are left out. */
export const PREVIEW_MAX_COLUMNS = 500;
/** Maximum number of strings from which the date format of a column is guessed. */
const MAX_TEXTS = 500;
/** Maximum characters of a date in JSON, with quotes. A column with a longer string contains no dates. */
const MAX_DATE_CHARS = 40;

class ColumnSummary {
  readonly #types = new Set<PreviewColumn['type']>();
  readonly #texts: string[] = [];
  #hasLongText = false;

  add(value: string): void {
    const type = typeOf(value);
    if (type === 'null') return;
    this.#types.add(type);
    if (type !== 'text') return;
    if (value.length > MAX_DATE_CHARS) this.#hasLongText = true;
    else if (this.#texts.length < MAX_TEXTS) this.#texts.push(decodeString(value));
  }

  type(): PreviewColumn['type'] {
    const [type = 'null', ...others] = this.#types;
    if (type === 'text' && others.length === 0 && !this.#hasLongText)
      return TEXT_TIME_FORMATS.find((format) => format === guessColumnType(this.#texts)) ?? 'text';
    if (others.length === 0) return type;
    const isNumeric = [type, ...others].every((name) => name === 'integer' || name === 'number');
    return isNumeric ? 'number' : 'mixed';
  }
}

function typeOf(value: string): PreviewColumn['type'] {
  const [first] = value;
  if (first === '"') return 'text';
  if (first === '{') return 'object';
  if (first === '[') return 'array';
  if (first === 't' || first === 'f') return 'boolean';
  if (first === 'n') return 'null';
  return FRACTION_OR_EXPONENT.test(value) ? 'number' : 'integer';
}

/** Collects the names and types of the members of JSON objects. */
export class ColumnSummaries {
  readonly #columns = new Map<string, ColumnSummary>();

  add(text: string): void {
    if (!text.startsWith('{')) return;
    forEachMember(text, 0, (name, start) => {
      const end = findValueEnd(text, start);
      let column = this.#columns.get(name);
      if (column === undefined && this.#columns.size < PREVIEW_MAX_COLUMNS)
        this.#columns.set(name, (column = new ColumnSummary()));
      column?.add(text.slice(start, end));
      return end;
    });
  }

  columns(): PreviewColumn[] {
    return Array.from(this.#columns, ([name, column]) => ({ name, type: column.type() }));
  }
}
