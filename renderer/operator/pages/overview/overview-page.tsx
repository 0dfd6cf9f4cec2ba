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
import { EmptyNote } from '../../components/empty-note.tsx';
import { Page } from '../../components/page.tsx';
import tableClasses from '../../components/table.module.css';
import { x } from '../../messages/texts.ts';
import { formatRoles } from '../accounts/accounts-page.tsx';
import { DailyCharts } from './daily-charts.tsx';
import classes from './overview-page.module.css';

const words = x.overview;
const TOP = 'Top Datapoints';

/** Pending decisions and key figures. */
export function OverviewPage() {
  const account = useAccount();
  const decides = hasRole(account, 'administrator');
  const waiting = usePendingCounts(account);
  const all = waiting.applications.count + waiting.offers.count + waiting.plugs.count;
  const found = useQuery(figures);
  const title = decides ? (all === 0 ? words.well : words.waits(all)) : words.welcome(account.name);
  return (
    <Page title={title} windowTitle={words.pageTitle} lead={decides ? words.lead : words.yours(formatRoles(account))}>
      {all > 0 && (
        <Callouts>
          <Want
            count={waiting.applications.count}
            text={words.applications(waiting.applications.count, waiting.applications.more)}
            to="/applications"
          />
          <Want
            count={waiting.offers.count}
            text={words.offers(waiting.offers.count, waiting.offers.more)}
            to="/offers"
          />
          <Want count={waiting.plugs.count} text={words.plugs(waiting.plugs.count)} to="/plugs" />
        </Callouts>
      )}
      <section aria-label={words.figures}>
        <QueryBoundary query={found} rows={2} />
        {found.data !== undefined && <Figures of={found.data} />}
      </section>
      {decides && <DailyCharts />}
      <Section title={words.top.title}>
        <Top of={found.data ?? []} />
      </Section>
    </Page>
  );
}

function Want({ count, text, to }: { count: number; text: string; to: string }) {
  if (count === 0) return null;
  return (
    <li>
      <Callout
        tone="attention"
        title={text}
        action={
          <Button component={Link} to={to} variant="default" size="xs" aria-label={`${words.decide}: ${text}`}>
            {words.decide}
          </Button>
        }
      />
    </li>
  );
}

type Entries = ResponseOf<'GET /stats'>;

function Figures({ of }: { of: Entries }) {
  const shown = Object.entries(words.names).flatMap(([title, name]) => {
    const found = of.find((one) => one.title === title);
    return found === undefined ? [] : [{ name, value: found.value }];
  });
  return (
    <dl className={classes.figures}>
      {shown.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Top({ of }: { of: Entries }) {
  const rows = Object.values(of.find(({ title }) => title === TOP)?.children ?? {});
  if (rows.length === 0) return <EmptyNote>{`${words.top.none} ${words.topText}`}</EmptyNote>;
  return (
    <div className={tableClasses.scroll}>
      <table className={tableClasses.table}>
        <thead>
          <tr>
            <th scope="col">{words.top.endpoint}</th>
            <th scope="col" data-number>
              {words.top.values}
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
