/** What the cells of a column are read as. `empty`: no cell with content was seen, later ones are text. */
export type ColumnType = 'integer' | 'number' | 'boolean' | 'empty' | 'text';

/** What the owner says a column is, in place of the guess; a skipped column is left out. */
export type ColumnChoice = 'text' | 'number' | 'boolean' | 'skip';

export interface CsvColumn {
  /** Unique in the file. */
  readonly name: string;
  readonly type: ColumnType;
}

/**
 * Up to 15 digits are exact in every reader of JSON. Longer rows of digits are identifiers (accounts, cards, parcels) and stay text, as do those
 * with leading zeros.
 */
const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEAN = /^(?:true|false)$/i;

/** Spellings that count once the owner has said what the column is. */
const LENIENT_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const STRICT_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LENIENT_TRUE = new Set(['true', 'yes', 't', 'y', '1']);
const LENIENT_FALSE = new Set(['false', 'no', 'f', 'n', '0']);

/** The type that all cells with content have in common. */
export function guessColumnType(cells: Iterable<string>): ColumnType {
  let type: ColumnType = 'empty';
  for (const cell of cells) {
    const next = cellType(cell.trim());
    if (next === 'empty' || next === type) continue;
    if (type === 'empty') type = next;
    else if (isNumeric(type) && isNumeric(next)) type = 'number';
    else return 'text';
    if (type === 'text') return 'text';
  }
  return type;
}

/**
 * Names for a header row: empty ones are called after their place, repeated ones numbered, so that each cell of a row has a key of its
 * own. `__proto__`, which no record may have as a key, counts as empty.
 */
export function columnNames(header: readonly string[]): string[] {
  const wanted = header.map((cell) => cell.trim());
  const taken = new Set(wanted);
  const used = new Set<string>();
  return wanted.map((name, index) => {
    const base = name === '' || name === '__proto__' ? `column_${index + 1}` : name;
    let unique = base;
    // A number that makes it differ from the names still to come, too.
    for (let number = 2; used.has(unique) || (unique !== name && taken.has(unique)); number += 1)
      unique = `${base}_${number}`;
    used.add(unique);
    return unique;
  });
}

/**
 * The JSON text of a cell with content. A cell that does not fit the type of its column is kept as text: one "n/a" in a million numbers
 * stops nothing and loses nothing.
 */
export function cellText(cell: string, type: ColumnType | Exclude<ColumnChoice, 'skip'>, chosen: boolean): string {
  if (type === 'text' || type === 'empty') return JSON.stringify(cell);
  const trimmed = cell.trim();
  const plain = chosen ? chosenText(trimmed, type) : guessedText(trimmed, type);
  return plain ?? JSON.stringify(cell);
}

function guessedText(cell: string, type: 'integer' | 'number' | 'boolean'): string | undefined {
  if (type === 'boolean') return BOOLEAN.test(cell) ? cell.toLowerCase() : undefined;
  return isNumeric(cellType(cell)) ? cell : undefined;
}

function chosenText(cell: string, type: 'integer' | 'number' | 'boolean'): string | undefined {
  if (type === 'boolean') {
    const lower = cell.toLowerCase();
    if (LENIENT_TRUE.has(lower)) return 'true';
    return LENIENT_FALSE.has(lower) ? 'false' : undefined;
  }
  if (!LENIENT_NUMBER.test(cell) || !Number.isFinite(Number(cell))) return undefined;
  return STRICT_NUMBER.test(cell) ? cell : String(Number(cell));
}

function cellType(cell: string): ColumnType {
  if (cell === '') return 'empty';
  if (INTEGER.test(cell)) return 'integer';
  if (DECIMAL.test(cell)) return Number.isFinite(Number(cell)) ? 'number' : 'text';
  return BOOLEAN.test(cell) ? 'boolean' : 'text';
}

function isNumeric(type: ColumnType): boolean {
  return type === 'integer' || type === 'number';
}
