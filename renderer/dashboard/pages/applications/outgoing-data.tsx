import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { latestAccess, accessLogDays } from '../../api/sharing/access.ts';
import { DaysSection, type Series } from '../../../shared/components/days-section.tsx';
import {
  type DailyTotals,
  totalsByDay,
  createApplicationFilter,
  sumTotals,
} from '../../../shared/components/daily-totals.ts';
import { LoadError } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { historyPath } from '../../navigation.ts';
import { AccessLogList } from '../history/access-rows.tsx';
import { TextLink } from '../../../shared/components/text-link.tsx';

const words = m.applications.recentReads;
const SHOWN_DAYS = 30;
const LATEST_REQUEST_COUNT = 5;

const readSeries: Series<DailyTotals> = { label: words.read, tone: 'in', value: ({ records }) => records };
const refusedSeries: Series<DailyTotals> = { label: words.refusedRequests, tone: 'out', value: (day) => day.refused };
const countSuccessful = ({ calls, refused }: Pick<DailyTotals, 'calls' | 'refused'>): number => calls - refused;

function summary(days: readonly DailyTotals[]): string {
  const totals = sumTotals(days);
  const text = words.summary(totals.records, countSuccessful(totals));
  return totals.refused > 0 ? `${text} ${words.summaryRefused(totals.refused)}` : text;
}

export function OutgoingData({ id }: { id: string }) {
  const rows = useQuery(accessLogDays(SHOWN_DAYS));
  const latest = useQuery(latestAccess({ application: id }, LATEST_REQUEST_COUNT));
  const days = rows.data === undefined ? [] : totalsByDay(rows.data, SHOWN_DAYS, createApplicationFilter(id));
  return (
    <DaysSection
      title={words.title}
      parameter="strip"
      days={days}
      hasData={sumTotals(days).calls > 0}
      summary={summary(days)}
      emptyText={words.none}
      chart={{
        above: [readSeries],
        below: { ...refusedSeries, isSameScale: false },
        tooltip: (day) => words.tip(day.records, countSuccessful(day), day.refused),
        hint: words.hint,
      }}
      columns={[
        { label: words.records, value: readSeries.value },
        { label: words.requests, value: countSuccessful },
        { label: words.refused, value: refusedSeries.value },
      ]}
    >
      {rows.isError && <LoadError error={rows.error} retry={() => void rows.refetch()} />}
      {latest.data !== undefined && latest.data.rows.length > 0 && (
        <Stack align="flex-start" gap="0.75rem" mt="lg">
          <AccessLogList rows={latest.data.rows} />
          <TextLink to={historyPath({ application: id })}>{words.all}</TextLink>
        </Stack>
      )}
    </DaysSection>
  );
}
