import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { isOtherPrincipal } from '../../../../server/wire/access-kinds.ts';
import { accessLogDays } from '../../api/sharing/access.ts';
import type { AccessLogDay } from '../../../shared/api/contract.ts';
import { Sparkline } from '../../../shared/components/sparkline.tsx';
import { type DailyTotals, totalsByDay, sumTotals } from '../../../shared/components/daily-totals.ts';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { historyPath } from '../../navigation.ts';
import { readerFilter } from '../history/reader-filter.ts';
import { readerName } from '../history/reader-text.ts';
import { useEntryNames } from '../history/use-names.ts';
import classes from './outgoing-chart.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.home.outgoing;
const SHOWN_DAYS = 30;
const DAYS_PER_WEEK = 7;
const MAX_LISTED_READERS = 6;

interface Reader {
  kind: AccessLogDay['who']['kind'];
  name: string;
  person?: string | undefined;
  days: DailyTotals[];
}

function rankReaders(rows: readonly AccessLogDay[]): Reader[] {
  const readers = new Map<string, Reader>();
  for (const { who } of rows) {
    const key = `${who.kind} ${who.name}`;
    if (!isOtherPrincipal(who.kind) || readers.has(key)) continue;
    const days = totalsByDay(rows, SHOWN_DAYS, ({ kind, name }) => kind === who.kind && name === who.name);
    readers.set(key, { ...who, days });
  }
  return [...readers.values()].toSorted((a, b) => {
    const [left, right] = [sumTotals(a.days), sumTotals(b.days)];
    return right.records - left.records || right.calls - left.calls;
  });
}

export function OutgoingChart() {
  const rows = useQuery(accessLogDays(SHOWN_DAYS)).data;
  if (rows === undefined) return null;
  const readers = rankReaders(rows);
  return (
    <Section title={texts.title} aside={<TextLink to="/history">{texts.all}</TextLink>}>
      <Text c="dimmed" mb={readers.length > 0 ? 'sm' : 0}>
        {readers.length > 0 ? texts.hint : texts.none}
      </Text>
      {readers.length > 0 && (
        <ul className={classes.readers}>
          {readers.slice(0, MAX_LISTED_READERS).map((reader) => (
            <ReaderRow key={`${reader.kind} ${reader.name}`} reader={reader} />
          ))}
        </ul>
      )}
      {readers.length > MAX_LISTED_READERS && (
        <Text c="dimmed" mt="sm">
          {m.home.week.more(readers.length - MAX_LISTED_READERS)}
        </Text>
      )}
    </Section>
  );
}

function ReaderRow({ reader: { kind, name, person, days } }: { reader: Reader }) {
  const { records, calls, refused } = sumTotals(days);
  const weekRecords = sumTotals(days.slice(-DAYS_PER_WEEK)).records;
  const label = readerName({ kind, name, ...(person === undefined ? {} : { person }) }, useEntryNames());
  const to = historyPath(readerFilter({ kind, name }));
  return (
    <li>
      <Link to={to} className={classes.row}>
        <span className={classes.name}>
          <UntrustedText>{label}</UntrustedText>
        </span>
        <span className={classes.sparkline}>
          <Sparkline days={days} />
        </span>
        <span className={classes.records}>
          {records === 0 ? (
            calls === refused ? (
              texts.allRefused
            ) : (
              texts.nothing
            )
          ) : (
            <>
              {m.data.records(records)} <small>{texts.week(weekRecords)}</small>
            </>
          )}
        </span>
        <span className={classes.refusedCount}>{refused > 0 && texts.refused(refused)}</span>
      </Link>
    </li>
  );
}
