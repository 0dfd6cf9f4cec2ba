import { randomUUID } from 'node:crypto';
import { MAX_PINNED_CHARTS } from '../../../wire/limits.ts';
import type { PinnedChart, PinnedChartsChange } from '../../../wire/pinned-charts.ts';
import type { EndpointStore } from '../../core/endpoint-store.ts';
import type { Writer } from '../../storage/index.ts';
import type { PinnedChartStore } from './store.ts';

export type PinnedChartService = ReturnType<typeof createPinnedChartService>;

export const createPinnedChartService = (parts: {
  store: PinnedChartStore;
  endpoints: Pick<EndpointStore, 'summary'>;
  writer: Writer;
}) => {
  const { store, endpoints, writer } = parts;

  const hasRecords = ({ endpoint }: PinnedChart): boolean => (endpoints.summary(endpoint)?.records ?? 0) > 0;
  /** Returns the charts in the owner's order, without charts of endpoints that have no records. */
  const list = (): PinnedChart[] => store.list().filter(hasRecords).slice(0, MAX_PINNED_CHARTS);

  return {
    list,

    /** Replaces and returns the charts. Those of endpoints without records are kept if the list has room for them. */
    async replace(charts: PinnedChartsChange): Promise<PinnedChart[]> {
      const visibleCharts = charts.map(({ id = randomUUID(), endpoint, chart }) => ({ id, endpoint, chart }));
      const ids = new Set(visibleCharts.map(({ id }) => id));
      await writer.write((tx) => {
        // Clients do not see the charts of endpoints without records. These are kept, because the deletion of an
        // endpoint can be undone.
        const hiddenCharts = store.list().filter((chart) => !ids.has(chart.id) && !hasRecords(chart));
        store.replace(tx, [...visibleCharts, ...hiddenCharts].slice(0, MAX_PINNED_CHARTS));
      });
      return list();
    },
  };
};
