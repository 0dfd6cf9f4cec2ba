import { Anchor, Box, Text } from '@mantine/core';
import { type ReactNode, Suspense, lazy } from 'react';
import { useSearchParams } from 'react-router';
import { m } from '../messages/texts.ts';
import type { BarSeries } from './day-bars.tsx';
import { DayTable, type DayColumn } from './day-table.tsx';
import { Section } from '../layout/page-frame.tsx';

/** Daily activity as a chart or a table. */

const words = m.shell.days;

/** Pixels. */
const CHART_HEIGHT = 180;
/** The chart library is larger than the rest of the page, so it is loaded separately. */
const DayBars = lazy(async () => ({ default: (await import('./day-bars.tsx')).DayBars }));

export interface Series<Day> extends BarSeries {
  of: (day: Day) => number;
}

interface Drawing<Day> {
  /** Stacked above the line, from the bottom up. The first is in the legend on quiet days too. */
  above: readonly Series<Day>[];
  below: Series<Day> & {
    /** True if the series above and below count the same things, so that their heights are comparable. */
    sameScale: boolean;
  };
  /** Formats the highest daily sum, if the bars have a meaningful scale. */
  most?: (n: number) => string;
  tip: (day: Day) => string;
  hint: string;
}

interface DaysSectionProps<Day> {
  title: string;
  /** URL parameter of the choice between chart and table. */
  place: string;
  days: readonly Day[];
  any: boolean;
  summary: string;
  none: string;
  drawing: Drawing<Day>;
  columns: readonly DayColumn<Day>[];
  /** What else belongs to it. */
  children?: ReactNode;
}

export function DaysSection<Day extends { day: string }>(props: DaysSectionProps<Day>) {
  const { title, place, days, any, summary, none, drawing, columns, children } = props;
  const { above, below, tip, hint, most } = drawing;
  const [query, setQuery] = useSearchParams();
  const asTable = query.get(place) === 'table';
  return (
    <Section
      title={title}
      aside={
        any && (
          <Anchor
            component="button"
            size="sm"
            onClick={() => setQuery(asTable ? {} : { [place]: 'table' }, { replace: true })}
          >
            {asTable ? words.asChart : words.asTable}
          </Anchor>
        )
      }
    >
      {days.length > 0 && (
        <Text size="sm" c="dimmed" mb={any ? 'md' : 0}>
          {any ? summary : none}
        </Text>
      )}
      {any && asTable && <DayTable days={days} columns={columns} />}
      {any && !asTable && (
        <Suspense fallback={<Box h={CHART_HEIGHT} />}>
          <DayBars
            height={CHART_HEIGHT}
            days={days.map((day) => ({
              day: day.day,
              tip: tip(day),
              above: above.map(({ of }) => of(day)),
              below: below.of(day),
            }))}
            above={above}
            below={below}
            summary={summary}
            hint={hint}
            most={most}
          />
        </Suspense>
      )}
      {children}
    </Section>
  );
}
