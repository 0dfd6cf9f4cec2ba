import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { latestAccess, accessLogDays } from '../../api/sharing/access.ts';
import { DaysSection, type Series } from '../../../shared/components/days-section.tsx';
import { type DailyTotals, totalsByDay, isApplication, sumTotals } from '../../../shared/components/daily-totals.ts';
import { LoadError } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { historyPath } from '../../navigation.ts';
import { LedgerLines } from '../history/access-rows.tsx';
import classes from './outgoing-data.module.css';

const words = m.applications.left;
const DAYS = 30;
const LATEST = 5;

const read: Series<DailyTotals> = { label: words.read, tone: 'in', of: ({ records }) => records };
const refused: Series<DailyTotals> = { label: words.refusedCalls, tone: 'out', of: (day) => day.refused };
const answered = ({ calls, refused: not }: DailyTotals): number => calls - not;

function summary(days: readonly DailyTotals[]): string {
  const sum = sumTotals(days);
  const all = words.summary(sum.records, sum.calls - sum.refused);
  return sum.refused > 0 ? `${all} ${words.summaryRefused(sum.refused)}` : all;
}

/** What it read, day by day, and its last calls. */
export function Left({ id }: { id: string }) {
  const rows = useQuery(accessLogDays(DAYS));
  const calls = useQuery(latestAccess({ application: id }, LATEST));
  const days = rows.data === undefined ? [] : totalsByDay(rows.data, DAYS, isApplication(id));
  return (
    <DaysSection
      title={words.title}
      place="strip"
      days={days}
      any={sumTotals(days).calls > 0}
      summary={summary(days)}
      none={words.none}
      drawing={{
        above: [read],
        below: { ...refused, sameScale: false },
        tip: (day) => words.tip(day.records, answered(day), day.refused),
        hint: words.hint,
      }}
      columns={[
        { label: words.records, of: read.of },
        { label: words.calls, of: answered },
        { label: words.refused, of: refused.of },
      ]}
    >
      {rows.isError && <LoadError error={rows.error} retry={() => void rows.refetch()} />}
      {calls.data !== undefined && calls.data.rows.length > 0 && (
        <div className={classes.latest}>
          <LedgerLines rows={calls.data.rows} />
          <Anchor component={Link} to={historyPath({ application: id })} size="sm">
            {words.all}
          </Anchor>
        </div>
      )}
    </DaysSection>
  );
}
