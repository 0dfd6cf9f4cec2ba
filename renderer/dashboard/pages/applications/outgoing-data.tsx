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

const texts = m.applications.recentReads;
const SHOWN_DAYS = 30;
const LATEST_REQUEST_COUNT = 5;

const readSeries: Series<DailyTotals> = { label: texts.read, tone: 'in', value: ({ records }) => records };
const refusedSeries: Series<DailyTotals> = { label: texts.refusedRequests, tone: 'out', value: (day) => day.refused };
const countSuccessful = ({ calls, refused }: Pick<DailyTotals, 'calls' | 'refused'>): number => calls - refused;

function summariseDays(days: readonly DailyTotals[]): string {
  const totals = sumTotals(days);
  const text = texts.summary(totals.records, countSuccessful(totals));
  return totals.refused > 0 ? `${text} ${texts.summaryRefused(totals.refused)}` : text;
}

export function OutgoingData({ id }: { id: string }) {
  const loggedDays = useQuery(accessLogDays(SHOWN_DAYS));
  const latest = useQuery(latestAccess({ application: id }, LATEST_REQUEST_COUNT));
  const days =
    loggedDays.data === undefined ? [] : totalsByDay(loggedDays.data, SHOWN_DAYS, createApplicationFilter(id));
  return (
    <DaysSection
      title={texts.title}
      parameter="strip"
      days={days}
      hasData={sumTotals(days).calls > 0}
      summary={summariseDays(days)}
      emptyText={texts.none}
      chart={{
        above: [readSeries],
        below: { ...refusedSeries, usesSameScale: false },
        tooltip: (day) => texts.tip(day.records, countSuccessful(day), day.refused),
        hint: texts.hint,
      }}
      columns={[
        { label: texts.records, value: readSeries.value },
        { label: texts.requests, value: countSuccessful },
        { label: texts.refused, value: refusedSeries.value },
      ]}
    >
      {loggedDays.isError && <LoadError error={loggedDays.error} retry={() => void loggedDays.refetch()} />}
      {latest.data !== undefined && latest.data.rows.length > 0 && (
        <Stack align="flex-start" gap="0.75rem" mt="lg">
          <AccessLogList rows={latest.data.rows} />
          <TextLink to={historyPath({ application: id })}>{texts.all}</TextLink>
        </Stack>
      )}
    </DaysSection>
  );
}
