import { formatCsvHeader, formatCsvRow } from '../../../platform/json/csv-writer.ts';
import { SHARED_CSV_CELL_MAX_CHARS } from '../../../wire/limits.ts';
import type { SharedTable } from '../../../wire/shared-views.ts';
import type { GrantedView, SharedViewReads, TableCell } from '../../sharing/shared-views/index.ts';
import { shortText } from './pages/view-format.ts';

/** Records per chunk. Bounds the memory of a download. */
const CHUNK_RECORDS = 100;

const jsonOf = (cell: TableCell): string => {
  switch (cell.is) {
    case 'text':
    case 'list':
      return JSON.stringify(shortText(cell.text, SHARED_CSV_CELL_MAX_CHARS));
    case 'number':
      return cell.text;
    case 'boolean':
      return JSON.stringify(cell.value);
    case 'object':
    case 'empty':
      return 'null';
  }
};

/**
 * Streams a shared table as CSV. Fails before the next chunk if the guest's right has ended, so that the guest does
 * not mistake a truncated file for a complete one.
 */
export async function* streamSharedCsv(
  view: GrantedView<SharedTable>,
  seqs: readonly number[],
  { csvCells, isAllowed }: Pick<SharedViewReads, 'csvCells'> & { isAllowed: () => boolean },
): AsyncGenerator<string> {
  const { columns } = view.definition;
  // Columns are numbered, because two of them can have the same name.
  const keys = columns.map((_, index) => String(index));
  yield formatCsvHeader(columns.map(({ name }) => name));
  for (let start = 0; start < seqs.length; start += CHUNK_RECORDS) {
    const rows = isAllowed() ? await csvCells(view, seqs.slice(start, start + CHUNK_RECORDS)) : [];
    if (!isAllowed()) throw new Error('the guest may no longer read the table');
    yield rows
      .map(({ cells }) => formatCsvRow(`{${cells.map((cell, key) => `"${key}":${jsonOf(cell)}`).join(',')}}`, keys))
      .join('');
  }
}
