import { UnstyledButton } from '@mantine/core';
import type { CalendarDays } from '../../../../../../server/wire/calendar.ts';
import { timeOfDay } from '../../../../../../server/wire/months.ts';
import { UntrustedText } from '../../../../../shared/components/untrusted-text.tsx';
import { calendarDay, number, weekdayShort } from '../../../../../shared/format/format.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import classes from './calendar.module.css';

const texts = m.charts.calendar;

export type CalendarDay = CalendarDays['days'][number];

interface MonthTableProps {
  weeks: readonly (readonly string[])[];
  month: string;
  today: string;
  days: readonly CalendarDay[];
  /** True for a calendar without buttons. */
  isStatic: boolean;
  isLoading: boolean;
  onOpen: ((recordId: string) => void) | undefined;
  onOpenDay: (day: string) => void;
}

/** Narrow screens and calendars without buttons show record counts instead of titles. */
export function MonthTable(props: MonthTableProps) {
  const { weeks, month, today, days, isStatic, isLoading, onOpen, onOpenDay } = props;
  const byDay = new Map(days.map((entry) => [entry.day, entry]));
  return (
    <table className={classes.month} data-static={isStatic || undefined} aria-busy={isLoading}>
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th key={day} scope="col">
              {weekdayShort(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const entry = byDay.get(day);
              return (
                <td
                  key={day}
                  data-outside={!day.startsWith(month) || undefined}
                  data-today={day === today || undefined}
                >
                  <span className={classes.number}>{number(Number(day.slice(8)))}</span>
                  {entry !== undefined && isStatic && <span className={classes.count}>{number(entry.records)}</span>}
                  {entry !== undefined && !isStatic && (
                    <>
                      <ul className={classes.events}>
                        {entry.first.map(({ recordId, title, start }) => (
                          <li key={recordId}>
                            <UnstyledButton className={classes.event ?? ''} onClick={() => onOpen?.(recordId)}>
                              {timeOfDay(start, day) !== '' && <time>{timeOfDay(start, day)}</time>}{' '}
                              <UntrustedText>{title ?? m.charts.map.untitled}</UntrustedText>
                            </UnstyledButton>
                          </li>
                        ))}
                      </ul>
                      <UnstyledButton
                        className={classes.allRecordsButton ?? ''}
                        data-complete={entry.records <= entry.first.length || undefined}
                        aria-label={texts.showDay(entry.records, calendarDay(day))}
                        onClick={() => onOpenDay(day)}
                      >
                        <span className={classes.wideOnly}>{texts.all(entry.records)}</span>
                        <span className={classes.narrowOnly}>{number(entry.records)}</span>
                      </UnstyledButton>
                    </>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
