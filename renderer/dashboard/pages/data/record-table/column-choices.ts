import { isObject } from '../../../../../server/wire/values.ts';

// The column choices of the record table, which are stored in the URL.

/** A column in the owner's order. */
export interface ColumnChoice {
  path: string;
  /** Pixels; undefined if the width depends on the content. */
  width?: number;
}

/** Limits for a chosen width, in pixels. */
export const MIN_COLUMN_WIDTH = 48;
export const MAX_COLUMN_WIDTH = 1000;

function isColumnChoice(value: unknown): value is ColumnChoice {
  if (!isObject(value) || typeof value['path'] !== 'string') return false;
  const { width } = value;
  return width === undefined || (typeof width === 'number' && width >= MIN_COLUMN_WIDTH && width <= MAX_COLUMN_WIDTH);
}

/** Parses the column choices from the URL. Ignores invalid and repeated columns. Empty if the owner has chosen none. */
export function parseColumns(query: URLSearchParams): ColumnChoice[] {
  try {
    const parsed: unknown = JSON.parse(query.get('columns') ?? '[]');
    const choices = Array.isArray(parsed) ? parsed.filter(isColumnChoice) : [];
    return choices.filter(({ path }, at) => choices.findIndex((other) => other.path === path) === at);
  } catch {
    return [];
  }
}

/** Adds the column choices to the URL parameters. */
export function appendColumns(choices: readonly ColumnChoice[], query: URLSearchParams): void {
  if (choices.length > 0) query.set('columns', JSON.stringify(choices));
}

/** Column that the table can arrange. */
interface ArrangedColumn {
  path: string;
  /** Pixels. */
  width: number;
  /** True if the owner chose the width. */
  isSized: boolean;
}

/** Applies the owner's choices: returns the chosen columns in order, with their widths. Omits columns that are gone. */
export function arrangeColumns<C extends ArrangedColumn>(columns: readonly C[], choices: readonly ColumnChoice[]): C[] {
  return choices.flatMap(({ path, width }) => {
    const column = columns.find((candidate) => candidate.path === path);
    return column === undefined ? [] : { ...column, width: width ?? column.width, isSized: width !== undefined };
  });
}

/** Rounds a width to whole pixels and clamps it to the limits. */
export const limitWidth = (width: number): number =>
  Math.round(Math.max(MIN_COLUMN_WIDTH, Math.min(MAX_COLUMN_WIDTH, width)));

/**
 * Returns the column choices after one column is resized. Columns that the table has stretched keep their rendered
 * width, so that no other edge moves.
 * @param columns columns of the table, in order
 * @param width pixels; undefined for the automatic width
 * @param renderedWidths current widths in pixels, by path
 */
export function resizeColumn(
  columns: readonly ArrangedColumn[],
  { path, width }: { path: string; width: number | undefined },
  renderedWidths: ReadonlyMap<string, number>,
): ColumnChoice[] {
  return columns.map((column) => {
    const renderedWidth = renderedWidths.get(column.path) ?? 0;
    if (column.path === path) return width === undefined ? { path } : { path, width: limitWidth(width) };
    if (column.isSized) return { path: column.path, width: column.width };
    const isStretched = width !== undefined && Math.round(renderedWidth) > column.width;
    return isStretched ? { path: column.path, width: limitWidth(renderedWidth) } : { path: column.path };
  });
}

/** Returns an empty list if the choices equal the automatic columns and widths, otherwise the choices. */
export function withoutAutomatic(
  choices: readonly ColumnChoice[],
  automatic: readonly { path: string }[],
): readonly ColumnChoice[] {
  const isAutomatic =
    choices.length === automatic.length &&
    choices.every(({ path, width }, index) => width === undefined && path === automatic[index]?.path);
  return isAutomatic ? [] : choices;
}

/** Returns a copy of the list with one item moved. A target outside of the list changes nothing. */
export function moveItem<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return [...items];
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
