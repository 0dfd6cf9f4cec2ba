import { isObject } from '../../../../../server/wire/values.ts';

export interface ColumnChoice {
  path: string;
  /** Pixels; undefined if the width depends on the content. */
  width?: number;
}

/** Limits in pixels. */
export const MIN_COLUMN_WIDTH = 48;
export const MAX_COLUMN_WIDTH = 1000;

function isColumnChoice(value: unknown): value is ColumnChoice {
  if (!isObject(value) || typeof value['path'] !== 'string') return false;
  const { width } = value;
  return width === undefined || (typeof width === 'number' && width >= MIN_COLUMN_WIDTH && width <= MAX_COLUMN_WIDTH);
}

/** Ignores invalid and repeated columns. Returns an empty list if the owner has chosen none. */
export function parseColumns(query: URLSearchParams): ColumnChoice[] {
  try {
    const parsed: unknown = JSON.parse(query.get('columns') ?? '[]');
    const choices = Array.isArray(parsed) ? parsed.filter(isColumnChoice) : [];
    return choices.filter(({ path }, index) => choices.findIndex((other) => other.path === path) === index);
  } catch {
    return [];
  }
}

export function appendColumns(choices: readonly ColumnChoice[], query: URLSearchParams): void {
  if (choices.length > 0) query.set('columns', JSON.stringify(choices));
}

interface ArrangedColumn {
  path: string;
  /** In pixels. */
  width: number;
  /** True if the owner chose the width. */
  isSized: boolean;
}

/** Returns the chosen columns in the chosen order, with the chosen widths. Omits columns that do not exist. */
export function arrangeColumns<C extends ArrangedColumn>(columns: readonly C[], choices: readonly ColumnChoice[]): C[] {
  return choices.flatMap(({ path, width }) => {
    const column = columns.find((candidate) => candidate.path === path);
    return column === undefined ? [] : { ...column, width: width ?? column.width, isSized: width !== undefined };
  });
}

export const clampWidth = (width: number): number =>
  Math.round(Math.max(MIN_COLUMN_WIDTH, Math.min(MAX_COLUMN_WIDTH, width)));

/** Receives the current width of a column in pixels and returns the new width; undefined for the automatic width. */
export type WidthChange = (width: number) => number | undefined;

/**
 * Returns the choices after a change to the width of a column. If the new width is in pixels, stretched columns keep
 * their rendered width, so that no other column becomes wider or narrower.
 * @param columns columns of the table, in order
 * @param renderedWidths current widths in pixels, by path
 */
export function resizeColumn(
  columns: readonly ArrangedColumn[],
  { path, change }: { path: string; change: WidthChange },
  renderedWidths: ReadonlyMap<string, number>,
): ColumnChoice[] {
  // The table may not have rendered a chosen width yet.
  const chosenWidth = columns.find((column) => column.path === path && column.isSized)?.width;
  const width = change(chosenWidth ?? renderedWidths.get(path) ?? 0);
  return columns.map((column) => {
    const renderedWidth = renderedWidths.get(column.path) ?? 0;
    if (column.path === path) return width === undefined ? { path } : { path, width: clampWidth(width) };
    if (column.isSized) return { path: column.path, width: column.width };
    const isStretched = width !== undefined && Math.round(renderedWidth) > column.width;
    return isStretched ? { path: column.path, width: clampWidth(renderedWidth) } : { path: column.path };
  });
}

/** Returns an empty list if the choices equal the automatic columns and widths, otherwise the choices. */
export function omitAutomaticColumns(
  choices: readonly ColumnChoice[],
  automaticColumns: readonly { path: string }[],
): readonly ColumnChoice[] {
  const isAutomatic =
    choices.length === automaticColumns.length &&
    choices.every(({ path, width }, index) => width === undefined && path === automaticColumns[index]?.path);
  return isAutomatic ? [] : choices;
}

/** A target outside of the list changes nothing. */
export function moveItem<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return [...items];
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
