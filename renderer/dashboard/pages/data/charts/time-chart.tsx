import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { CHART_MARKS } from '../../../../../server/wire/chart-choices.ts';
import type { ChartBucket } from '../../../../../server/wire/charts.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import type { SeriesPoint } from './buckets.ts';
import { bucketText, tickText, valueText } from './chart-text.ts';
import { m } from '../../../../shared/messages/texts.ts';

/** Sizes in pixels. */
const HEIGHT = 320;
const COMPACT_HEIGHT = 220;
const CHAR_WIDTH = 7;
const AXIS_LABEL_WIDTH = 40;
/** With more points, dots would merge into a band. */
const MAX_DOTS = 60;

/** Returns the props of a chart whose vertical axis shows values of `field`, or counts if it is undefined. */
export const axisProps = (values: readonly number[], yLabel: string, isCompact: boolean, field?: Field) => ({
  h: isCompact ? COMPACT_HEIGHT : HEIGHT,
  valueFormatter: (value: number) => valueText(value, field),
  yAxisLabel: withoutBidiControls(yLabel),
  yAxisProps: {
    width: AXIS_LABEL_WIDTH + CHAR_WIDTH * Math.max(1, ...values.map((value) => valueText(value, field).length)),
  },
  tickLine: 'none' as const,
});

interface TimeChartProps {
  points: readonly SeriesPoint[];
  per: ChartBucket;
  mark: (typeof CHART_MARKS)[number];
  label: string;
  /** Undefined for counts. */
  field: Field | undefined;
  hasComparison: boolean;
  /** True if the value axis of a line chart starts at zero, as for counts and sums. */
  startsAtZero: boolean;
  isCompact: boolean;
}

export function TimeChart({ points, per, mark, label, field, hasComparison, startsAtZero, isCompact }: TimeChartProps) {
  const withYear = points[0]?.start.slice(0, 4) !== points.at(-1)?.start.slice(0, 4);
  const extremes = extremesOf(points.flatMap(({ value, previousValue }) => [value, previousValue]));
  const sharedProps = {
    ...axisProps(extremes, label, isCompact, field),
    data: points.map(({ start, value, previousValue }) => ({
      start,
      value,
      previousValue: hasComparison ? previousValue : null,
    })),
    dataKey: 'start',
    series: [
      { name: 'value', label: withoutBidiControls(label), color: 'var(--chart-in)' },
      ...(hasComparison ? [{ name: 'previousValue', label: m.charts.previousPeriod, color: 'var(--chart-out)' }] : []),
    ],
    withLegend: hasComparison,
    xAxisProps: { tickFormatter: (start: string) => tickText(start, per, withYear), minTickGap: 24 },
    tooltipProps: { labelFormatter: (start: unknown) => (typeof start === 'string' ? bucketText(start, per) : '') },
  };
  if (mark === 'bar') return <BarChart {...sharedProps} barChartProps={{ accessibilityLayer: false }} />;
  if (mark === 'area')
    return (
      <AreaChart {...sharedProps} curveType="linear" withDots={false} areaChartProps={{ accessibilityLayer: false }} />
    );
  return (
    <LineChart
      {...sharedProps}
      yAxisProps={{ ...sharedProps.yAxisProps, domain: [startsAtZero ? 0 : 'auto', 'auto'] }}
      curveType="linear"
      withDots={points.length <= MAX_DOTS}
      lineChartProps={{ accessibilityLayer: false }}
    />
  );
}

export function extremesOf(values: readonly (number | null)[]): [number, number] | [] {
  const numbers = values.filter((value) => value !== null);
  const [first] = numbers;
  if (first === undefined) return [];
  return numbers.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [first, first],
  );
}
