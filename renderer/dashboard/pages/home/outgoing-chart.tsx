import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { accessLogDays, useApplicationName } from '../../api/sharing/access.ts';
import type { AccessLogDay } from '../../../shared/api/contract.ts';
import { Sparkline } from '../../../shared/components/sparkline.tsx';
import { type DailyTotals, totalsByDay, sumTotals } from '../../../shared/components/daily-totals.ts';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { historyPath } from '../../navigation.ts';
import classes from './outgoing-chart.module.css';

const words = m.home.wentOut;
const DAYS = 30;
const WEEK = 7;
const SHOWN = 6;

interface Party {
  kind: AccessLogDay['who']['kind'];
  name: string;
  /** What a user is called. */
  person?: string | undefined;
  days: DailyTotals[];
}

/** Recent readers, those with the most records first. */
function partiesOf(rows: readonly AccessLogDay[]): Party[] {
  const parties = new Map<string, Party>();
  for (const { who } of rows) {
    const key = `${who.kind} ${who.name}`;
    if (who.kind === 'owner' || parties.has(key)) continue;
    const days = totalsByDay(rows, DAYS, ({ kind, name }) => kind === who.kind && name === who.name);
    parties.set(key, { ...who, days });
  }
  return [...parties.values()].toSorted((a, b) => {
    const [left, right] = [sumTotals(a.days), sumTotals(b.days)];
    return right.records - left.records || right.calls - left.calls;
  });
}

/** What left, day by day, for each who read. */
export function WentOut() {
  const rows = useQuery(accessLogDays(DAYS)).data;
  if (rows === undefined) return null;
  const parties = partiesOf(rows);
  return (
    <Section
      title={words.title}
      aside={
        <Anchor component={Link} to="/history" size="sm">
          {words.all}
        </Anchor>
      }
    >
      <Text size="sm" c="dimmed" mb={parties.length > 0 ? 'sm' : 0}>
        {parties.length > 0 ? words.hint : words.none}
      </Text>
      {parties.length > 0 && (
        <ul className={classes.parties}>
          {parties.slice(0, SHOWN).map((party) => (
            <Line key={`${party.kind} ${party.name}`} party={party} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Line({ party: { kind, name, person = m.history.who.person, days } }: { party: Party }) {
  const applicationName = useApplicationName();
  const { records, calls, refused } = sumTotals(days);
  const week = sumTotals(days.slice(-WEEK)).records;
  const label = {
    application: () => applicationName(name),
    contract: () => m.history.who.contract(name),
    exchange: () => m.history.who.exchange,
    offer: () => m.history.who.offer(name),
    function: () => m.history.who.function(name),
    visitor: () => words.anonymous,
    user: () => person,
    owner: () => m.history.who.you,
  }[kind]();
  const to = historyPath(
    kind === 'application' || kind === 'contract' || kind === 'user'
      ? { [kind]: name }
      : // Anonymous callers read public data only.
        calls === refused
        ? { outcome: 'refused' }
        : {},
  );
  return (
    <li>
      <Link to={to} className={classes.line}>
        <span className={classes.name}>
          <ForeignText>{label}</ForeignText>
        </span>
        <span className={classes.strip}>
          <Sparkline days={days} />
        </span>
        <span className={classes.records}>
          {records === 0 ? (
            calls === refused ? (
              words.anonymousText
            ) : (
              words.nothing
            )
          ) : (
            <>
              {words.records(records)} <small>{words.week(week)}</small>
            </>
          )}
        </span>
        <span className={classes.refused}>{refused > 0 && words.refused(refused)}</span>
      </Link>
    </li>
  );
}
