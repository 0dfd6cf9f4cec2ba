import { BarChart, ScatterChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { useQuery } from '@tanstack/react-query';
import type { ChartDistribution, ChartPoints, ChartValueCounts } from '../../../../../server/wire/charts.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import { number } from '../../../../shared/format/format.ts';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { chartDistribution, chartPoints, chartValues } from '../../../api/charts.ts';
import { ChartFigure, type ChartFrame } from './chart-figure.tsx';
import { boundText, fieldText, valueText } from './chart-text.ts';
import { axisProps, extremesOf } from './time-chart.tsx';

const texts = m.charts;
const MAX_DRAWN_VALUES = 20;
const MAX_DRAWN_VALUES_ON_HOME = 6;
const MAX_DRAWN_POINTS = 1000;
const MAX_LABEL_CHARS = 19;
const ROW_HEIGHT_PX = 28;
const AXIS_HEIGHT_PX = 48;
const LABEL_WIDTH_PX = 140;
/** Space for the right half of the last tick label. */
const LAST_TICK_MARGIN_PX = 24;

interface ValueChartProps {
  endpoint: string;
  field: Field;
  total: number;
  revision: string;
  frame: ChartFrame;
}

const excludedNotes = (excluded: number, text: (n: number, total: number) => string, total: number): string[] =>
  excluded === 0 ? [] : [text(excluded, Math.max(total, excluded))];

export function DistributionChart({ endpoint, field, total, revision, frame }: ValueChartProps) {
  const query = useQuery(chartDistribution(endpoint, field.path, revision));
  if (query.isPending || query.isError) return <QueryBoundary query={query} rows={8} height={32} />;
  const { bins, excluded }: ChartDistribution = query.data;
  const title = texts.distributionOf(field.name);
  const binWidth = bins[0] === undefined ? 0 : bins[0].to - bins[0].from;
  const rangeOf = ({ from, to }: { from: number; to: number }) =>
    from === to
      ? boundText(from, binWidth, field)
      : texts.binRange(boundText(from, binWidth, field), boundText(to, binWidth, field));
  return (
    <ChartFigure
      frame={frame}
      settings={{ kind: 'distribution', field: field.path }}
      title={title}
      summary={title}
      notes={excludedNotes(excluded, texts.noNumber, total)}
      table={{
        columns: [fieldText(field), texts.records],
        rows: bins.map((bin) => [rangeOf(bin), number(bin.count)]),
      }}
    >
      <BarChart
        {...axisProps(extremesOf(bins.map(({ count }) => count)), texts.records, frame.location === 'home')}
        data={bins.map(({ from, count }) => ({ from, value: count }))}
        dataKey="from"
        xAxisLabel={withoutBidiControls(fieldText(field))}
        xAxisProps={{ tickFormatter: (from: number) => boundText(from, binWidth, field), minTickGap: 16 }}
        tooltipProps={{
          labelFormatter: (from: unknown) =>
            bins
              .filter((bin) => bin.from === from)
              .map(rangeOf)
              .join(),
        }}
        series={[{ name: 'value', label: texts.records, color: 'var(--chart-in)' }]}
        barChartProps={{ accessibilityLayer: false, barCategoryGap: 1 }}
      />
    </ChartFigure>
  );
}

/** Returns the label of a value. Booleans arrive as strings. */
function labelOfValue(value: string | number | null): string {
  if (value === null) return texts.noValue;
  return value === '' ? texts.emptyValue : withoutBidiControls(String(value));
}

export function ValuesChart({ endpoint, field, total, revision, frame }: ValueChartProps) {
  const query = useQuery(chartValues(endpoint, field.path, revision));
  if (query.isPending || query.isError) return <QueryBoundary query={query} rows={8} height={32} />;
  const { values, distinct, excluded }: ChartValueCounts = query.data;
  const drawnValues = values.slice(0, frame.location === 'home' ? MAX_DRAWN_VALUES_ON_HOME : MAX_DRAWN_VALUES);
  const countedRecords = values.reduce((sum, { count }) => sum + count, 0);
  const uncountedRecords = distinct > values.length ? Math.max(0, total - excluded - countedRecords) : 0;
  const title = texts.valuesOf(field.name);
  return (
    <ChartFigure
      frame={frame}
      settings={{ kind: 'values', field: field.path }}
      title={title}
      summary={title}
      notes={[
        ...(distinct > drawnValues.length ? [texts.mostFrequentOnly(distinct)] : []),
        ...(uncountedRecords > 0 ? [texts.notCounted(uncountedRecords)] : []),
        ...excludedNotes(excluded, texts.listValues, total),
      ]}
      table={{
        columns: [field.name, texts.records],
        rows: values.map(({ value, count }) => [labelOfValue(value), number(count)]),
      }}
    >
      <BarChart
        h={drawnValues.length * ROW_HEIGHT_PX + AXIS_HEIGHT_PX}
        orientation="vertical"
        // A number and a string can have the same label, so rows are identified by position.
        data={drawnValues.map(({ count }, index) => ({ index, value: count }))}
        dataKey="index"
        valueFormatter={number}
        gridAxis="none"
        tickLine="none"
        yAxisProps={{
          width: LABEL_WIDTH_PX,
          interval: 0,
          tickFormatter: (index: number) => truncateLabel(labelOfValue(drawnValues[index]?.value ?? null)),
        }}
        xAxisProps={{ allowDecimals: false }}
        tooltipProps={{
          labelFormatter: (index: unknown) => truncateLabel(labelOfValue(drawnValues[Number(index)]?.value ?? null)),
        }}
        series={[{ name: 'value', label: texts.records, color: 'var(--chart-in)' }]}
        barChartProps={{ accessibilityLayer: false, margin: { right: LAST_TICK_MARGIN_PX } }}
      />
    </ChartFigure>
  );
}

function truncateLabel(text: string): string {
  return text.length > MAX_LABEL_CHARS ? `${text.slice(0, MAX_LABEL_CHARS - 1)}…` : text;
}

export function PointsChart({ endpoint, field, second, total, revision, frame }: ValueChartProps & { second: Field }) {
  const query = useQuery(chartPoints(endpoint, field.path, second.path, revision));
  if (query.isPending || query.isError) return <QueryBoundary query={query} rows={8} height={32} />;
  const { points, total: pairCount, excluded }: ChartPoints = query.data;
  const samplingStep = Math.ceil(points.length / MAX_DRAWN_POINTS);
  const drawnPoints = points.filter((_, index) => index % Math.max(1, samplingStep) === 0);
  const title = texts.scatterTitle(field.name, second.name);
  const axes = axisProps(
    extremesOf(drawnPoints.map(({ y }) => y)),
    fieldText(second),
    frame.location === 'home',
    second,
  );
  return (
    <ChartFigure
      frame={frame}
      settings={{ kind: 'scatter', field: field.path, second: second.path }}
      title={title}
      summary={title}
      notes={[
        ...(drawnPoints.length < pairCount ? [texts.sample(drawnPoints.length, pairCount)] : []),
        ...excludedNotes(excluded, texts.noNumber, total),
      ]}
      table={{
        columns: [fieldText(field), fieldText(second)],
        rows: drawnPoints.map(({ x, y }) => [valueText(x, field), valueText(y, second)]),
      }}
    >
      <ScatterChart
        {...axes}
        valueFormatter={{ x: (value: number) => valueText(value, field), y: axes.valueFormatter }}
        yAxisProps={{ ...axes.yAxisProps, domain: ['auto', 'auto'] }}
        xAxisProps={{ domain: ['auto', 'auto'] }}
        xAxisLabel={withoutBidiControls(fieldText(field))}
        dataKey={{ x: 'x', y: 'y' }}
        labels={{ x: withoutBidiControls(field.name), y: withoutBidiControls(second.name) }}
        data={[{ name: title, color: 'var(--chart-in)', data: drawnPoints }]}
        scatterChartProps={{ accessibilityLayer: false }}
      />
    </ChartFigure>
  );
}
