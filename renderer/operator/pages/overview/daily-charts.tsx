import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { Section } from '../../../shared/layout/page-frame.tsx';
import { number } from '../../../shared/format/format.ts';
import type { DailyStatistics } from '../../api/client.ts';
import { dailyStatistics, listedApplications } from '../../api/queries.ts';
import { Note } from '../../components/note.tsx';
import tableClasses from '../../components/table.module.css';
import { messages } from '../../messages/texts.ts';
import { DailyChart } from './chart.tsx';
import classes from './overview-page.module.css';

const texts = messages.overview;
const SPAN_DAYS = ['30', '90', '365'] as const;
const MAX_LISTED_APPLICATIONS = 10;
/** Id of the sum of all applications that are not published on this exchange. */
const OTHER_APPLICATIONS_ID = 'other';

const sum = (days: readonly DailyStatistics[], value: (day: DailyStatistics) => number): number =>
  days.reduce((total, day) => total + value(day), 0);

const isInactiveDay = ({ day: _day, applications, ...counts }: DailyStatistics): boolean =>
  Object.values(counts).every((value) => value === 0) && Object.keys(applications).length === 0;

export function DailyCharts() {
  const [query, setQuery] = useSearchParams();
  const span = SPAN_DAYS.find((value) => value === query.get('days')) ?? '30';
  const dayCount = Number(span);
  const result = useQuery({ ...dailyStatistics(dayCount), placeholderData: keepPreviousData });
  const days = result.data;
  // One message replaces the empty charts and the empty table.
  const hasNoActivity = days?.every(isInactiveDay) === true;
  const { pdas, claims, in: writes, out: reads } = texts.charts;
  return (
    <>
      <Section
        title={texts.dailyActivity}
        aside={
          <SegmentedControl
            aria-label={texts.span}
            size="xs"
            value={span}
            onChange={(value) => setQuery(value === '30' ? {} : { days: value }, { replace: true })}
            data={SPAN_DAYS.map((value) => ({ value, label: texts.spans[value] }))}
          />
        }
      >
        <QueryBoundary query={result} rows={6} height={28} />
        {hasNoActivity && <Note>{texts.none(dayCount)}</Note>}
        {days !== undefined && !hasNoActivity && (
          <div className={classes.charts}>
            <DailyChart
              title={pdas.title}
              days={days}
              summary={pdas.summary(
                sum(days, (day) => day.registrations),
                sum(days, (day) => day.removals),
              )}
              series={[
                { name: 'registrations', label: pdas.registrations, color: 'var(--chart-in)' },
                { name: 'removals', label: pdas.removals, color: 'var(--chart-out)' },
              ]}
            />
            <DailyChart
              title={claims.title}
              days={days}
              summary={claims.summary(
                sum(days, (day) => day.claims),
                sum(days, (day) => day.confirmations),
              )}
              series={[
                { name: 'claims', label: claims.claims, color: 'var(--chart-changed)' },
                { name: 'confirmations', label: claims.confirmations, color: 'var(--chart-in)' },
              ]}
            />
            <DailyChart
              title={writes.title}
              days={days}
              summary={writes.summary(
                sum(days, (day) => day.valuesIn),
                sum(days, (day) => day.eventsIn),
              )}
              series={[{ name: 'valuesIn', label: writes.values, color: 'var(--chart-in)' }]}
              tableOnly={{ name: 'eventsIn', label: writes.events }}
            />
            <DailyChart
              title={reads.title}
              days={days}
              summary={reads.summary(
                sum(days, (day) => day.valuesOut),
                sum(days, (day) => day.eventsOut),
              )}
              series={[{ name: 'valuesOut', label: reads.values, color: 'var(--chart-out)' }]}
              tableOnly={{ name: 'eventsOut', label: reads.events }}
            />
          </div>
        )}
      </Section>
      {days !== undefined && !hasNoActivity && (
        <Section title={texts.charts.applications.title}>
          <WritesByApplication days={days} dayCount={dayCount} />
        </Section>
      )}
    </>
  );
}

function WritesByApplication({ days, dayCount }: { days: readonly DailyStatistics[]; dayCount: number }) {
  const publishedApplications = useInfiniteQuery(listedApplications('published')).data?.pages.flat();
  const { applications } = texts.charts;
  const sums = new Map<string, number>();
  for (const day of days) {
    for (const [id, values] of Object.entries(day.applications)) sums.set(id, (sums.get(id) ?? 0) + values);
  }
  const rows = [...sums].toSorted((a, b) => b[1] - a[1]).slice(0, MAX_LISTED_APPLICATIONS);
  const highest = Math.max(1, ...rows.map(([, values]) => values));
  const nameOf = (id: string): string =>
    id === OTHER_APPLICATIONS_ID
      ? applications.other
      : (publishedApplications?.find(({ application }) => application.id.toLowerCase() === id.toLowerCase())
          ?.application.info.name ?? id);
  if (rows.length === 0) return <Note>{texts.none(dayCount)}</Note>;
  return (
    <>
      <Note>{applications.text(dayCount)}</Note>
      <table className={tableClasses.table}>
        <thead>
          <tr>
            <th scope="col">{applications.application}</th>
            <td className={classes.barCell} aria-hidden="true" />
            <th scope="col" data-number>
              {applications.values}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([id, values]) => (
            <tr key={id}>
              <th scope="row">{nameOf(id)}</th>
              <td className={classes.barCell} aria-hidden="true">
                <i className={classes.bar} style={{ width: `${((values / highest) * 100).toFixed(1)}%` }} />
              </td>
              <td data-number>{number(values)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
