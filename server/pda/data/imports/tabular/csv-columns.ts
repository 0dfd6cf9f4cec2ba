/** Type of the cells of a column. `empty`: the sample has no cell with content; later cells are text. */
export type ColumnType = 'integer' | 'number' | 'boolean' | 'empty' | 'text';

/** Type that the owner chose instead of the guess. A skipped column is not imported. */
export type ColumnChoice = 'text' | 'number' | 'boolean' | 'skip';

/** A column of a CSV file. */
export interface CsvColumn {
  /** Name, unique in the file. */
  readonly name: string;
  readonly type: ColumnType;
}

/**
 * Integers of up to 15 digits, which every JSON parser reads exactly. Longer digit sequences, and those with leading
 * zeros, are identifiers such as account numbers and stay text.
 */
const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEAN = /^(?:true|false)$/i;

/** Notations that are accepted when the owner has chosen the type. */
const LENIENT_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const STRICT_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LENIENT_TRUE = new Set(['true', 'yes', 't', 'y', '1']);
const LENIENT_FALSE = new Set(['false', 'no', 'f', 'n', '0']);

/** Returns the type that all non-empty cells have in common. */
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
 * Returns unique column names for a header row. Empty names become `column_` and the position; repeated names get a
 * number. `__proto__`, which no record may have as a key, counts as empty.
 */
export function columnNames(header: readonly string[]): string[] {
  const trimmed = header.map((cell) => cell.trim());
  const headerNames = new Set(trimmed);
  const usedNames = new Set<string>();
  return trimmed.map((name, index) => {
    const base = name === '' || name === '__proto__' ? `column_${index + 1}` : name;
    let uniqueName = base;
    // The number must also differ from later names in the header.
    for (let number = 2; usedNames.has(uniqueName) || (uniqueName !== name && headerNames.has(uniqueName)); number += 1)
      uniqueName = `${base}_${number}`;
    usedNames.add(uniqueName);
    return uniqueName;
  });
}

/**
 * Returns the JSON text of a non-empty cell. A cell that does not fit the type of its column is stored as text: one
 * "n/a" among a million numbers is kept and does not fail the import.
 */
export function cellText(cell: string, type: ColumnType | Exclude<ColumnChoice, 'skip'>, isChosen: boolean): string {
  if (type === 'text' || type === 'empty') return JSON.stringify(cell);
  const trimmed = cell.trim();
  const json = isChosen ? textOfChosenType(trimmed, type) : textOfGuessedType(trimmed, type);
  return json ?? JSON.stringify(cell);
}

function textOfGuessedType(cell: string, type: 'integer' | 'number' | 'boolean'): string | undefined {
  if (type === 'boolean') return BOOLEAN.test(cell) ? cell.toLowerCase() : undefined;
  return isNumeric(cellType(cell)) ? cell : undefined;
}

function textOfChosenType(cell: string, type: 'integer' | 'number' | 'boolean'): string | undefined {
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
