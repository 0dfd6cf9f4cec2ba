import { BarChart } from '@mantine/charts';
import { Anchor, Group, Title } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { useId, useState } from 'react';
import { DayTable } from '../../../shared/components/day-table.tsx';
import { calendarDay, calendarDayShort, number } from '../../../shared/format/format.ts';
import type { DailyStatistics } from '../../api/client.ts';
import { Note } from '../../components/note.tsx';
import { messages } from '../../messages/texts.ts';
import classes from './overview-page.module.css';

const texts = messages.overview;
const CHART_HEIGHT_PX = 180;

type CountName = Exclude<keyof DailyStatistics, 'day' | 'applications'>;

interface ChartProps {
  title: string;
  days: readonly DailyStatistics[];
  summary: string;
  series: readonly { name: CountName; label: string; color: string }[];
  /** Series of a different order of magnitude, which only the table shows. */
  tableOnly?: { name: CountName; label: string };
}

export function DailyChart({ title, days, summary, series, tableOnly }: ChartProps) {
  const [isTableShown, setIsTableShown] = useState(false);
  const prefersReducedMotion = useReducedMotion();
  const id = useId();
  const hasData = days.some((day) => series.some(({ name }) => day[name] > 0));
  const columns = [...series, ...(tableOnly === undefined ? [] : [tableOnly])].map(({ name, label }) => ({
    label,
    value: (day: DailyStatistics) => day[name],
  }));
  return (
    <section className={classes.chart} aria-labelledby={id}>
      <Group justify="space-between" align="baseline" gap="0 1rem" mb="0.75rem">
        <Title order={3} id={id}>
          {title}
        </Title>
        {hasData && (
          <Anchor
            component="button"
            type="button"
            aria-label={isTableShown ? texts.chartOf(title) : texts.tableOf(title)}
            onClick={() => setIsTableShown(!isTableShown)}
          >
            {isTableShown ? texts.asChart : texts.asTable}
          </Anchor>
        )}
        {hasData && <span className={classes.summary}>{summary}</span>}
      </Group>
      {!hasData && <Note>{texts.none(days.length)}</Note>}
      {hasData && isTableShown && (
        <div className={classes.table} tabIndex={0} role="group" aria-label={title}>
          <DayTable days={days} columns={columns} />
        </div>
      )}
      {hasData && !isTableShown && (
        <div role="img" aria-label={`${title}: ${summary}`}>
          <BarChart
            h={CHART_HEIGHT_PX}
            data={days.map((day) => ({ ...day }))}
            dataKey="day"
            series={series.map(({ name, label, color }) => ({ name, label, color }))}
            withLegend={series.length > 1}
            legendProps={{ verticalAlign: 'top', height: 32, itemSorter: null }}
            gridAxis="x"
            tickLine="none"
            strokeDasharray="0"
            valueFormatter={number}
            xAxisProps={{ tickFormatter: calendarDayShort, minTickGap: 40, interval: 'preserveStartEnd' }}
            yAxisProps={{ width: 52, allowDecimals: false, tickCount: 4 }}
            tooltipProps={{ labelFormatter: (day) => (typeof day === 'string' ? calendarDay(day) : '') }}
            tooltipAnimationDuration={0}
            barProps={{ isAnimationActive: !prefersReducedMotion, animationDuration: 120, radius: 1 }}
            barChartProps={{ accessibilityLayer: false, barGap: 1 }}
          />
        </div>
      )}
    </section>
  );
}
