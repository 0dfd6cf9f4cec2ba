import { isObject } from '../../../../../server/wire/values.ts';

// The columns that the owner chose for the record table, in the URL.

/** A column in the owner's order. */
export interface ColumnChoice {
  path: string;
  /** Pixels; undefined if the width depends on the content. */
  width?: number;
}

/** Limits of a chosen width in pixels. */
export const MIN_COLUMN_WIDTH = 48;
export const MAX_COLUMN_WIDTH = 1000;

function isColumnChoice(value: unknown): value is ColumnChoice {
  if (!isObject(value) || typeof value['path'] !== 'string') return false;
  const { width } = value;
  return width === undefined || (typeof width === 'number' && width >= MIN_COLUMN_WIDTH && width <= MAX_COLUMN_WIDTH);
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

/** A column as the table arranges it. */
interface ArrangedColumn {
  path: string;
  /** Pixels. */
  width: number;
  /** True if the owner chose the width. */
  isSized: boolean;
}

/** Returns the chosen columns with their widths, in the owner's order. Chosen columns that do not exist are left out. */
export function arrangeColumns<C extends ArrangedColumn>(columns: readonly C[], choices: readonly ColumnChoice[]): C[] {
  return choices.flatMap(({ path, width }) => {
    const column = columns.find((candidate) => candidate.path === path);
    return column === undefined ? [] : { ...column, width: width ?? column.width, isSized: width !== undefined };
  });
}

/** Returns a width within the limits, in whole pixels. */
export const limitWidth = (width: number): number =>
  Math.round(Math.max(MIN_COLUMN_WIDTH, Math.min(MAX_COLUMN_WIDTH, width)));

/**
 * Returns the columns after a change of the width of one of them. Columns that fill the table beyond their automatic
 * width keep the width that they have on the screen, so that no other edge moves.
 * @param shown columns of the table
 * @param width pixels; undefined for the automatic width
 * @param screenWidths widths on the screen in pixels, by path
 */
export function resizeColumn(
  shown: readonly ArrangedColumn[],
  { path, width }: { path: string; width: number | undefined },
  screenWidths: ReadonlyMap<string, number>,
): ColumnChoice[] {
  return shown.map((column) => {
    const screenWidth = screenWidths.get(column.path) ?? 0;
    if (column.path === path) return width === undefined ? { path } : { path, width: limitWidth(width) };
    if (column.isSized) return { path: column.path, width: column.width };
    const isStretched = width !== undefined && Math.round(screenWidth) > column.width;
    return isStretched ? { path: column.path, width: limitWidth(screenWidth) } : { path: column.path };
  });
}

/** Returns no choices if the choices are the automatic columns with their automatic widths. */
export function withoutAutomatic(
  choices: readonly ColumnChoice[],
  automatic: readonly { path: string }[],
): readonly ColumnChoice[] {
  const isAutomatic =
    choices.length === automatic.length &&
    choices.every(({ path, width }, index) => width === undefined && path === automatic[index]?.path);
  return isAutomatic ? [] : choices;
}

/** Returns a list with one item moved to another position. A position beyond an end changes nothing. */
export function moveItem<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return [...items];
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
