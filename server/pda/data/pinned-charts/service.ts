import { randomUUID } from 'node:crypto';
import { MAX_PINNED_CHARTS } from '../../../wire/limits.ts';
import type { PinnedChart, PinnedChartsChange } from '../../../wire/pinned-charts.ts';
import type { EndpointStore } from '../../core/endpoint-store.ts';
import type { Writer } from '../../storage/index.ts';
import type { PinnedChartStore } from './store.ts';

export type PinnedChartService = {
  /** Returns the pinned charts of endpoints that have records, in the owner's order. */
  list(): PinnedChart[];
  /**
   * Replaces the list and returns the new list. Charts without an id get one. Charts of endpoints without records are
   * kept while there is space.
   */
  replace(charts: PinnedChartsChange): Promise<PinnedChart[]>;
};

export const createPinnedChartService = (parts: {
  store: PinnedChartStore;
  endpoints: Pick<EndpointStore, 'summary'>;
  writer: Writer;
}): PinnedChartService => {
  const { store, endpoints, writer } = parts;

  const hasRecords = ({ endpoint }: PinnedChart): boolean => (endpoints.summary(endpoint)?.records ?? 0) > 0;
  const list = (): PinnedChart[] => store.all().filter(hasRecords).slice(0, MAX_PINNED_CHARTS);

  return {
    list,

    async replace(charts) {
      const visibleCharts = charts.map(({ id = randomUUID(), endpoint, chart }) => ({ id, endpoint, chart }));
      const ids = new Set(visibleCharts.map(({ id }) => id));
      await writer.write((tx) => {
        // Clients do not see charts of endpoints without records. The deletion of an endpoint can be undone.
        const hiddenCharts = store.all().filter((chart) => !ids.has(chart.id) && !hasRecords(chart));
        store.replace(tx, [...visibleCharts, ...hiddenCharts].slice(0, MAX_PINNED_CHARTS));
      });
      return list();
    },
  };
};
