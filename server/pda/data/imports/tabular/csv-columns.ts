import type { ColumnType } from './column-types.ts';

export interface CsvColumn {
  /** Name, unique in the file. */
  readonly name: string;
  readonly type: ColumnType;
}

/** Returns unique column names for a header row. `__proto__`, which no record may have as a key, counts as empty. */
export function columnNamesOf(header: readonly string[]): string[] {
  const headings = header.map((cell) => cell.trim());
  const headingSet = new Set(headings);
  const usedNames = new Set<string>();
  return headings.map((name, index) => {
    const base = name === '' || name === '__proto__' ? `column_${index + 1}` : name;
    let uniqueName = base;
    // A numbered name must also differ from later names in the header.
    for (let number = 2; usedNames.has(uniqueName) || (uniqueName !== name && headingSet.has(uniqueName)); number += 1)
      uniqueName = `${base}_${number}`;
    usedNames.add(uniqueName);
    return uniqueName;
  });
}
