import { Button } from '@mantine/core';
import { IconApps } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { applications, accessLogDays } from '../../api/sharing/access.ts';
import type { AccessLogDay, OwnerApplication } from '../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { Sparkline } from '../../../shared/components/sparkline.tsx';
import { totalsByDay, isApplication } from '../../../shared/components/daily-totals.ts';
import { FindField, useFindParameter } from '../../../shared/form/find-field.tsx';
import { LinkListItem, LinkList } from '../../../shared/components/link-list.tsx';
import { Page, Section } from '../../components/page.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { NETWORK_PATH, applicationPath } from '../../navigation.ts';
import classes from './applications-page.module.css';
import { rightsInShort } from './consent/rights.ts';
import { ApplicationBadge } from './status-badge.tsx';
import { type ApplicationGroup, groupApplications, applicationStateOf } from './status.ts';

const words = m.applications;
export const DAYS = 30;

/** What could I connect, what is connected, what may each do? */
export function ApplicationsPage() {
  const all = useQuery(applications);
  const days = useQuery(accessLogDays(DAYS));
  const [find] = useFindParameter();
  const known = all.data ?? [];
  const groups = groupApplications(known, find);
  const connected = known.filter(({ item }) => item.enabled).length;

  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={known.length > 0 ? words.summary(connected, known.length) : undefined}
    >
      <QueryBoundary query={all} rows={6} height={40} />
      {all.data !== undefined && known.length === 0 && (
        <EmptyState
          icon={IconApps}
          title={words.empty.title}
          actions={
            <Button component={Link} to={NETWORK_PATH} variant="default" size="xs">
              {m.network.setup.go}
            </Button>
          }
        >
          {words.empty.text}
        </EmptyState>
      )}
      <FindField of={known.length} found={groups.size} words={words} />
      {[...groups].map(([group, some]) => (
        <Section key={group} title={words.groups[group]}>
          <LinkList className={classes.list}>
            {some.map((one) => (
              <ApplicationLine key={one.item.application.id} application={one} group={group} days={days.data ?? []} />
            ))}
          </LinkList>
        </Section>
      ))}
    </Page>
  );
}

interface LineProps {
  application: OwnerApplication;
  group: ApplicationGroup;
  days: readonly AccessLogDay[];
}

function ApplicationLine({ application, group, days }: LineProps) {
  const { item, asks, asksData, approved, lastSeen } = application;
  const { id, info, kind } = item.application;
  return (
    <LinkListItem
      to={applicationPath(id)}
      logo={info.graphics.logo.normal}
      name={info.name}
      small={words.kinds[kind.kind] ?? kind.kind}
      below={info.headline}
      middle={approved === null ? rightsInShort(asks, asksData) : rightsInShort(approved.rights, approved.data)}
      picture={
        <span className={classes.strip}>
          {group === 'connected' && <Sparkline days={totalsByDay(days, DAYS, isApplication(id))} />}
        </span>
      }
      end={
        <>
          <ApplicationBadge state={applicationStateOf(application)} />
          {group === 'connected' && (
            <small>
              {lastSeen === null ? (
                words.neverSeen
              ) : (
                <>
                  {words.lastSeen} <RelativeTime at={lastSeen} />
                </>
              )}
            </small>
          )}
        </>
      }
    />
  );
}
