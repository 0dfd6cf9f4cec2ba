import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { latestAccess, accessLogDays } from '../../api/sharing/access.ts';
import { DaysSection, type Series } from '../../../shared/components/days-section.tsx';
import { type DailyTotals, totalsByDay, isApplication, sumTotals } from '../../../shared/components/daily-totals.ts';
import { LoadError } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { historyPath } from '../../navigation.ts';
import { AccessLogList } from '../history/access-rows.tsx';
import classes from './outgoing-data.module.css';

const words = m.applications.recentReads;
const DAYS = 30;
const LATEST_COUNT = 5;

const readSeries: Series<DailyTotals> = { label: words.read, tone: 'in', of: ({ records }) => records };
const refusedSeries: Series<DailyTotals> = { label: words.refusedCalls, tone: 'out', of: (day) => day.refused };
const successfulRequests = ({ calls, refused: rejected }: DailyTotals): number => calls - rejected;

function summary(days: readonly DailyTotals[]): string {
  const totals = sumTotals(days);
  const text = words.summary(totals.records, totals.calls - totals.refused);
  return totals.refused > 0 ? `${text} ${words.summaryRefused(totals.refused)}` : text;
}

/** Records that an application read per day, and its latest requests. */
export function OutgoingData({ id }: { id: string }) {
  const rows = useQuery(accessLogDays(DAYS));
  const calls = useQuery(latestAccess({ application: id }, LATEST_COUNT));
  const days = rows.data === undefined ? [] : totalsByDay(rows.data, DAYS, isApplication(id));
  return (
    <DaysSection
      title={words.title}
      parameter="strip"
      days={days}
      hasData={sumTotals(days).calls > 0}
      summary={summary(days)}
      none={words.none}
      chart={{
        above: [readSeries],
        below: { ...refusedSeries, sameScale: false },
        tip: (day) => words.tip(day.records, successfulRequests(day), day.refused),
        hint: words.hint,
      }}
      columns={[
        { label: words.records, of: readSeries.of },
        { label: words.calls, of: successfulRequests },
        { label: words.refused, of: refusedSeries.of },
      ]}
    >
      {rows.isError && <LoadError error={rows.error} retry={() => void rows.refetch()} />}
      {calls.data !== undefined && calls.data.rows.length > 0 && (
        <div className={classes.latest}>
          <AccessLogList rows={calls.data.rows} />
          <Anchor component={Link} to={historyPath({ application: id })} size="sm">
            {words.all}
          </Anchor>
        </div>
      )}
    </DaysSection>
  );
}
