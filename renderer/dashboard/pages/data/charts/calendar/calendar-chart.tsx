import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CalendarExtent } from '../../../../../../server/wire/calendar.ts';
import type { Field } from '../../../../../../server/wire/fields.ts';
import { parseMonth, nearestMonth, shiftMonth, weeksOf } from '../../../../../../server/wire/months.ts';
import { QueryBoundary } from '../../../../../shared/feedback/query-boundary.tsx';
import { LoadError } from '../../../../../shared/feedback/states.tsx';
import { calendarDay, monthOfYear, number } from '../../../../../shared/format/format.ts';
import { today } from '../../../../../shared/format/local-date.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { type CalendarRequest, calendarDays, calendarExtent } from '../../../../api/calendar.ts';
import type { ChartView } from '../chart-parameters.ts';
import { ChartFigure, type ChartFrame } from '../chart-figure.tsx';
import type { ResolvedChart } from '../resolve-chart.ts';
import classes from './calendar.module.css';
import { DayRecords } from './day-records.tsx';
import { type CalendarDay, MonthTable } from './month-table.tsx';

const texts = m.charts.calendar;
const ICON_PROPS = { size: 16, stroke: 1.6 };
const RECORDS_PER_DAY = 3;

interface CalendarChartProps {
  endpoint: string;
  /** `field` contains the title, `time` the start and `second` the end of a record. */
  chart: ResolvedChart & { time: Field };
  view: ChartView;
  /** Undefined for a calendar without controls. */
  change: ((change: Partial<ChartView>) => void) | undefined;
  total: number;
  revision: string;
  frame: ChartFrame;
}

export function CalendarChart(props: CalendarChartProps) {
  const { endpoint, chart, revision } = props;
  const { time, second } = chart;
  const request: CalendarRequest = {
    endpoint,
    start: time.path,
    format: time.timeFormat,
    end: second?.path,
    endFormat: second?.timeFormat,
  };
  const extent = useQuery(calendarExtent(request, revision));
  if (extent.isPending || extent.isError) return <QueryBoundary query={extent} rows={8} height={32} />;
  return <CalendarMonth {...props} request={request} extent={extent.data} />;
}

const NO_DAYS: readonly CalendarDay[] = [];

function CalendarMonth(props: CalendarChartProps & { request: CalendarRequest; extent: CalendarExtent }) {
  const { request, extent, chart, view, change, total, revision, frame } = props;
  const { field, time, second } = chart;
  const currentDay = today();
  const isEmpty = extent.first === null || extent.last === null;
  const first = extent.first ?? currentDay;
  const last = extent.last ?? currentDay;
  const month = parseMonth(view.month) ?? nearestMonth(currentDay, first, last);
  const weeks = weeksOf(month);
  const range = {
    from: weeks[0]?.[0] ?? `${month}-01`,
    to: weeks.at(-1)?.at(-1) ?? `${month}-28`,
    title: field?.path,
    perDay: RECORDS_PER_DAY,
  };
  const query = useQuery({ ...calendarDays(request, range, revision), enabled: !isEmpty });
  const [openDay, setOpenDay] = useState<string>();
  const days = query.data?.days ?? NO_DAYS;
  const daysOfMonth = days.filter(({ day }) => day.startsWith(month));
  const isLoaded = query.data !== undefined;
  const title = monthOfYear(month);
  const showMonth = (next: string) => {
    setOpenDay(undefined);
    change?.({ month: next });
  };
  return (
    <>
      {change !== undefined && !isEmpty && (
        <Group gap="sm" mb="md">
          <ActionIcon
            variant="default"
            size={36}
            aria-label={texts.previous}
            disabled={month <= first.slice(0, 7)}
            onClick={() => showMonth(shiftMonth(month, -1))}
          >
            <IconChevronLeft {...ICON_PROPS} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={texts.next}
            disabled={month >= last.slice(0, 7)}
            onClick={() => showMonth(shiftMonth(month, 1))}
          >
            <IconChevronRight {...ICON_PROPS} />
          </ActionIcon>
          <Button variant="default" onClick={() => showMonth(first.slice(0, 7))}>
            {texts.first}
          </Button>
          <Button variant="default" onClick={() => showMonth(last.slice(0, 7))}>
            {texts.last}
          </Button>
        </Group>
      )}
      <ChartFigure
        frame={frame}
        settings={{ kind: 'calendar', time: time.path, field: field?.path, second: second?.path }}
        title={title}
        summary={isLoaded ? texts.summary(title, daysOfMonth.length) : title}
        notes={extent.excluded === 0 ? [] : [m.charts.noTime(extent.excluded, Math.max(total, extent.excluded))]}
        table={{
          drawing: 'calendar',
          isEmpty,
          emptyText: texts.empty,
          list: isLoaded && <DayList days={daysOfMonth} onOpen={setOpenDay} />,
        }}
      >
        <MonthTable
          weeks={weeks}
          month={month}
          today={currentDay}
          days={days}
          isStatic={frame.location === 'home'}
          isLoading={query.isFetching}
          onOpen={frame.location === 'page' ? frame.onOpen : undefined}
          onOpenDay={setOpenDay}
        />
      </ChartFigure>
      {query.isError && <LoadError error={query.error} retry={() => void query.refetch()} />}
      {frame.location === 'page' && openDay !== undefined && (
        <DayRecords
          request={request}
          day={openDay}
          title={field}
          revision={revision}
          onOpen={frame.onOpen}
          onClose={() => setOpenDay(undefined)}
        />
      )}
    </>
  );
}

function DayList({ days, onOpen }: { days: readonly CalendarDay[]; onOpen: (day: string) => void }) {
  if (days.length === 0) return <Text>{texts.emptyMonth}</Text>;
  return (
    <ul className={classes.dayList}>
      {days.map(({ day, records }) => (
        <li key={day}>
          <Button
            variant="subtle"
            size="compact-sm"
            rightSection={<span>{number(records)}</span>}
            aria-label={texts.showDay(records, calendarDay(day))}
            onClick={() => onOpen(day)}
          >
            {calendarDay(day)}
          </Button>
        </li>
      ))}
    </ul>
  );
}
