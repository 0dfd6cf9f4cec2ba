// Rows of a virtualised grid. Virtual scrolling needs rows of equal height, so a grid with rows of different heights is
// divided into units: a heading is one unit, a row of items is several.

/** A row in the DOM. `unit`: its first unit; `number`: its position among all rows, from 0. */
type PlacedRow = { unit: number; number: number } & (
  | { kind: 'items'; first: number; last: number }
  | { kind: 'heading'; group: number }
);

/** Items and units are numbered from 0. */
export interface GridRows {
  unitCount: number;
  rowCount: number;
  unitsPerRow: number;
  /** First unit of the row that contains the item. */
  unitOf: (index: number) => number;
  /** First item of the row at a unit; for a heading, the item after it. */
  firstAt: (unit: number) => number;
  /** Last item of the row at a unit; for a heading, the item before it. */
  lastAt: (unit: number) => number;
  /**
   * Item in the same column of the row above, or the last item of that row if it is too short; the item itself if there
   * is no row above.
   */
  above: (index: number) => number;
  /** Like `above`, for the row below. In `evenRows`, a row below that is too short also results in the item itself. */
  below: (index: number) => number;
  /** Returns rows with at least one unit in the range, both ends included. */
  between: (firstUnit: number, lastUnit: number) => PlacedRow[];
}

/** Arranges items without headings. Each row is one unit. */
export function evenRows(total: number, columns: number): GridRows {
  const rowCount = Math.ceil(total / columns);
  const rowOf = (index: number): number => Math.floor(index / columns);
  const lastAt = (row: number): number => Math.min(total, (row + 1) * columns) - 1;
  return {
    unitCount: rowCount,
    rowCount,
    unitsPerRow: 1,
    unitOf: rowOf,
    firstAt: (row) => row * columns,
    lastAt,
    above: (index) => (index - columns >= 0 ? index - columns : index),
    below: (index) => (index + columns <= total - 1 ? index + columns : index),
    between: (first, last) =>
      Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
        const row = first + index;
        return { kind: 'items', unit: row, number: row, first: row * columns, last: lastAt(row) };
      }),
  };
}

interface Group {
  first: number;
  count: number;
  headingUnit: number;
  /** Position of the heading among all rows. */
  headingRow: number;
  /** Excludes the heading. */
  rowCount: number;
}

/**
 * Arranges items in groups, each with a heading.
 * @param sizes number of items per group
 * @param total number of items. The groups are adjusted to it, because `sizes` and `total` are loaded separately
 */
export function groupedRows(
  sizes: readonly number[],
  { total, columns, unitsPerRow }: { total: number; columns: number; unitsPerRow: number },
): GridRows {
  const groups: Group[] = [];
  let [first, unit, row] = [0, 0, 0];
  for (const [index, size] of sizes.entries()) {
    const count = index === sizes.length - 1 ? total - first : Math.min(size, total - first);
    if (count <= 0) break;
    const rowsOfGroup = Math.ceil(count / columns);
    groups.push({ first, count, headingUnit: unit, headingRow: row, rowCount: rowsOfGroup });
    first += count;
    unit += 1 + rowsOfGroup * unitsPerRow;
    row += 1 + rowsOfGroup;
  }
  const findLastGroupIndex = (condition: (group: Group) => boolean): number =>
    Math.max(0, groups.findLastIndex(condition));
  const groupOf = (index: number): Group | undefined => groups[findLastGroupIndex((group) => group.first <= index)];
  const endOf = (group: Group): number => group.first + group.count - 1;
  /** Returns -1 for the heading. */
  const rowAt = (group: Group, unitIndex: number): number =>
    Math.ceil((unitIndex - group.headingUnit) / unitsPerRow) - 1;
  const itemsOf = (group: Group, rowInGroup: number): { first: number; last: number } => {
    const start = group.first + rowInGroup * columns;
    return { first: start, last: Math.min(start + columns - 1, endOf(group)) };
  };

  const unitOf = (index: number): number => {
    const group = groupOf(index);
    return group === undefined ? 0 : group.headingUnit + 1 + Math.floor((index - group.first) / columns) * unitsPerRow;
  };
  return {
    unitCount: unit,
    rowCount: row,
    unitsPerRow,
    unitOf,
    firstAt(unitIndex) {
      const group = groups[findLastGroupIndex((candidate) => candidate.headingUnit <= unitIndex)];
      return group === undefined ? 0 : itemsOf(group, Math.max(0, rowAt(group, unitIndex))).first;
    },
    lastAt(unitIndex) {
      const group = groups[findLastGroupIndex((candidate) => candidate.headingUnit <= unitIndex)];
      if (group === undefined) return -1;
      const rowInGroup = rowAt(group, unitIndex);
      return rowInGroup < 0 ? group.first - 1 : itemsOf(group, Math.min(rowInGroup, group.rowCount - 1)).last;
    },
    above(index) {
      const group = groupOf(index);
      if (group === undefined) return index;
      if (index - columns >= group.first) return index - columns;
      const previous = groups[groups.indexOf(group) - 1];
      if (previous === undefined) return index;
      const column = (index - group.first) % columns;
      return Math.min(itemsOf(previous, previous.rowCount - 1).first + column, endOf(previous));
    },
    below(index) {
      const group = groupOf(index);
      if (group === undefined) return index;
      const column = (index - group.first) % columns;
      const rowInGroup = Math.floor((index - group.first) / columns);
      if (rowInGroup < group.rowCount - 1) return Math.min(index + columns, endOf(group));
      const next = groups[groups.indexOf(group) + 1];
      return next === undefined ? index : Math.min(next.first + column, endOf(next));
    },
    between: (firstUnit, lastUnit) =>
      groups.flatMap((group, groupIndex): PlacedRow[] => {
        if (group.headingUnit > lastUnit || group.headingUnit + group.rowCount * unitsPerRow < firstUnit) return [];
        const firstRow = Math.max(0, rowAt(group, firstUnit));
        const lastRow = Math.min(group.rowCount - 1, rowAt(group, lastUnit));
        const heading: PlacedRow[] =
          group.headingUnit >= firstUnit
            ? [{ kind: 'heading', unit: group.headingUnit, number: group.headingRow, group: groupIndex }]
            : [];
        const rows = Array.from({ length: Math.max(0, lastRow - firstRow + 1) }, (_, index): PlacedRow => {
          const rowInGroup = firstRow + index;
          const rowUnit = group.headingUnit + 1 + rowInGroup * unitsPerRow;
          return {
            kind: 'items',
            unit: rowUnit,
            number: group.headingRow + 1 + rowInGroup,
            ...itemsOf(group, rowInGroup),
          };
        });
        return [...heading, ...rows];
      }),
  };
}
