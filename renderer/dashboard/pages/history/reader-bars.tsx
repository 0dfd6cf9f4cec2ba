import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { calendarDay, calendarDayShort, number } from '../../../shared/format/format.ts';
import type { ReaderDays } from './reader-days.ts';

const COLOURS = [1, 2, 3, 4, 5].map((index) => `var(--chart-series-${index})`);
const REST_COLOUR = 'var(--chart-rest)';
const DAYS_PER_TICK = 7;

interface ReaderBarsProps {
  readers: ReaderDays;
  labels: readonly string[];
  summary: string;
  height: number;
}

export function ReaderBars({ readers: { days, series }, labels, summary, height }: ReaderBarsProps) {
  const bars = days.map((day, index) => ({
    day,
    ...Object.fromEntries(series.map(({ calls }, position) => [`reader${position}`, calls[index] ?? 0])),
  }));
  return (
    <div role="img" aria-label={summary}>
      <BarChart
        h={height}
        type="stacked"
        data={bars}
        dataKey="day"
        series={series.map(({ who }, position) => ({
          name: `reader${position}`,
          label: labels[position] ?? '',
          color: who === undefined ? REST_COLOUR : (COLOURS[position] ?? REST_COLOUR),
        }))}
        withLegend
        legendProps={{ verticalAlign: 'top', itemSorter: null }}
        valueFormatter={number}
        tickLine="none"
        xAxisProps={{
          ticks: days.filter((_, index) => (days.length - 1 - index) % DAYS_PER_TICK === 0),
          interval: 'preserveEnd',
          tickFormatter: calendarDayShort,
        }}
        yAxisProps={{ allowDecimals: false }}
        tooltipProps={{ labelFormatter: (day: unknown) => (typeof day === 'string' ? calendarDay(day) : '') }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
