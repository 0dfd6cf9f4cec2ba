import { Box, Flex, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { namespaceOf } from '../../../../server/wire/display-name.ts';
import { applicationView, application as applicationQuery } from '../../api/sharing/access.ts';
import type { ApplicationView, OwnerApplication } from '../../../shared/api/contract.ts';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath, endpointPath, filesPath, sharingPath } from '../../navigation.ts';
import { MissingApplication, applicationCrumbs } from './application-page.tsx';
import classes from './view-page.module.css';
import lists from '../../../shared/components/lists.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.applications.view;

export function ViewPage() {
  const { id = '' } = useParams();
  const query = useQuery(applicationQuery(id));
  if (query.data !== undefined) return <ApplicationViewContent application={query.data} />;
  return <MissingApplication error={query.error} retry={() => void query.refetch()} />;
}

function ApplicationViewContent({ application }: { application: OwnerApplication }) {
  const { item } = application;
  const { id, info } = item.application;
  const view = useQuery(applicationView(id));
  const lead = item.enabled ? texts.lead : item.setup ? texts.leadStopped : texts.leadNotSetUp;
  return (
    <Page
      title={texts.title(info.name)}
      windowTitle={texts.windowTitle(info.name)}
      crumbs={[...applicationCrumbs, { label: info.name, to: applicationPath(id) }]}
      lead={lead}
    >
      <QueryBoundary query={view} rows={8} height={24} />
      {view.data !== undefined && (
        <View
          view={view.data}
          namespaces={allowedNamespaces(application)}
          fileSources={allowedFileSources(application)}
        />
      )}
    </Page>
  );
}

function accessText({ read, write }: ApplicationView['endpoints'][number]): string {
  if (read) return write ? texts.readWrite : texts.read;
  return texts.write;
}

/** Returns the namespaces that the application may read or write, including empty ones. */
function allowedNamespaces({ approved, item }: OwnerApplication): string[] {
  if (approved === null || !item.enabled) return [];
  return [...new Set([...approved.rights.read, ...approved.rights.write])];
}

function allowedFileSources({ approved, item }: OwnerApplication): readonly string[] {
  return approved === null || !item.enabled ? [] : approved.rights.files;
}

function View({
  view: { endpoints, hidden, debits },
  namespaces,
  fileSources,
}: {
  view: ApplicationView;
  namespaces: readonly string[];
  fileSources: readonly string[];
}) {
  const emptyNamespaces = namespaces.filter(
    (name) => !endpoints.some(({ endpoint }) => namespaceOf(endpoint) === name),
  );
  return (
    <>
      {endpoints.length === 0 ? (
        <EmptyState icon={IconEyeOff} title={texts.nothing}>
          {texts.nothingText}
        </EmptyState>
      ) : (
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{m.data.list.endpoint}</th>
              <th scope="col">{texts.records}</th>
              <th scope="col">{texts.may}</th>
            </tr>
          </thead>
          <tbody>
            {endpoints.map((endpointAccess) => (
              <tr key={endpointAccess.endpoint}>
                <th scope="row">
                  <TextLink to={endpointPath(endpointAccess.endpoint)}>{endpointAccess.endpoint}</TextLink>
                </th>
                <td>{number(endpointAccess.records)}</td>
                <td>{accessText(endpointAccess)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {emptyNamespaces.length > 0 && (
        <Text c="dimmed" mt="md">
          {texts.empty(emptyNamespaces)}
        </Text>
      )}
      {fileSources.length > 0 && (
        <Section title={texts.files} text={texts.filesText}>
          <ul className={lists.rows}>
            {fileSources.map((source) => (
              <Box component="li" key={source} py="0.625rem">
                <TextLink to={filesPath({ source })}>{source}</TextLink>
              </Box>
            ))}
          </ul>
        </Section>
      )}
      <Section title={texts.hidden}>
        <Text>{hidden.endpoints === 0 ? texts.hiddenNone : texts.hiddenText(hidden.endpoints, hidden.records)}</Text>
      </Section>
      <Section title={texts.debits}>
        {debits.length === 0 ? (
          <Text c="dimmed">{texts.debitsNone}</Text>
        ) : (
          <ul className={lists.rows}>
            {debits.map(({ dataDebitKey, state }) => (
              <Flex
                component="li"
                key={dataDebitKey}
                justify="space-between"
                wrap="wrap"
                gap="0.25rem 1rem"
                py="0.625rem"
              >
                <TextLink to={sharingPath(dataDebitKey)}>{dataDebitKey}</TextLink>
                <Text span c="dimmed">
                  {texts.states[state] ?? state}
                </Text>
              </Flex>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}
