import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Awaited } from '../../../components/awaited.tsx';
import { Callout, Callouts } from '../../../components/callout.tsx';
import { Section } from '../../../components/page-frame.tsx';
import { number } from '../../../format.ts';
import { can, useAccount } from '../../api/account.ts';
import type { Answer } from '../../api/client.ts';
import { figures } from '../../api/queries.ts';
import { useWaiting } from '../../api/waiting.ts';
import { Nothing } from '../../components/nothing.tsx';
import { Page } from '../../components/page.tsx';
import tableClasses from '../../components/table.module.css';
import { x } from '../../messages/texts.ts';
import { rolesInWords } from '../accounts/accounts-page.tsx';
import { DayByDay } from './day-by-day.tsx';
import classes from './overview-page.module.css';

const words = x.overview;
const TOP = 'Top Datapoints';

/** Does anything want me, and how is it going? */
export function OverviewPage() {
  const account = useAccount();
  const decides = can(account, 'administrator');
  const waiting = useWaiting(account);
  const all = waiting.applications.count + waiting.offers.count + waiting.plugs.count;
  const found = useQuery(figures);
  const title = decides ? (all === 0 ? words.well : words.waits(all)) : words.welcome(account.name);
  return (
    <Page title={title} windowTitle={words.pageTitle} lead={decides ? words.lead : words.yours(rolesInWords(account))}>
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
        <Awaited found={found} rows={2} />
        {found.data !== undefined && <Figures of={found.data} />}
      </section>
      {decides && <DayByDay />}
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
        tone="decision"
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

type Entries = Answer<'GET /stats'>;

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
  if (rows.length === 0) return <Nothing>{`${words.top.none} ${words.topText}`}</Nothing>;
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
