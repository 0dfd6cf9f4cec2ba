import { type PinnedChart, pinnedChartSchema } from '../../../wire/pinned-charts.ts';
import type { Database, Transaction } from '../../storage/index.ts';

type PinnedChartRow = { id: string; endpoint: string; chart: string };

export const createPinnedChartStore = (db: Database) => {
  const list = db.prepare<[], PinnedChartRow>('SELECT id, endpoint, chart FROM pinned_charts ORDER BY position');
  const clear = db.prepare('DELETE FROM pinned_charts');
  const insert = db.prepare<[PinnedChartRow & { position: number }]>(
    'INSERT INTO pinned_charts (id, position, endpoint, chart) VALUES (:id, :position, :endpoint, :chart)',
  );

  return {
    /** Returns the charts in the owner's order. Omits charts of kinds that this version does not support. */
    list: (): PinnedChart[] =>
      list.all().flatMap(({ chart, ...row }) => {
        const result = pinnedChartSchema.safeParse({ ...row, chart: JSON.parse(chart) as unknown });
        return result.success ? [result.data] : [];
      }),

    replace(_tx: Transaction, charts: readonly PinnedChart[]): void {
      clear.run();
      for (const [position, { id, endpoint, chart }] of charts.entries())
        insert.run({ id, position, endpoint, chart: JSON.stringify(chart) });
    },
  };
};

export type PinnedChartStore = ReturnType<typeof createPinnedChartStore>;
