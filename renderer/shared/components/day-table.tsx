import { calendarDay, number } from '../format/format.ts';
import { m } from '../messages/texts.ts';
import classes from './day-table.module.css';

export interface DayColumn<Day> {
  label: string;
  value: (day: Day) => number;
}

interface DayTableProps<Day> {
  days: readonly Day[];
  columns: readonly DayColumn<Day>[];
}

/** Lists the newest day first. */
export function DayTable<Day extends { day: string }>({ days, columns }: DayTableProps<Day>) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">{m.shell.days.day}</th>
          {columns.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.day} data-empty={columns.every(({ value }) => value(day) === 0) || undefined}>
            <th scope="row">{calendarDay(day.day)}</th>
            {columns.map(({ label, value }) => (
              <td key={label}>{number(value(day))}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
