import { useQuery } from '@tanstack/react-query';
import type { BrowsedRecord, EndpointFields, EndpointSummary } from '../../../../shared/api/contract.ts';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { endpointFields } from '../../../api/queries.ts';
import { valueAt } from '../records/columns.ts';
import { ChartControls } from './chart-controls.tsx';
import { DrawnChart } from './drawn-chart.tsx';
import { PinButton } from './pin-button.tsx';
import { resolveChart } from './resolve-chart.ts';
import { type RecordFacts, suggestCharts } from './suggest.ts';
import type { ChartView } from './chart-parameters.ts';
import { useChartView } from './use-chart-view.ts';

const DAY_MS = 86_400_000;

interface EndpointChartProps {
  summary: EndpointSummary;
  /** Some records, to find texts with few distinct values. */
  sample: readonly BrowsedRecord[];
  onOpen: (recordId: string) => void;
}

/** Chart of the records of an endpoint, with its controls. */
export function EndpointChart({ summary, sample, onOpen }: EndpointChartProps) {
  const fields = useQuery(endpointFields(summary.endpoint));
  if (fields.isPending) return <LoadingSkeleton rows={8} height={32} />;
  if (fields.data === undefined) return <LoadError error={fields.error} retry={() => void fields.refetch()} />;
  return <ChartOfFields summary={summary} sample={sample} onOpen={onOpen} fields={fields.data} />;
}

function ChartOfFields({ summary, sample, onOpen, fields }: EndpointChartProps & { fields: EndpointFields }) {
  const { endpoint } = summary;
  const [view, setView] = useChartView(fields);
  const chart = resolveChart(view, fields.fields, suggestCharts(fields.fields, factsOf(summary, sample)));
  const change = (changes: Partial<ChartView>) => setView({ ...changes, kind: changes.kind ?? chart.kind });
  return (
    <>
      <ChartControls chart={chart} connect={view.connect} change={change} />
      <DrawnChart
        chart={chart}
        view={view}
        change={change}
        summary={summary}
        frame={{
          place: 'page',
          asTable: view.asTable,
          onAsTable: (asTable) => change({ asTable }),
          onOpen,
          renderActions: (settings) => <PinButton endpoint={endpoint} settings={settings} />,
        }}
      />
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
