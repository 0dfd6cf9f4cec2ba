import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { Group, Paper } from '@mantine/core';
import { calendarDay, calendarDayShort } from '../format/format.ts';

const COLOURS = { in: 'var(--chart-in)', changed: 'var(--chart-changed)', out: 'var(--chart-out)' } as const;

/** Minimum height as a share of the highest bar, so that every bar with data is visible. */
const MIN_HEIGHT_SHARE = 0.03;
/** Height of the highest bar below the line as a share of that above, if the two sides count different things. */
const BELOW_HEIGHT_SHARE = 0.3;

export interface BarSeries {
  label: string;
  tone: keyof typeof COLOURS;
}

interface DayValues {
  /** UTC day such as `2026-03-01`. */
  day: string;
  tooltip: string;
  above: readonly number[];
  below: number;
}

interface DayBarsProps {
  days: readonly DayValues[];
  above: readonly BarSeries[];
  below: BarSeries & { usesSameScale: boolean };
  summary: string;
  hint: string;
  formatMaximum?: ((n: number) => string) | undefined;
  height: number;
}

const sumOf = ({ above }: DayValues): number => above.reduce((sum, n) => sum + n, 0);
const withMinimumHeight = (height: number): number => (height > 0 ? Math.max(MIN_HEIGHT_SHARE, height) : 0);

function weeklyTicks(days: readonly DayValues[]): string[] {
  return days.filter((_, index) => (days.length - 1 - index) % 7 === 0).map(({ day }) => day);
}

/** Uses a square-root scale, so that an import of a million records does not flatten other days. */
function heightsOf({ days, above, below }: Pick<DayBarsProps, 'days' | 'above' | 'below'>) {
  const maximum = Math.sqrt(Math.max(1, ...days.map(sumOf)));
  const maximumBelow = Math.sqrt(Math.max(1, ...days.map((day) => day.below)));
  return days.map((day) => {
    const heightPerRecord = 1 / Math.sqrt(Math.max(1, sumOf(day))) / maximum;
    return {
      day: day.day,
      ...Object.fromEntries(
        above.map(({ tone }, index) => [tone, withMinimumHeight((day.above[index] ?? 0) * heightPerRecord)]),
      ),
      [below.tone]: -withMinimumHeight(
        Math.sqrt(day.below) / (below.usesSameScale ? maximum : maximumBelow / BELOW_HEIGHT_SHARE),
      ),
    };
  });
}

export function DayBars(props: DayBarsProps) {
  const { days, above, below, summary, hint, formatMaximum, height } = props;
  const visibleSeries = [
    ...above.filter((_, index) => index === 0 || days.some((day) => (day.above[index] ?? 0) > 0)),
    ...(days.some((day) => day.below > 0) ? [below] : []),
  ];
  return (
    <>
      <div role="img" aria-label={summary}>
        <BarChart
          h={height}
          type="stacked"
          data={heightsOf(props)}
          dataKey="day"
          series={visibleSeries.map(({ tone, label }) => ({ name: tone, label, color: COLOURS[tone] }))}
          withLegend
          legendProps={{ verticalAlign: 'top', height: 32, itemSorter: null }}
          withYAxis={false}
          yAxisProps={{ domain: ['dataMin', 'dataMax'] }}
          gridAxis="none"
          xAxisProps={{ ticks: weeklyTicks(days), interval: 'preserveEnd', tickFormatter: calendarDayShort }}
          tooltipProps={{ position: {}, content: <DayTooltip days={days} /> }}
          referenceLines={[{ y: 0, color: 'var(--outline)' }]}
          barProps={{ radius: 2 }}
          barChartProps={{ accessibilityLayer: false, stackOffset: 'sign', margin: { left: 0, right: 0 } }}
        />
      </div>
      <Group justify="space-between" gap="0.25rem 1rem" mt="xs" fz="xs" c="var(--ink-soft)">
        <span>{hint}</span>
        {formatMaximum !== undefined && <span>{formatMaximum(Math.max(...days.map(sumOf)))}</span>}
      </Group>
    </>
  );
}

interface DayTooltipProps extends Pick<DayBarsProps, 'days'> {
  /** Hovered day, passed by the chart library. */
  label?: string | number;
}

function DayTooltip({ days, label }: DayTooltipProps) {
  const day = days.find((candidate) => candidate.day === label);
  if (day === undefined) return null;
  return (
    <Paper withBorder shadow="sm" px="sm" py="xs" fz="xs">
      {calendarDay(day.day)}: {day.tooltip}
    </Paper>
  );
}
