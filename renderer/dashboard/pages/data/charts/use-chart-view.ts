import { useState } from 'react';
import type { ChartKind } from '../../../../../server/wire/chart-choices.ts';
import { call } from '../../../../shared/api/client.ts';
import type { EndpointFields } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { useUrlQuery } from '../../../../shared/form/use-url-query.ts';
import { endpointFields } from '../../../api/queries.ts';
import { CHART_PARAMETERS, type ChartView, parseChartView, setChartParameters } from './chart-parameters.ts';

/** Stores the chart that is shown when the URL describes none. */
async function storeView(endpoint: string, view: ChartView): Promise<void> {
  const chart = setChartParameters(view, new URLSearchParams()).toString();
  const fields = await call('PUT /api/v2.6/owner/fields', { query: { endpoint }, body: { chart } });
  queryClient.setQueryData(endpointFields(endpoint).queryKey, fields);
}

/** Always includes the kind, so that the URL describes a chart even with default settings. */
type ChartChange = Partial<ChartView> & { kind: ChartKind };

export function useChartView({ endpoint, chart }: EndpointFields): [ChartView, (change: ChartChange) => void] {
  const [query, setQuery] = useUrlQuery();
  // Read once, so that Back returns to the chart that was shown on arrival, not to the latest choice.
  const [storedView] = useState(() => new URLSearchParams(chart ?? ''));
  const readView = (current: URLSearchParams): ChartView =>
    parseChartView(CHART_PARAMETERS.some((name) => current.has(name)) ? current : storedView);
  const change = (changes: ChartChange) =>
    setQuery(
      (current) => {
        const nextView = { ...readView(current), ...changes };
        // The chart is shown even if storing it fails.
        storeView(endpoint, nextView).catch(() => undefined);
        return setChartParameters(nextView, current);
      },
      { preventScrollReset: true },
    );
  return [readView(query), change];
}
