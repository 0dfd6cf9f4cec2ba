import { BarChart, ScatterChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { useQuery } from '@tanstack/react-query';
import type { ChartDistribution, ChartPoints, ChartValueCounts } from '../../../../../server/wire/charts.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import { number } from '../../../../shared/format/format.ts';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { chartDistribution, chartPoints, chartValues } from '../../../api/charts.ts';
import { ChartFigure, type ChartFrame } from './chart-figure.tsx';
import { boundText, fieldText, valueText } from './chart-text.ts';
import { axisProps, extremesOf } from './time-chart.tsx';

/** Charts that do not depend on time: distribution, count by value and pairs of numbers. */

const words = m.charts;
const DRAWN_VALUES = 20;
const DRAWN_VALUES_ON_HOME = 6;
const DRAWN_POINTS = 1000;
const LABEL_CHARS = 19;
const ROW_HEIGHT = 28;
/** Space for the half of the last tick that is right of the axis. */
const LAST_TICK_PX = 24;

interface ValueChartProps {
  endpoint: string;
  field: Field;
  /** Number of records of the endpoint. */
  total: number;
  revision: string;
  frame: ChartFrame;
}

const excludedNotes = (excluded: number, text: (n: number, total: number) => string, total: number): string[] =>
  excluded === 0 ? [] : [text(excluded, Math.max(total, excluded))];

export function DistributionChart({ endpoint, field, total, revision, frame }: ValueChartProps) {
  const query = useQuery(chartDistribution(endpoint, field.path, revision));
  if (query.isPending) return <LoadingSkeleton rows={8} height={32} />;
  if (query.isError) return <LoadError error={query.error} retry={() => void query.refetch()} />;
  const { bins, excluded }: ChartDistribution = query.data;
  const title = words.distributionOf(field.name);
  const width = bins[0] === undefined ? 0 : bins[0].to - bins[0].from;
  const rangeOf = ({ from, to }: { from: number; to: number }) =>
    from === to ? boundText(from, width) : words.binRange(boundText(from, width), boundText(to, width));
  return (
    <ChartFigure
      frame={frame}
      settings={{ kind: 'distribution', field: field.path }}
      title={title}
      summary={title}
      notes={excludedNotes(excluded, words.noNumber, total)}
      table={{
        columns: [fieldText(field), words.records],
        rows: bins.map((bin) => [rangeOf(bin), number(bin.count)]),
      }}
    >
      <BarChart
        {...axisProps(extremesOf(bins.map(({ count }) => count)), words.records, frame.place === 'home')}
        data={bins.map(({ from, count }) => ({ from, value: count }))}
        dataKey="from"
        xAxisLabel={withoutBidiControls(fieldText(field))}
        xAxisProps={{ tickFormatter: (from: number) => boundText(from, width), minTickGap: 16 }}
        tooltipProps={{
          labelFormatter: (from: unknown) =>
            bins
              .filter((bin) => bin.from === from)
              .map(rangeOf)
              .join(),
        }}
        series={[{ name: 'value', label: words.records, color: 'var(--chart-in)' }]}
        barChartProps={{ accessibilityLayer: false, barCategoryGap: 1 }}
      />
    </ChartFigure>
  );
}

/** Text of a value; booleans are counted as texts. */
function nameOfValue(value: string | number | null): string {
  if (value === null) return words.noValue;
  return value === '' ? words.emptyValue : withoutBidiControls(String(value));
}

export function ValuesChart({ endpoint, field, total, revision, frame }: ValueChartProps) {
  const query = useQuery(chartValues(endpoint, field.path, revision));
  if (query.isPending) return <LoadingSkeleton rows={8} height={32} />;
  if (query.isError) return <LoadError error={query.error} retry={() => void query.refetch()} />;
  const { values, distinct, excluded }: ChartValueCounts = query.data;
  const drawn = values.slice(0, frame.place === 'home' ? DRAWN_VALUES_ON_HOME : DRAWN_VALUES);
  const counted = values.reduce((sum, { count }) => sum + count, 0);
  const rarer = distinct > values.length ? Math.max(0, total - excluded - counted) : 0;
  const title = words.valuesOf(field.name);
  return (
    <ChartFigure
      frame={frame}
      settings={{ kind: 'values', field: field.path }}
      title={title}
      summary={title}
      notes={[
        ...(distinct > drawn.length ? [words.others(distinct)] : []),
        ...(rarer > 0 ? [words.notCounted(rarer)] : []),
        ...excludedNotes(excluded, words.listValues, total),
      ]}
      table={{
        columns: [field.name, words.records],
        rows: values.map(({ value, count }) => [nameOfValue(value), number(count)]),
      }}
    >
      <BarChart
        h={drawn.length * ROW_HEIGHT + 48}
        orientation="vertical"
        // A number and a text can have the same label, so a row is identified by its position.
        data={drawn.map(({ count }, at) => ({ at, value: count }))}
        dataKey="at"
        valueFormatter={number}
        gridAxis="none"
        tickLine="none"
        yAxisProps={{
          width: 140,
          interval: 0,
          tickFormatter: (at: number) => cut(nameOfValue(drawn[at]?.value ?? null)),
        }}
        xAxisProps={{ allowDecimals: false }}
        tooltipProps={{ labelFormatter: (at: unknown) => cut(nameOfValue(drawn[Number(at)]?.value ?? null)) }}
        series={[{ name: 'value', label: words.records, color: 'var(--chart-in)' }]}
        barChartProps={{ accessibilityLayer: false, margin: { right: LAST_TICK_PX } }}
      />
    </ChartFigure>
  );
}

function cut(text: string): string {
  return text.length > LABEL_CHARS ? `${text.slice(0, LABEL_CHARS - 1)}…` : text;
}

export function PointsChart({ endpoint, field, second, total, revision, frame }: ValueChartProps & { second: Field }) {
  const query = useQuery(chartPoints(endpoint, field.path, second.path, revision));
  if (query.isPending) return <LoadingSkeleton rows={8} height={32} />;
  if (query.isError) return <LoadError error={query.error} retry={() => void query.refetch()} />;
  const { points, total: pairs, excluded }: ChartPoints = query.data;
  const every = Math.ceil(points.length / DRAWN_POINTS);
  const drawn = points.filter((_, at) => at % Math.max(1, every) === 0);
  const title = words.pairs(field.name, second.name);
  const axes = axisProps(extremesOf(drawn.map(({ y }) => y)), fieldText(second), frame.place === 'home');
  return (
    <ChartFigure
      frame={frame}
      settings={{ kind: 'scatter', field: field.path, second: second.path }}
      title={title}
      summary={title}
      notes={[
        ...(drawn.length < pairs ? [words.sample(drawn.length, pairs)] : []),
        ...excludedNotes(excluded, words.noNumber, total),
      ]}
      table={{
        columns: [fieldText(field), fieldText(second)],
        rows: drawn.map(({ x, y }) => [valueText(x), valueText(y)]),
      }}
    >
      <ScatterChart
        {...axes}
        yAxisProps={{ ...axes.yAxisProps, domain: ['auto', 'auto'] }}
        xAxisProps={{ domain: ['auto', 'auto'] }}
        xAxisLabel={withoutBidiControls(fieldText(field))}
        dataKey={{ x: 'x', y: 'y' }}
        labels={{ x: withoutBidiControls(field.name), y: withoutBidiControls(second.name) }}
        data={[{ name: title, color: 'var(--chart-in)', data: drawn }]}
        scatterChartProps={{ accessibilityLayer: false }}
      />
    </ChartFigure>
  );
}
