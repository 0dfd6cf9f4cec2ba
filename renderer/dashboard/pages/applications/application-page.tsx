import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Box, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconEye, IconPlayerStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useParams } from 'react-router';
import { application as applicationQuery } from '../../api/sharing/access.ts';
import type { NamedBundle, OwnerApplication } from '../../../shared/api/contract.ts';
import { debitPreview, debitQuery } from '../../api/sharing/debits.ts';
import { NO_CHOICES } from '../../consent/choices.ts';
import { Logo } from '../../../shared/components/logo.tsx';
import { plainBundle } from '../../../shared/consent/bundle-text.ts';
import { ScopeChoice } from '../../consent/scope-choice.tsx';
import { SharedData } from '../../consent/shared-data.tsx';
import { MissingItemPage } from '../../components/missing-item-page.tsx';
import { Page, Section } from '../../components/page.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath } from '../../navigation.ts';
import { applicationPreview } from '../login/queries.ts';
import { AboutApplication } from './about.tsx';
import { ApplicationDetails } from './technical-details.tsx';
import { ApplicationNotice } from './status-notice.tsx';
import { OutgoingData } from './outgoing-data.tsx';
import { RightsList } from './consent/rights-list.tsx';
import { describeRights } from './consent/rights.ts';
import { ApplicationBadge } from './status-badge.tsx';
import { applicationStateOf } from './status.ts';
import { StopApplicationDialog } from './stop-dialog.tsx';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.applications;

const APPLICATIONS_CRUMB = { label: texts.pageTitle, to: '/applications' };

export const applicationCrumbs = [APPLICATIONS_CRUMB];

export function ApplicationPage() {
  const { id = '' } = useParams();
  const query = useQuery(applicationQuery(id));
  if (query.data !== undefined) return <ApplicationContent application={query.data} />;
  return <MissingApplication error={query.error} retry={() => void query.refetch()} />;
}

export function MissingApplication(props: { error: unknown; retry: () => void }) {
  return <MissingItemPage {...props} list={APPLICATIONS_CRUMB} texts={texts} />;
}

function ApplicationContent({ application }: { application: OwnerApplication }) {
  const { item } = application;
  const { id, info, kind, developer } = item.application;
  const state = applicationStateOf(application);
  const [isConfirming, dialog] = useDisclosure(false);
  return (
    <Page
      title={info.name}
      picture={<Logo url={info.graphics.logo.normal} name={info.name} size={56} />}
      crumbs={applicationCrumbs}
      lead={
        <Stack gap="xs">
          <span>
            <UntrustedText>{info.headline}</UntrustedText>
          </span>
          <Group gap="0.125rem 1.25rem">
            <ApplicationBadge state={state} />
            <span>{texts.kinds[kind.kind] ?? kind.kind}</span>
            {developer != null && <span>{texts.by(developer.name)}</span>}
          </Group>
        </Stack>
      }
      actions={
        <>
          {state === 'available' && (
            <Button component={Link} to={applicationPath(id, 'setup')}>
              {texts.setup.action(info.name)}
            </Button>
          )}
          {item.enabled && (
            <>
              <Button
                component={Link}
                to={applicationPath(id, 'view')}
                variant="default"
                leftSection={<IconEye size={16} stroke={1.6} />}
              >
                {texts.permissions.view(info.name)}
              </Button>
              <Button
                variant="default"
                c="var(--stop)"
                leftSection={<IconPlayerStop size={16} stroke={1.6} />}
                onClick={dialog.open}
              >
                {texts.stop.action(info.name)}
              </Button>
            </>
          )}
        </>
      }
    >
      <ApplicationNotice application={application} state={state} />
      <Permissions application={application} />
      {item.setup && <OutgoingData id={id} />}
      <AboutApplication application={item.application} />
      <ApplicationDetails application={application} />
      <StopApplicationDialog application={application} opened={isConfirming} close={dialog.close} />
    </Page>
  );
}

function Permissions({ application }: { application: OwnerApplication }) {
  const { approved, asks, asksData, debitKey } = application;
  const access = approved ?? { rights: asks, data: asksData };
  const rights = describeRights(access.rights);
  return (
    <Section
      title={approved === null ? texts.permissions.titleRequested : texts.permissions.title}
      aside={
        approved !== null && (
          <Text c="dimmed">
            {texts.permissions.since} <RelativeTime at={approved.time} />, {texts.permissions.version(approved.version)}
          </Text>
        )
      }
    >
      {rights.length === 0 && access.data === null && <Text c="dimmed">{texts.rights.nothing}</Text>}
      <RightsList rights={rights} other={access.rights.other} />
      {access.data !== null && (
        <Box mt="2rem">
          <DebitData application={application} data={access.data} debitKey={approved === null ? null : debitKey} />
        </Box>
      )}
    </Section>
  );
}

interface DebitDataProps {
  application: OwnerApplication;
  data: NamedBundle;
  /** Null if the application is not set up or is stopped. */
  debitKey: string | null;
}

function DebitData({ application, data, debitKey }: DebitDataProps) {
  const { edition, item } = application;
  const { id } = item.application;
  const query = useQuery({ ...debitQuery(debitKey ?? ''), enabled: debitKey !== null });
  const permissionId = query.data?.debit.permissionsActive?.permissionId;
  const names = useDataNames();
  const properties = useMemo(() => plainBundle(data.bundle, names), [data, names]);
  const source = useMemo(
    () =>
      debitKey === null || permissionId === undefined
        ? applicationPreview(id, edition)
        : debitPreview(debitKey, permissionId),
    [debitKey, permissionId, id, edition],
  );
  // A stopped Data Debit shares no data, and a preview of a newer version would be misleading.
  if (debitKey !== null && permissionId === undefined) {
    return (
      <>
        <Title order={3} mb="0.75rem">
          {texts.setup.data}
        </Title>
        <ScopeChoice properties={properties} preview={undefined} choices={NO_CHOICES} />
      </>
    );
  }
  return (
    <SharedData properties={properties} source={source} choices={NO_CHOICES} isShared={permissionId !== undefined} />
  );
}
