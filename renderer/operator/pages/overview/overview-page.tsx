import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { Callout, Callouts } from '../../../shared/components/callout.tsx';
import { Section } from '../../../shared/layout/page-frame.tsx';
import { number } from '../../../shared/format/format.ts';
import { hasRole, useAccount } from '../../api/account.ts';
import type { ResponseOf } from '../../api/client.ts';
import { figures } from '../../api/queries.ts';
import { usePendingCounts } from '../../api/pending-counts.ts';
import { Note } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import tableClasses from '../../components/table.module.css';
import { messages } from '../../messages/texts.ts';
import { formatRoles } from '../accounts/accounts-page.tsx';
import { DailyCharts } from './daily-charts.tsx';
import classes from './overview-page.module.css';

const texts = messages.overview;
const TOP_DATAPOINTS_TITLE = 'Top Datapoints';

export function OverviewPage() {
  const account = useAccount();
  const isAdministrator = hasRole(account, 'administrator');
  const pendingCounts = usePendingCounts(account);
  const pendingTotal = pendingCounts.applications.count + pendingCounts.offers.count + pendingCounts.plugs.count;
  const isMinimum = pendingCounts.applications.hasMore || pendingCounts.offers.hasMore;
  const areCountsLoaded = Object.values(pendingCounts).every(({ isLoaded }) => isLoaded);
  const result = useQuery(figures);
  const administratorTitle =
    pendingTotal > 0 ? texts.attention(pendingTotal, isMinimum) : areCountsLoaded ? texts.ok : texts.pageTitle;
  return (
    <Page
      title={isAdministrator ? administratorTitle : texts.welcome(account.name)}
      windowTitle={texts.pageTitle}
      lead={isAdministrator ? texts.lead : texts.accountRoles(formatRoles(account))}
    >
      {pendingTotal > 0 && (
        <Callouts>
          <PendingCallout
            count={pendingCounts.applications.count}
            text={texts.applications(pendingCounts.applications.count, pendingCounts.applications.hasMore)}
            to="/applications"
          />
          <PendingCallout
            count={pendingCounts.offers.count}
            text={texts.offers(pendingCounts.offers.count, pendingCounts.offers.hasMore)}
            to="/offers"
          />
          <PendingCallout count={pendingCounts.plugs.count} text={texts.plugs(pendingCounts.plugs.count)} to="/plugs" />
        </Callouts>
      )}
      <section aria-label={texts.figures}>
        <QueryBoundary query={result} rows={2} />
        {result.data !== undefined && <Figures entries={result.data} />}
      </section>
      {isAdministrator && <DailyCharts />}
      {result.data !== undefined && (
        <Section title={texts.top.title}>
          <TopEndpoints entries={result.data} />
        </Section>
      )}
    </Page>
  );
}

function PendingCallout({ count, text, to }: { count: number; text: string; to: string }) {
  if (count === 0) return null;
  return (
    <li>
      <Callout
        tone="attention"
        title={text}
        action={
          <Button component={Link} to={to} variant="default" size="xs" aria-label={`${texts.decide}: ${text}`}>
            {texts.decide}
          </Button>
        }
      />
    </li>
  );
}

type Entries = ResponseOf<'GET /stats'>;

function Figures({ entries }: { entries: Entries }) {
  const namedFigures = Object.entries(texts.names).flatMap(([title, name]) => {
    const figure = entries.find((entry) => entry.title === title);
    return figure === undefined ? [] : [{ name, value: figure.value }];
  });
  return (
    <dl className={classes.figures}>
      {namedFigures.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function TopEndpoints({ entries }: { entries: Entries }) {
  const rows = Object.values(entries.find(({ title }) => title === TOP_DATAPOINTS_TITLE)?.children ?? {});
  if (rows.length === 0) return <Note>{texts.top.none}</Note>;
  return (
    <div className={tableClasses.scrollContainer}>
      <table className={tableClasses.table}>
        <thead>
          <tr>
            <th scope="col">{texts.top.endpoint}</th>
            <th scope="col" data-number>
              {texts.top.values}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ title, value }) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td data-number>{number(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
