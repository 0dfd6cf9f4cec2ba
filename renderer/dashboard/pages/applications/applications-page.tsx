import { Button } from '@mantine/core';
import { IconApps } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { applications, accessLogDays } from '../../api/sharing/access.ts';
import type { AccessLogDay, OwnerApplication } from '../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { Sparkline } from '../../../shared/components/sparkline.tsx';
import { totalsByDay, createApplicationFilter } from '../../../shared/components/daily-totals.ts';
import { ListSearchField, useFindParameter } from '../../../shared/form/list-search-field.tsx';
import { LinkListItem, LinkList } from '../../../shared/components/link-list.tsx';
import { Page, Section } from '../../components/page.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { NETWORK_PATH, applicationPath } from '../../navigation.ts';
import classes from './applications-page.module.css';
import { summariseRights } from './consent/rights.ts';
import { ApplicationBadge } from './status-badge.tsx';
import { type ApplicationGroup, groupApplications, applicationStateOf } from './status.ts';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.applications;
const ACTIVITY_DAYS = 30;

export function ApplicationsPage() {
  const query = useQuery(applications);
  const days = useQuery(accessLogDays(ACTIVITY_DAYS));
  const [searchText] = useFindParameter();
  const catalogue = query.data ?? [];
  const groups = groupApplications(catalogue, searchText);
  const connectedCount = catalogue.filter(({ item }) => item.enabled).length;

  return (
    <Page
      title={texts.pageTitle}
      lead={catalogue.length > 0 ? texts.summary(connectedCount, catalogue.length) : undefined}
    >
      <QueryBoundary query={query} rows={6} height={40} />
      {query.data !== undefined && catalogue.length === 0 && (
        <EmptyState
          icon={IconApps}
          title={texts.empty.title}
          actions={
            <Button component={Link} to={NETWORK_PATH} variant="default" size="xs">
              {m.network.setup.go}
            </Button>
          }
        >
          {texts.empty.text}
        </EmptyState>
      )}
      <ListSearchField total={catalogue.length} hasMatches={groups.size > 0} texts={texts} />
      {[...groups].map(([group, members]) => (
        <Section key={group} title={texts.groups[group]}>
          <LinkList className={classes.list}>
            {members.map((application) => (
              <ApplicationRow
                key={application.item.application.id}
                application={application}
                group={group}
                days={days.data ?? []}
              />
            ))}
          </LinkList>
        </Section>
      ))}
    </Page>
  );
}

interface ApplicationRowProps {
  application: OwnerApplication;
  group: ApplicationGroup;
  days: readonly AccessLogDay[];
}

function ApplicationRow({ application, group, days }: ApplicationRowProps) {
  const { item, asks, asksData, approved, lastSeen } = application;
  const { id, info, kind } = item.application;
  const names = useDataNames();
  return (
    <LinkListItem
      to={applicationPath(id)}
      logo={info.graphics.logo.normal}
      name={info.name}
      note={texts.kinds[kind.kind] ?? kind.kind}
      description={info.headline}
      details={
        approved === null
          ? summariseRights(asks, asksData, names)
          : summariseRights(approved.rights, approved.data, names)
      }
      chart={
        <span className={classes.sparkline}>
          {group === 'connected' && <Sparkline days={totalsByDay(days, ACTIVITY_DAYS, createApplicationFilter(id))} />}
        </span>
      }
      status={
        <>
          <ApplicationBadge state={applicationStateOf(application)} />
          {group === 'connected' && (
            <small>
              {lastSeen === null ? (
                texts.neverSeen
              ) : (
                <>
                  {texts.lastSeen} <RelativeTime at={lastSeen} />
                </>
              )}
            </small>
          )}
        </>
      }
    />
  );
}
