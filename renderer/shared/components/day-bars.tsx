import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { Group, Paper } from '@mantine/core';
import { calendarDay, calendarDayShort } from '../format/format.ts';

const COLOURS = { in: 'var(--chart-in)', changed: 'var(--chart-changed)', out: 'var(--chart-out)' } as const;

/** Minimum height as a share of the highest bar, so that every bar is visible. */
const MIN_HEIGHT_SHARE = 0.03;
/**
 * Height of the highest bar below the line as a share of the highest one above, if the two count different things.
 */
const BELOW_HEIGHT_SHARE = 0.3;

export interface BarSeries {
  label: string;
  tone: keyof typeof COLOURS;
}

interface DayOfBars {
  /** UTC, `2026-03-01`. */
  day: string;
  /** Values as text. */
  tip: string;
  above: readonly number[];
  below: number;
}

interface DayBarsProps {
  days: readonly DayOfBars[];
  /** Stacked above the line, from the bottom up. */
  above: readonly BarSeries[];
  below: BarSeries & { sameScale: boolean };
  summary: string;
  hint: string;
  most?: ((n: number) => string) | undefined;
  height: number;
}

const sumOf = ({ above }: DayOfBars): number => above.reduce((sum, n) => sum + n, 0);
const withMinimumHeight = (height: number): number => (height > 0 ? Math.max(MIN_HEIGHT_SHARE, height) : 0);

/** The last day and every seventh before it. */
function weeklyTicks(days: readonly DayOfBars[]): string[] {
  return days.filter((_, index) => (days.length - 1 - index) % 7 === 0).map(({ day }) => day);
}

/** Heights of the bars by the square root, so that one import of a million records does not flatten every other day. */
function heightsOf({ days, above, below }: Pick<DayBarsProps, 'days' | 'above' | 'below'>) {
  const most = Math.sqrt(Math.max(1, ...days.map(sumOf)));
  const mostBelow = Math.sqrt(Math.max(1, ...days.map((day) => day.below)));
  return days.map((day) => {
    const perRecord = 1 / Math.sqrt(Math.max(1, sumOf(day))) / most;
    return {
      day: day.day,
      ...Object.fromEntries(
        above.map(({ tone }, index) => [tone, withMinimumHeight((day.above[index] ?? 0) * perRecord)]),
      ),
      [below.tone]: -withMinimumHeight(
        Math.sqrt(day.below) / (below.sameScale ? most : mostBelow / BELOW_HEIGHT_SHARE),
      ),
    };
  });
}

/** Bars per day above and below a line. A table of the same days contains the numbers. */
export function DayBars(props: DayBarsProps) {
  const { days, above, below, summary, hint, most, height } = props;
  // On days without data the first series labels the chart.
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
          tooltipProps={{ position: {}, content: <DayTip days={days} /> }}
          referenceLines={[{ y: 0, color: 'var(--outline)' }]}
          barProps={{ radius: 2 }}
          barChartProps={{ accessibilityLayer: false, stackOffset: 'sign', margin: { left: 0, right: 0 } }}
        />
      </div>
      <Group justify="space-between" gap="0.25rem 1rem" mt="xs" fz="xs" c="var(--ink-soft)">
        <span>{hint}</span>
        {most !== undefined && <span>{most(Math.max(...days.map(sumOf)))}</span>}
      </Group>
    </>
  );
}

interface DayTipProps extends Pick<DayBarsProps, 'days'> {
  /** The hovered day, as the chart library passes it. */
  label?: string | number;
}

function DayTip({ days, label }: DayTipProps) {
  const day = days.find((candidate) => candidate.day === label);
  if (day === undefined) return null;
  return (
    <Paper withBorder shadow="sm" px="sm" py="xs" fz="xs">
      {calendarDay(day.day)}: {day.tip}
    </Paper>
  );
}
