import { Button } from '@mantine/core';
import { IconApps } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { applications, ledgerDays } from '../../api/access-queries.ts';
import type { LedgerDay, OwnerApplication } from '../../api/contract.ts';
import { Awaited } from '../../components/awaited.tsx';
import { Sparkline } from '../../components/day-strip.tsx';
import { lastDays, ofApplication } from '../../components/days.ts';
import { FindField, useFind } from '../../components/find-field.tsx';
import { Line, Lines } from '../../components/lines.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import { NETWORK, applicationPath } from '../../navigation.ts';
import classes from './applications-page.module.css';
import { rightsInShort } from './rights.ts';
import { StateMark } from './state-mark.tsx';
import { type Group, grouped, stateOf } from './state.ts';

const words = m.applications;
export const DAYS = 30;

/** What could I connect, what is connected, what may each do? */
export function ApplicationsPage() {
  const all = useQuery(applications);
  const days = useQuery(ledgerDays(DAYS));
  const [find] = useFind();
  const known = all.data ?? [];
  const groups = grouped(known, find);
  const connected = known.filter(({ item }) => item.enabled).length;

  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={known.length > 0 ? words.summary(connected, known.length) : undefined}
    >
      <Awaited found={all} rows={6} height={40} />
      {all.data !== undefined && known.length === 0 && (
        <Empty
          icon={IconApps}
          title={words.empty.title}
          actions={
            <Button component={Link} to={NETWORK} variant="default" size="xs">
              {m.network.setup.go}
            </Button>
          }
        >
          {words.empty.text}
        </Empty>
      )}
      <FindField of={known.length} found={groups.size} words={words} />
      {[...groups].map(([group, some]) => (
        <Section key={group} title={words.groups[group]}>
          <Lines className={classes.list}>
            {some.map((one) => (
              <ApplicationLine key={one.item.application.id} application={one} group={group} days={days.data ?? []} />
            ))}
          </Lines>
        </Section>
      ))}
    </Page>
  );
}

interface LineProps {
  application: OwnerApplication;
  group: Group;
  days: readonly LedgerDay[];
}

function ApplicationLine({ application, group, days }: LineProps) {
  const { item, asks, asksData, approved, lastSeen } = application;
  const { id, info, kind } = item.application;
  return (
    <Line
      to={applicationPath(id)}
      logo={info.graphics.logo.normal}
      name={info.name}
      small={words.kinds[kind.kind] ?? kind.kind}
      below={info.headline}
      middle={approved === null ? rightsInShort(asks, asksData) : rightsInShort(approved.rights, approved.data)}
      picture={
        <span className={classes.strip}>
          {group === 'connected' && <Sparkline days={lastDays(days, DAYS, ofApplication(id))} />}
        </span>
      }
      end={
        <>
          <StateMark state={stateOf(application)} />
          {group === 'connected' && (
            <small>
              {lastSeen === null ? (
                words.neverSeen
              ) : (
                <>
                  {words.lastSeen} <When at={lastSeen} />
                </>
              )}
            </small>
          )}
        </>
      }
    />
  );
}
