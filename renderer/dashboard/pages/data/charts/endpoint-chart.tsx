import { useQuery } from '@tanstack/react-query';
import type { EndpointFields, EndpointSummary } from '../../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { endpointFields } from '../../../api/queries.ts';
import { ShareChart } from '../../../shared-views/share-chart.tsx';
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
  onOpen: (recordId: string) => void;
}

export function EndpointChart({ summary, onOpen }: EndpointChartProps) {
  const fields = useQuery(endpointFields(summary.endpoint));
  if (fields.data === undefined) return <QueryBoundary query={fields} rows={8} height={32} />;
  return <LoadedChart summary={summary} onOpen={onOpen} fields={fields.data} />;
}

function LoadedChart({ summary, onOpen, fields }: EndpointChartProps & { fields: EndpointFields }) {
  const { endpoint } = summary;
  const [view, setView] = useChartView(fields);
  const chart = resolveChart(view, fields.fields, suggestCharts(fields.fields, factsOf(summary, fields)));
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
          location: 'page',
          isTableShown: view.isTableShown,
          setIsTableShown: (isTableShown) => change({ isTableShown }),
          onOpen,
          renderActions: (settings, title) => (
            <>
              <PinButton endpoint={endpoint} settings={settings} />
              <ShareChart endpoint={endpoint} endpointName={summary.name} title={title} settings={settings} />
            </>
          ),
        }}
      />
    </>
  );
}

function factsOf({ firstRecord, lastRecord }: EndpointSummary, { sampled }: EndpointFields): RecordFacts {
  const storageSpanMs =
    firstRecord === null || lastRecord === null ? 0 : Date.parse(lastRecord) - Date.parse(firstRecord);
  return { storedDays: storageSpanMs / DAY_MS, sampled };
}
