import { Anchor, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { calendarDay, calendarDayShort, number } from '../format.ts';
import { m } from '../messages/texts.ts';
import type { DayOfCalls } from './days.ts';
import classes from './day-strip.module.css';
import { Section } from './page.tsx';

/** What happened day by day: as a picture, as a table, and as a line small enough for a list. */

const words = m.shell.days;

interface Dated {
  /** UTC, `2026-03-01`. */
  day: string;
}

export interface Series<Day> {
  label: string;
  tone: 'in' | 'changed' | 'out';
  of: (day: Day) => number;
}

interface Column<Day> {
  label: string;
  of: (day: Day) => number;
}

interface Drawing<Day> {
  /** Stacked above the line, from the bottom up. The first is in the legend on quiet days too. */
  above: readonly Series<Day>[];
  below: Series<Day> & {
    /** Whether it counts the same things as what is above, so that their heights can be compared. */
    sameScale: boolean;
  };
  /** The most of a day, when the bars have a scale worth naming. */
  most?: (n: number) => string;
  tip: (day: Day) => string;
  hint: string;
}

interface DaysSectionProps<Day> {
  title: string;
  /** What the address calls the choice between picture and table. */
  place: string;
  days: readonly Day[];
  any: boolean;
  summary: string;
  none: string;
  drawing: Drawing<Day>;
  columns: readonly Column<Day>[];
  /** What else belongs to it. */
  children?: ReactNode;
}

export function DaysSection<Day extends Dated>(given: DaysSectionProps<Day>) {
  const { title, place, days, any, summary, none, drawing, columns, children } = given;
  const [query, setQuery] = useSearchParams();
  const asTable = query.get(place) === 'table';
  return (
    <Section
      title={title}
      aside={
        any && (
          <Anchor
            component="button"
            size="sm"
            onClick={() => setQuery(asTable ? {} : { [place]: 'table' }, { replace: true })}
          >
            {asTable ? words.asChart : words.asTable}
          </Anchor>
        )
      }
    >
      {days.length > 0 && (
        <Text size="sm" c="dimmed" mb={any ? 'md' : 0}>
          {any ? summary : none}
        </Text>
      )}
      {any &&
        (asTable ? (
          <DayTable days={days} columns={columns} />
        ) : (
          <DayStrip days={days} summary={summary} drawing={drawing} />
        ))}
      {children}
    </Section>
  );
}

const atLeastSeen = (share: number): string => `max(3px, ${(share * 100).toFixed(1)}%)`;

interface DayStripProps<Day> {
  days: readonly Day[];
  summary: string;
  drawing: Drawing<Day>;
}

function DayStrip<Day extends Dated>({ days, summary, drawing }: DayStripProps<Day>) {
  const { above, below, tip } = drawing;
  const [pointed, setPointed] = useState<Day>();
  const upOf = (day: Day) => above.reduce((sum, { of }) => sum + of(day), 0);
  const most = Math.max(0, ...days.map(upOf));
  // By the square root: one import of a million records must not flatten every other day.
  const up = Math.sqrt(Math.max(1, most));
  const mostDown = Math.sqrt(Math.max(0, ...days.map(below.of)));
  const down = below.sameScale ? Math.max(mostDown, up / 8) : mostDown;
  const first = days[0];
  const last = days.at(-1);
  return (
    <div>
      <div className={classes.legend}>
        {above
          .filter(({ of }, at) => at === 0 || days.some((day) => of(day) > 0))
          .map(({ label, tone }) => (
            <span key={tone} data-tone={tone}>
              {label}
            </span>
          ))}
        {mostDown > 0 && <span data-tone={below.tone}>{below.label}</span>}
        {drawing.most !== undefined && <span className={classes.most}>{drawing.most(most)}</span>}
      </div>
      <div className={classes.strip} role="img" aria-label={summary} onPointerLeave={() => setPointed(undefined)}>
        {days.map((day) => (
          <div
            key={day.day}
            className={classes.day}
            data-pointed={day === pointed || undefined}
            onPointerEnter={() => setPointed(day)}
          >
            <div className={classes.above} style={{ flexGrow: up }}>
              {upOf(day) === 0 && <i data-tone="none" />}
              {above
                .filter(({ of }) => of(day) > 0)
                .toReversed()
                .map(({ tone, of }) => (
                  <i
                    key={tone}
                    data-tone={tone}
                    style={{ blockSize: atLeastSeen(((of(day) / upOf(day)) * Math.sqrt(upOf(day))) / up) }}
                  />
                ))}
            </div>
            {mostDown > 0 && (
              <div className={classes.below} style={{ flexGrow: below.sameScale ? down : up * 0.3 }}>
                {below.of(day) > 0 && (
                  <i data-tone={below.tone} style={{ blockSize: atLeastSeen(Math.sqrt(below.of(day)) / down) }} />
                )}
              </div>
            )}
          </div>
        ))}
      </div>
      <div className={classes.axis}>
        {pointed === undefined ? (
          <>
            <span>{first !== undefined && calendarDayShort(first.day)}</span>
            <span className={classes.hint}>{drawing.hint}</span>
            <span>{last !== undefined && calendarDayShort(last.day)}</span>
          </>
        ) : (
          <span className={classes.readout}>
            {calendarDay(pointed.day)}: {tip(pointed)}
          </span>
        )}
      </div>
    </div>
  );
}

interface DayTableProps<Day> {
  days: readonly Day[];
  columns: readonly Column<Day>[];
}

export function DayTable<Day extends Dated>({ days, columns }: DayTableProps<Day>) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">{words.day}</th>
          {columns.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.day} data-quiet={columns.every(({ of }) => of(day) === 0) || undefined}>
            <th scope="row">{calendarDay(day.day)}</th>
            {columns.map(({ label, of }) => (
              <td key={label}>{number(of(day))}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Small, beside words that say the same. */
export function Sparkline({ days }: { days: readonly DayOfCalls[] }) {
  const most = Math.max(1, ...days.map(({ records }) => records));
  return (
    <span className={classes.sparkline} aria-hidden="true">
      {days.map(({ day, records, refused }) => (
        <i
          key={day}
          data-tone={records > 0 ? 'in' : refused > 0 ? 'out' : 'none'}
          style={records > 0 ? { blockSize: atLeastSeen(Math.sqrt(records / most)) } : undefined}
        />
      ))}
    </span>
  );
}
