import { NativeSelect, UnstyledButton } from '@mantine/core';
import { lastDayOf } from '../../../../server/wire/months.ts';
import type { Timeline } from '../../../shared/api/contract.ts';
import { monthShort, number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './month-strip.module.css';

const texts = m.timeline;
/** Length of the year at the beginning of a month such as `2026-03`. */
const YEAR_CHARS = 4;

interface MonthStripProps {
  /** Months with items, newest first; at least one. */
  months: Timeline['months'];
  /** Month in view such as `2026-03`. */
  current: string;
  /** Scrolls to a day or, if it has no items, to the nearest earlier day with items. */
  onJump: (day: string) => void;
}

const yearOf = (month: string): string => month.slice(0, YEAR_CHARS);

export function MonthStrip({ months, current, onJump }: MonthStripProps) {
  const years = [...new Set(months.map(({ month }) => yearOf(month)))];
  const year = yearOf(current);
  return (
    <nav aria-label={texts.months} className={classes.strip}>
      <NativeSelect
        aria-label={texts.year}
        value={year}
        data={years}
        onChange={(event) => onJump(`${event.currentTarget.value}-12-31`)}
      />
      <ol className={classes.months}>
        {months
          .filter(({ month }) => yearOf(month) === year)
          .toReversed()
          .map(({ month, items }) => (
            <li key={month}>
              <UnstyledButton
                className={classes.month ?? ''}
                aria-current={month === current ? 'true' : undefined}
                onClick={() => onJump(lastDayOf(month))}
              >
                <span>{monthShort(month)}</span> <span className={classes.items}>{number(items)}</span>
              </UnstyledButton>
            </li>
          ))}
      </ol>
    </nav>
  );
}
