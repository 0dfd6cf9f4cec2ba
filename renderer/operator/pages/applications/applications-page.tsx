import { IconApps } from '@tabler/icons-react';
import { LinkListItem, LinkList } from '../../../shared/components/link-list.tsx';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import type { ListedApplication } from '../../api/client.ts';
import { listedApplications } from '../../api/queries.ts';
import { SubmissionsPage } from '../../components/submissions-page.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { messages } from '../../messages/texts.ts';
import { applicationPath } from '../../navigation.ts';
import { summariseRights } from './rights.ts';
import { APPLICATION_STATUS_BY_STATE } from './status.ts';

const texts = messages.applications;

export function ApplicationsPage() {
  return (
    <SubmissionsPage
      texts={texts}
      icon={IconApps}
      query={listedApplications}
      pendingState="waiting"
      otherStates={['published', 'suspended', 'draft']}
    >
      {(items, label) => (
        <LinkList label={label}>
          {items.map((item) => (
            <ApplicationItem key={item.application.id} {...item} />
          ))}
        </LinkList>
      )}
    </SubmissionsPage>
  );
}

function ApplicationItem({ application, developer, state, changed }: ListedApplication) {
  const { id, info, kind } = application;
  return (
    <LinkListItem
      to={applicationPath(id)}
      name={info.name}
      note={`${texts.kinds[kind.kind] ?? kind.kind} ${texts.by(developer)}`}
      description={info.headline}
      details={summariseRights(application)}
      status={
        <>
          <StatusBadge status={APPLICATION_STATUS_BY_STATE[state]} short>
            {texts.states[state]}
          </StatusBadge>
          <small>
            {texts.page.version(info.version)}, <Timestamp at={changed} short />
          </small>
        </>
      }
    />
  );
}
