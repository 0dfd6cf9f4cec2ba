import { isObject } from '../../../../../server/wire/values.ts';

// The columns that the owner chose for the record table, in the URL.

/** A column in the owner's order. */
export interface ColumnChoice {
  path: string;
  /** Pixels; undefined if the width depends on the content. */
  width?: number;
}

const MIN_WIDTH_PX = 48;
const MAX_WIDTH_PX = 1000;

function isColumnChoice(value: unknown): value is ColumnChoice {
  if (!isObject(value) || typeof value['path'] !== 'string') return false;
  const { width } = value;
  return width === undefined || (typeof width === 'number' && width >= MIN_WIDTH_PX && width <= MAX_WIDTH_PX);
}

/** Returns the columns in the URL, each path once. Ignores invalid ones. Empty if the owner has chosen none. */
export function parseColumns(query: URLSearchParams): ColumnChoice[] {
  try {
    const parsed: unknown = JSON.parse(query.get('columns') ?? '[]');
    const choices = Array.isArray(parsed) ? parsed.filter(isColumnChoice) : [];
    return choices.filter(({ path }, at) => choices.findIndex((other) => other.path === path) === at);
  } catch {
    return [];
  }
}

/** Adds the columns to the parameters of the URL. */
export function appendColumns(choices: readonly ColumnChoice[], query: URLSearchParams): void {
  if (choices.length > 0) query.set('columns', JSON.stringify(choices));
}

/** Returns the chosen columns with their widths, in the owner's order. Chosen columns that do not exist are left out. */
export function arrangeColumns<C extends { path: string; width: number }>(
  columns: readonly C[],
  choices: readonly ColumnChoice[],
): C[] {
  return choices.flatMap(({ path, width }) => {
    const column = columns.find((candidate) => candidate.path === path);
    return column === undefined ? [] : { ...column, width: width ?? column.width };
  });
}

/** Returns a list with one item moved to another position. A position beyond an end changes nothing. */
export function moveItem<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return [...items];
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
