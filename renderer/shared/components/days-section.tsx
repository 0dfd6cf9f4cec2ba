import { Anchor, Box, Text } from '@mantine/core';
import { type ReactNode, Suspense, lazy } from 'react';
import { withParameters, useUrlQuery } from '../form/use-url-query.ts';
import { m } from '../messages/texts.ts';
import type { BarSeries } from './day-bars.tsx';
import { DayTable, type DayColumn } from './day-table.tsx';
import { Section } from '../layout/page-frame.tsx';

const texts = m.shell.days;

const CHART_HEIGHT_PX = 180;
/** The chart library is larger than the rest of the page, so it is loaded separately. */
const DayBars = lazy(async () => ({ default: (await import('./day-bars.tsx')).DayBars }));

export interface Series<Day> extends BarSeries {
  value: (day: Day) => number;
}

interface DayChart<Day> {
  /** Stacked above the line, from the bottom up. The legend includes the first series even if it has no data. */
  above: readonly Series<Day>[];
  below: Series<Day> & {
    /** True if the series above and below count the same things, so that both use one scale. */
    usesSameScale: boolean;
  };
  /** Formats the highest daily sum, if the bars have a meaningful scale. */
  formatMaximum?: (n: number) => string;
  tooltip: (day: Day) => string;
  hint: string;
}

interface DaysSectionProps<Day> {
  title: string;
  /** URL parameter that selects the table. */
  parameter: string;
  days: readonly Day[];
  hasData: boolean;
  summary: string;
  emptyText: string;
  chart: DayChart<Day>;
  columns: readonly DayColumn<Day>[];
  children?: ReactNode;
}

export function DaysSection<Day extends { day: string }>(props: DaysSectionProps<Day>) {
  const { title, parameter, days, hasData, summary, emptyText, chart, columns, children } = props;
  const { above, below, tooltip, hint, formatMaximum } = chart;
  const [query, setQuery] = useUrlQuery();
  const isTableShown = query.get(parameter) === 'table';
  return (
    <Section
      title={title}
      aside={
        hasData && (
          <Anchor
            component="button"
            onClick={() => setQuery(withParameters({ [parameter]: isTableShown ? '' : 'table' }), { replace: true })}
          >
            {isTableShown ? texts.asChart : texts.asTable}
          </Anchor>
        )
      }
    >
      {days.length > 0 && (
        <Text size={hasData ? 'lead' : 'sm'} c={hasData ? 'var(--ink)' : 'dimmed'} mb={hasData ? 'md' : 0}>
          {hasData ? summary : emptyText}
        </Text>
      )}
      {hasData && isTableShown && <DayTable days={days} columns={columns} />}
      {hasData && !isTableShown && (
        <Suspense fallback={<Box h={CHART_HEIGHT_PX} />}>
          <DayBars
            height={CHART_HEIGHT_PX}
            days={days.map((day) => ({
              day: day.day,
              tooltip: tooltip(day),
              above: above.map(({ value }) => value(day)),
              below: below.value(day),
            }))}
            above={above}
            below={below}
            summary={summary}
            hint={hint}
            formatMaximum={formatMaximum}
          />
        </Suspense>
      )}
      {children}
    </Section>
  );
}
