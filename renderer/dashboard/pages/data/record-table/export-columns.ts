import { shareableName } from '../../../shared-views/shared-view.ts';
import type { Column } from '../records/columns.ts';

export interface ExportedColumn {
  path: string;
  /** Heading in a CSV table. */
  name: string;
}

/** Appends the path to headings that are not unique. */
export function exportedColumns(columns: readonly Pick<Column, 'path' | 'label'>[]): ExportedColumn[] {
  const names = columns.map(({ path, label }, index) => shareableName(label, shareableName(path, String(index + 1))));
  return columns.map(({ path }, index) => {
    const name = names[index] ?? path;
    const isUnique = names.filter((other) => other === name).length === 1;
    return { path, name: isUnique ? name : shareableName(`${name} (${path})`, name) };
  });
}
