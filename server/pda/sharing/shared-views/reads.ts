import { SHARED_CELL_MAX_CHARS, SHARED_CSV_CELL_MAX_CHARS, SHARED_CSV_MAX_RECORDS } from '../../../wire/limits.ts';
import type { SharedTable } from '../../../wire/shared-views.ts';
import type { TableCells } from '../../data/queries/table/cells.ts';
import type { TableService } from '../../data/queries/table/service.ts';
import { createSharedChartReader, type ChartReadParts } from './chart-reads.ts';
import type { GrantedView } from './service.ts';

/** `total` counts all matching records. */
type SharedTablePage = { rows: TableCells[]; total: number };

/**
 * Reads shared tables and charts. All methods throw Failure query_limit_exceeded if the read exceeds its limits. If the
 * endpoint was deleted in the meantime, `chart` throws Failure not_found, and the other methods return no records.
 */
export type SharedViewReads = ReturnType<typeof createSharedChartReader> & {
  page(view: GrantedView<SharedTable>, page: { skip: number; take: number }): Promise<SharedTablePage>;
  /** Returns the sequence numbers of the CSV file's records, in order; undefined if there are too many records. */
  csvSeqs(view: GrantedView<SharedTable>): Promise<number[] | undefined>;
  /** @param seqs at most 1,000 records */
  csvCells(view: GrantedView<SharedTable>, seqs: readonly number[]): Promise<TableCells[]>;
};

export const createSharedViewReads = (
  parts: ChartReadParts & { table: Pick<TableService, 'page' | 'cells'> },
): SharedViewReads => {
  const { table } = parts;

  const cellsOf = (
    { endpoint, definition }: GrantedView<SharedTable>,
    seqs: readonly number[],
    maxChars: number,
  ): Promise<TableCells[]> => {
    const paths = definition.columns.map(({ path }) => path);
    return table.cells(endpoint, definition.selection, seqs, { paths, maxChars });
  };

  return {
    ...createSharedChartReader(parts),

    async page(view, page) {
      const { seqs, total } = await table.page(view.endpoint, view.definition.selection, page);
      return { rows: await cellsOf(view, seqs, SHARED_CELL_MAX_CHARS), total };
    },

    async csvSeqs({ endpoint, definition }) {
      const { seqs } = await table.page(endpoint, definition.selection, { skip: 0, take: SHARED_CSV_MAX_RECORDS + 1 });
      return seqs.length > SHARED_CSV_MAX_RECORDS ? undefined : seqs;
    },

    csvCells: (view, seqs) => cellsOf(view, seqs, SHARED_CSV_CELL_MAX_CHARS),
  };
};
