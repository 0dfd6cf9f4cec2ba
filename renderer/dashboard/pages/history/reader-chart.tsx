import { Anchor, Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useSearchParams } from 'react-router';
import { accessLogDays } from '../../api/sharing/access.ts';
import { Section } from '../../components/page.tsx';
import { DayTable } from '../../../shared/components/day-table.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { countActiveDays, readerDaysOf } from './reader-days.ts';
import { readerCondition } from './reader-filter.ts';
import { readerName } from './reader-text.ts';
import type { Filter } from './use-filter.ts';
import { useEntryNames } from './use-names.ts';

const texts = m.history.chart;
const SHOWN_DAYS = 30;
/** A chart with a single bar shows less than the list below it. */
const MIN_ACTIVE_DAYS = 2;
const HEIGHT_PX = 220;
/** The chart library is larger than the rest of the page, so it is loaded separately. */
const ReaderBars = lazy(async () => ({ default: (await import('./reader-bars.tsx')).ReaderBars }));

/**
 * Shows the requests per day by reader. Renders nothing while there is too little to compare. With filters other than
 * the reader, shows a note instead of the chart.
 */
export function ReaderChart({ filter }: { filter: Filter }) {
  const rows = useQuery(accessLogDays(SHOWN_DAYS)).data;
  const names = useEntryNames();
  const [query, setQuery] = useSearchParams();
  if (rows === undefined) return null;
  const condition = readerCondition(filter);
  const readers = readerDaysOf(condition === undefined ? rows : rows.filter(({ who }) => condition(who)), SHOWN_DAYS);
  if (countActiveDays(readers) < MIN_ACTIVE_DAYS) return null;
  if (condition === undefined) return <Text c="dimmed">{texts.filtered}</Text>;
  const isTableShown = query.get('chart') === 'table';
  const labels = readers.series.map(({ who }) =>
    who === undefined ? m.history.filter.others : readerName(who, names),
  );
  return (
    <Section
      title={texts.title}
      aside={
        <Anchor
          component="button"
          onClick={() => {
            const changedQuery = new URLSearchParams(query);
            if (isTableShown) changedQuery.delete('chart');
            else changedQuery.set('chart', 'table');
            setQuery(changedQuery, { replace: true, preventScrollReset: true });
          }}
        >
          {isTableShown ? m.shell.days.asChart : m.shell.days.asTable}
        </Anchor>
      }
    >
      {isTableShown ? (
        <DayTable
          days={readers.days.map((day) => ({ day }))}
          columns={readers.series.map(({ calls }, position) => ({
            label: labels[position] ?? '',
            value: ({ day }) => calls[readers.days.indexOf(day)] ?? 0,
          }))}
        />
      ) : (
        <Suspense fallback={<Box h={HEIGHT_PX} />}>
          <ReaderBars readers={readers} labels={labels} summary={texts.summary(labels)} height={HEIGHT_PX} />
        </Suspense>
      )}
    </Section>
  );
}
