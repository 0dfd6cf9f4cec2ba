import { useState } from 'react';
import type { ChartKind } from '../../../../../server/wire/chart-choices.ts';
import { call } from '../../../../shared/api/client.ts';
import type { EndpointFields } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { useUrlQuery } from '../../../../shared/form/use-url-query.ts';
import { endpointFields } from '../../../api/queries.ts';
import { CHART_PARAMETERS, type ChartView, readChartView, writeChartView } from './chart-parameters.ts';

/** Stores the chart at the PDA. Without a connection, it is shown but not remembered. */
async function remember(endpoint: string, view: ChartView): Promise<void> {
  const chart = writeChartView(view, new URLSearchParams()).toString();
  const fields = await call('PUT /api/v2.6/owner/fields', { query: { endpoint }, body: { chart } });
  queryClient.setQueryData(endpointFields(endpoint).queryKey, fields);
}

/** A change names the kind of the shown chart, so that the URL describes a chart even if all else is the default. */
export type ChartChange = Partial<ChartView> & { kind: ChartKind };

export function useChartView({ endpoint, chart }: EndpointFields): [ChartView, (change: ChartChange) => void] {
  const [query, setQuery] = useUrlQuery();
  // Read once: Back returns to the chart that was shown on arrival, not to the latest choice.
  const [remembered] = useState(() => new URLSearchParams(chart ?? ''));
  const viewIn = (current: URLSearchParams): ChartView =>
    readChartView(CHART_PARAMETERS.some((name) => current.has(name)) ? current : remembered);
  const change = (changes: ChartChange) =>
    setQuery(
      (current) => {
        const next = { ...viewIn(current), ...changes };
        remember(endpoint, next).catch(() => undefined);
        return writeChartView(next, current);
      },
      { preventScrollReset: true },
    );
  return [viewIn(query), change];
}
