import type { Clock } from '../../../platform/clock.ts';
import type { ChartBucket, ChartDistribution, ChartValueCounts } from '../../../wire/charts.ts';
import type { EndpointFields } from '../../../wire/fields.ts';
import { SHARED_CELL_MAX_CHARS, SHARED_CSV_CELL_MAX_CHARS, SHARED_CSV_MAX_RECORDS } from '../../../wire/limits.ts';
import type { SharedChartSettings, SharedTable } from '../../../wire/shared-views.ts';
import type { ChartService } from '../../data/queries/charts/service.ts';
import type { TableCells } from '../../data/queries/table/cells.ts';
import type { TableService } from '../../data/queries/table/service.ts';
import { bucketValue, firstDayOf } from './rules.ts';
import type { GrantedView } from './service.ts';

/** One page of a shared table. `total`: number of matching records. */
export type SharedTablePage = { rows: TableCells[]; total: number };

/** The values of a shared chart. `isComplete`: false if older records are left out. */
export type SharedChartValues =
  | { kind: 'time'; per: ChartBucket; points: { start: string; value: number }[]; isComplete: boolean }
  | { kind: 'distribution'; bins: ChartDistribution['bins'] }
  | { kind: 'values'; values: ChartValueCounts['values']; others: number };

/**
 * Reads what users see of shared tables and charts, in the reader thread of non-owners. All methods throw Failure
 * query_limit_exceeded if a read exceeds its limits, and not_found if the endpoint was deleted in the meantime.
 */
export type SharedViewReads = {
  page(view: GrantedView<SharedTable>, page: { skip: number; take: number }): Promise<SharedTablePage>;
  /** Returns the sequence numbers of the records of the CSV file, in order; undefined if there are too many. */
  csvRecords(view: GrantedView<SharedTable>): Promise<number[] | undefined>;
  /** Returns the cells of at most 1,000 records of the CSV file. */
  csvCells(view: GrantedView<SharedTable>, seqs: readonly number[]): Promise<TableCells[]>;
  chart(endpoint: string, chart: SharedChartSettings): Promise<SharedChartValues>;
};

export const createSharedViewReads = (parts: {
  table: Pick<TableService, 'page' | 'cells'>;
  charts: Pick<ChartService, 'wholeSeries' | 'distribution' | 'valueCounts'>;
  /** Returns the types of an endpoint's fields. */
  fieldsOf: (endpoint: string) => Promise<EndpointFields>;
  clock: Clock;
  timeZone: () => string;
}): SharedViewReads => {
  const { table, charts, fieldsOf, clock, timeZone } = parts;

  const cellsOf = (
    { endpoint, definition }: GrantedView<SharedTable>,
    seqs: readonly number[],
    maxChars: number,
  ): Promise<TableCells[]> => {
    const paths = definition.columns.map(({ path }) => path);
    return table.cells(endpoint, definition.selection, seqs, { paths, maxChars });
  };

  const timeValues = async (
    endpoint: string,
    { time, field, per, aggregation, lastDays }: SharedChartSettings & { kind: 'time' },
  ): Promise<SharedChartValues> => {
    const { fields } = await fieldsOf(endpoint);
    const format = fields.find(({ path }) => path === time)?.timeFormat ?? 'iso';
    const since = lastDays === undefined ? undefined : firstDayOf(lastDays, clock.now(), timeZone());
    const request = { endpoint, time: time === undefined ? undefined : { path: time, format }, value: field, per };
    const { buckets, isComplete } = await charts.wholeSeries(request, since);
    const points = buckets.flatMap((bucket) => {
      const value = bucketValue(bucket, aggregation);
      return value === null ? [] : { start: bucket.start, value };
    });
    return { kind: 'time', per, points, isComplete };
  };

  return {
    async page(view, page) {
      const { seqs, total } = await table.page(view.endpoint, view.definition.selection, page);
      return { rows: await cellsOf(view, seqs, SHARED_CELL_MAX_CHARS), total };
    },

    async csvRecords({ endpoint, definition }) {
      const { seqs } = await table.page(endpoint, definition.selection, { skip: 0, take: SHARED_CSV_MAX_RECORDS + 1 });
      return seqs.length > SHARED_CSV_MAX_RECORDS ? undefined : seqs;
    },

    csvCells: (view, seqs) => cellsOf(view, seqs, SHARED_CSV_CELL_MAX_CHARS),

    async chart(endpoint, chart) {
      switch (chart.kind) {
        case 'time':
          return timeValues(endpoint, chart);
        case 'distribution': {
          const { bins } = await charts.distribution(endpoint, chart.field);
          return { kind: 'distribution', bins };
        }
        case 'values': {
          const { values, distinct } = await charts.valueCounts(endpoint, chart.field);
          return { kind: 'values', values, others: Math.max(0, distinct - values.length) };
        }
      }
    },
  };
};
