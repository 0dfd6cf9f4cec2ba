import { useQuery } from '@tanstack/react-query';
import type { BrowsedRecord, EndpointFields, EndpointSummary } from '../../../../shared/api/contract.ts';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { endpointFields } from '../../../api/queries.ts';
import { valueAt } from '../records/columns.ts';
import { ChartControls } from './chart-controls.tsx';
import { OverTime } from './over-time.tsx';
import { resolveChart } from './resolve-chart.ts';
import { type RecordFacts, suggestCharts } from './suggest.ts';
import { type ChartView, useChartView } from './use-chart-view.ts';
import { DistributionChart, PointsChart, ValuesChart } from './value-charts.tsx';

const DAY_MS = 86_400_000;
/** With at most this many records, a chart follows each change. Larger ones are read again only when they are opened. */
const LIVE_RECORDS = 100_000;

interface EndpointChartProps {
  summary: EndpointSummary;
  /** Some records, to see which texts have few different values. */
  sample: readonly BrowsedRecord[];
}

/** Chart of the records of an endpoint. */
export function EndpointChart({ summary, sample }: EndpointChartProps) {
  const fields = useQuery(endpointFields(summary.endpoint));
  if (fields.isPending) return <LoadingSkeleton rows={8} height={32} />;
  if (fields.data === undefined) return <LoadError error={fields.error} retry={() => void fields.refetch()} />;
  return <ChartOfFields summary={summary} sample={sample} fields={fields.data} />;
}

function ChartOfFields({ summary, sample, fields }: EndpointChartProps & { fields: EndpointFields }) {
  const { endpoint, records: total } = summary;
  const [view, setView] = useChartView(fields);
  const all = fields.fields;
  const chart = resolveChart(view, all, suggestCharts(all, factsOf(summary, sample)));
  const change = (changes: Partial<ChartView>) => setView({ ...changes, kind: changes.kind ?? chart.kind });
  const revision = total <= LIVE_RECORDS ? `${total} ${summary.lastChange ?? ''}` : '';
  const { field, second } = chart;
  const shared = {
    endpoint,
    total,
    revision,
    asTable: view.asTable,
    onAsTable: (asTable: boolean) => change({ asTable }),
  };
  return (
    <>
      <ChartControls chart={chart} change={change} />
      {(chart.kind === 'time' || chart.kind === 'heat') && (
        <OverTime chart={chart} view={view} change={change} summary={summary} revision={revision} />
      )}
      {chart.kind === 'distribution' && field !== undefined && <DistributionChart {...shared} field={field} />}
      {chart.kind === 'values' && field !== undefined && <ValuesChart {...shared} field={field} />}
      {chart.kind === 'scatter' && field !== undefined && second !== undefined && (
        <PointsChart {...shared} field={field} second={second} />
      )}
    </>
  );
}

function factsOf({ firstRecord, lastRecord }: EndpointSummary, sample: readonly BrowsedRecord[]): RecordFacts {
  return {
    storedDays:
      firstRecord === null || lastRecord === null ? 0 : (Date.parse(lastRecord) - Date.parse(firstRecord)) / DAY_MS,
    distinctValues: (path) =>
      sample.length === 0 ? undefined : new Set(sample.map(({ data }) => JSON.stringify(valueAt(data, path)))).size,
  };
}
