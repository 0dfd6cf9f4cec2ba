import type { ColumnType } from './column-types.ts';

export interface CsvColumn {
  /** Name, unique in the file. */
  readonly name: string;
  readonly type: ColumnType;
}

/** Returns unique column names for a header row. `__proto__`, which no record may have as a key, counts as empty. */
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
