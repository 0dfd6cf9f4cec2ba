import { Anchor, Text } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ActivityDay } from '../../api/contract.ts';
import { Section } from '../../components/page.tsx';
import { calendarDay, calendarDayShort, number } from '../../format.ts';
import { m } from '../../messages/en.ts';
import classes from './activity-strip.module.css';

const words = m.home.activity;

function sum(days: readonly ActivityDay[], kind: 'created' | 'updated' | 'deleted'): number {
  return days.reduce((all, one) => all + one[kind], 0);
}

/** What came, changed and left on each day: as a picture, and the same as a table. */
export function ActivityStrip({ days }: { days: readonly ActivityDay[] }) {
  const [query, setQuery] = useSearchParams();
  const asTable = query.get('activity') === 'table';
  const created = sum(days, 'created');
  const updated = sum(days, 'updated');
  const deleted = sum(days, 'deleted');
  const any = created + updated + deleted > 0;
  return (
    <Section
      title={words.title}
      aside={
        any && (
          <Anchor
            component="button"
            size="sm"
            onClick={() => setQuery(asTable ? {} : { activity: 'table' }, { replace: true })}
          >
            {asTable ? words.asChart : words.asTable}
          </Anchor>
        )
      }
    >
      {!any && (
        <Text size="sm" c="dimmed">
          {words.none}
        </Text>
      )}
      {any &&
        (asTable ? (
          <ActivityTable days={days} />
        ) : (
          <Picture days={days} summary={words.summary(created, updated, deleted)} />
        ))}
    </Section>
  );
}

function Picture({ days, summary }: { days: readonly ActivityDay[]; summary: string }) {
  const [pointed, setPointed] = useState<ActivityDay>();
  // By the square root: one import of a million records must not flatten every other day.
  const up = Math.sqrt(Math.max(1, ...days.map((one) => one.created + one.updated)));
  const down = Math.sqrt(Math.max(0, ...days.map((one) => one.deleted)));
  const most = Math.max(...days.map((one) => one.created + one.updated));
  const share = (part: number, whole: number, all: number) =>
    part === 0 ? 0 : `max(3px, ${((part / whole) * Math.sqrt(whole) * 100) / all}%)`;
  const first = days[0];
  const last = days.at(-1);
  return (
    <div>
      <div className={classes.legend}>
        <span data-kind="created">{words.came}</span>
        {days.some((one) => one.updated > 0) && <span data-kind="updated">{words.changed}</span>}
        {down > 0 && <span data-kind="deleted">{words.left}</span>}
        <span className={classes.most}>{words.busiest(most)}</span>
      </div>
      <div className={classes.strip} role="img" aria-label={summary} onPointerLeave={() => setPointed(undefined)}>
        {days.map((one) => (
          <div
            key={one.day}
            className={classes.day}
            data-pointed={one === pointed || undefined}
            onPointerEnter={() => setPointed(one)}
          >
            <div className={classes.above} style={{ flexGrow: up }}>
              {one.created + one.updated === 0 && <i data-kind="none" />}
              <i data-kind="updated" style={{ blockSize: share(one.updated, one.created + one.updated, up) }} />
              <i data-kind="created" style={{ blockSize: share(one.created, one.created + one.updated, up) }} />
            </div>
            {down > 0 && (
              <div className={classes.below} style={{ flexGrow: Math.max(down, up / 8) }}>
                <i data-kind="deleted" style={{ blockSize: share(one.deleted, one.deleted, Math.max(down, up / 8)) }} />
              </div>
            )}
          </div>
        ))}
      </div>
      <div className={classes.axis}>
        {pointed === undefined ? (
          <>
            <span>{first !== undefined && calendarDayShort(first.day)}</span>
            <span className={classes.hint}>{words.hint}</span>
            <span>{last !== undefined && calendarDayShort(last.day)}</span>
          </>
        ) : (
          <span className={classes.readout}>
            {words.tip(pointed.day, pointed.created, pointed.updated, pointed.deleted)}
          </span>
        )}
      </div>
    </div>
  );
}

function ActivityTable({ days }: { days: readonly ActivityDay[] }) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">{words.day}</th>
          <th scope="col">{words.came}</th>
          <th scope="col">{words.changed}</th>
          <th scope="col">{words.left}</th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((one) => (
          <tr key={one.day} data-quiet={one.created + one.updated + one.deleted === 0 || undefined}>
            <th scope="row">{calendarDay(one.day)}</th>
            <td>{number(one.created)}</td>
            <td>{number(one.updated)}</td>
            <td>{number(one.deleted)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
