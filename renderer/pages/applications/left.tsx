import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { latest, ledgerDays } from '../../api/access-queries.ts';
import { DaysSection, type Series } from '../../components/day-strip.tsx';
import { type DayOfCalls, lastDays, ofApplication, sumOf } from '../../components/days.ts';
import { Failed } from '../../components/states.tsx';
import { m } from '../../messages/texts.ts';
import { historyPath } from '../../navigation.ts';
import { LedgerLines } from '../history/ledger-lines.tsx';
import classes from './left.module.css';

const words = m.applications.left;
const DAYS = 30;
const LATEST = 5;

const read: Series<DayOfCalls> = { label: words.read, tone: 'in', of: ({ records }) => records };
const refused: Series<DayOfCalls> = { label: words.refusedCalls, tone: 'out', of: (day) => day.refused };
const answered = ({ calls, refused: not }: DayOfCalls): number => calls - not;

function summary(days: readonly DayOfCalls[]): string {
  const sum = sumOf(days);
  const all = words.summary(sum.records, sum.calls - sum.refused);
  return sum.refused > 0 ? `${all} ${words.summaryRefused(sum.refused)}` : all;
}

/** What it read, day by day, and its last calls. */
export function Left({ id }: { id: string }) {
  const rows = useQuery(ledgerDays(DAYS));
  const calls = useQuery(latest({ application: id }, LATEST));
  const days = rows.data === undefined ? [] : lastDays(rows.data, DAYS, ofApplication(id));
  return (
    <DaysSection
      title={words.title}
      place="strip"
      days={days}
      any={sumOf(days).calls > 0}
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
      {rows.isError && <Failed error={rows.error} retry={() => void rows.refetch()} />}
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
