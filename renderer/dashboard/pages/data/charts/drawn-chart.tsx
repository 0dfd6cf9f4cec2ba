import { type CSSProperties, Suspense, lazy } from 'react';
import type { EndpointSummary } from '../../../../shared/api/contract.ts';
import { LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { choiceColour } from '../endpoints/endpoint-icon.tsx';
import { CalendarChart } from './calendar/calendar-chart.tsx';
import type { ChartFrame } from './chart-figure.tsx';
import { ChartOverTime } from './chart-over-time.tsx';
import type { ResolvedChart } from './resolve-chart.ts';
import type { ChartView } from './chart-parameters.ts';
import { DistributionChart, PointsChart, ValuesChart } from './value-charts.tsx';
import classes from './charts.module.css';

/** The map library is larger than all other charts, so it is loaded separately. */
const MapChart = lazy(async () => ({ default: (await import('./map/map-chart.tsx')).MapChart }));
/** Few charts are galleries, so their code is loaded separately. */
const GalleryChart = lazy(async () => ({ default: (await import('./gallery/gallery-chart.tsx')).GalleryChart }));

/** Charts of more records are not refetched after each change. */
const MAX_LIVE_RECORDS = 100_000;

interface DrawnChartProps {
  chart: ResolvedChart;
  view: ChartView;
  /** Undefined for a chart without controls. */
  change?: (change: Partial<ChartView>) => void;
  summary: EndpointSummary;
  frame: ChartFrame;
}

/** Draws a chart in the owner's colour for the field, or else for the endpoint or its source. */
export function DrawnChart(props: DrawnChartProps) {
  const { chart, summary } = props;
  const colour = chart.field?.colour ?? summary.colour;
  if (colour === undefined) return <Drawing {...props} />;
  return (
    <div
      // A map reads its colours only when it is created.
      key={colour}
      className={classes.colourScope}
      data-colour={colour}
      style={{ '--chosen-colour': choiceColour(colour) } as CSSProperties}
    >
      <Drawing {...props} />
    </div>
  );
}

function Drawing({ chart, view, change, summary, frame }: DrawnChartProps) {
  const { endpoint, records: total, lastChange } = summary;
  const { kind, field, second, time } = chart;
  const revision = total <= MAX_LIVE_RECORDS ? `${total} ${lastChange ?? ''}` : '';
  const sharedProps = { endpoint, total, revision, frame };
  if (kind === 'time' || kind === 'heat')
    return (
      <ChartOverTime chart={chart} view={view} change={change} summary={summary} revision={revision} frame={frame} />
    );
  if (kind === 'calendar')
    return time === undefined ? null : (
      <CalendarChart {...sharedProps} chart={{ ...chart, time }} view={view} change={change} />
    );
  if (field === undefined) return null;
  if (kind === 'gallery')
    return (
      <Suspense fallback={<LoadingSkeleton rows={8} height={32} />}>
        <GalleryChart {...sharedProps} chart={{ ...chart, field }} />
      </Suspense>
    );
  if (kind === 'map')
    return (
      <Suspense fallback={<LoadingSkeleton rows={8} height={32} />}>
        <MapChart {...sharedProps} chart={{ ...chart, field }} view={view} change={change} />
      </Suspense>
    );
  if (kind === 'distribution') return <DistributionChart {...sharedProps} field={field} />;
  if (kind === 'values') return <ValuesChart {...sharedProps} field={field} />;
  return second === undefined ? null : <PointsChart {...sharedProps} field={field} second={second} />;
}
