import { Anchor, Box, CloseButton, Flex, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Field } from '../../../../../../server/wire/fields.ts';
import { MAX_CALENDAR_DAY_RECORDS } from '../../../../../../server/wire/limits.ts';
import { timeOfDay } from '../../../../../../server/wire/months.ts';
import { UntrustedText } from '../../../../../shared/components/untrusted-text.tsx';
import { QueryBoundary } from '../../../../../shared/feedback/query-boundary.tsx';
import { calendarDay } from '../../../../../shared/format/format.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { type CalendarRequest, calendarDays } from '../../../../api/calendar.ts';
import classes from './calendar.module.css';

const texts = m.charts.calendar;

interface DayRecordsProps {
  request: CalendarRequest;
  day: string;
  title: Field | undefined;
  revision: string;
  onOpen: (recordId: string) => void;
  onClose: () => void;
}

export function DayRecords({ request, day, title, revision, onOpen, onClose }: DayRecordsProps) {
  const range = { from: day, to: day, title: title?.path, perDay: MAX_CALENDAR_DAY_RECORDS };
  const query = useQuery(calendarDays(request, range, revision));
  const [entry] = query.data?.days ?? [];
  const heading = calendarDay(day);
  return (
    <Box component="section" mt="md" p="md" bd="1px solid var(--hairline)" bdrs="sm" aria-label={heading}>
      <Flex component="header" align="center" justify="space-between">
        <Text size="md" component="h3" fw={500}>
          {heading}
        </Text>
        <CloseButton aria-label={texts.closeDay} onClick={onClose} />
      </Flex>
      <QueryBoundary query={query} rows={4} />
      {entry !== undefined && (
        <>
          <ul className={classes.dayList}>
            {entry.first.map((record) => (
              <li key={record.recordId}>
                <Anchor size="md" component="button" type="button" ta="left" onClick={() => onOpen(record.recordId)}>
                  <time>{timeOfDay(record.start, day)}</time>{' '}
                  <UntrustedText>{record.title ?? m.charts.map.untitled}</UntrustedText>
                </Anchor>
              </li>
            ))}
          </ul>
          {entry.records > entry.first.length && <Text c="dimmed">{texts.cut(entry.first.length, entry.records)}</Text>}
        </>
      )}
    </Box>
  );
}
