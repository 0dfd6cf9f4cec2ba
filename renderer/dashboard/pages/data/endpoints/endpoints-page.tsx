import { ActionIcon, Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconDatabase,
  IconDatabaseImport,
  IconHistory,
  IconNote,
  IconPencil,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { endpoints } from '../../../api/queries.ts';
import type { EndpointSummary } from '../../../../shared/api/contract.ts';
import { ListSearchField, useFindParameter } from '../../../../shared/form/list-search-field.tsx';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { ExampleDataOffer } from '../../../components/example-data-offer.tsx';
import { Page } from '../../../components/page.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes, number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { NOTES_PATH, endpointPath } from '../../../navigation.ts';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { EditSource } from './edit-source.tsx';
import { ChosenIcon, EndpointIcon } from './endpoint-icon.tsx';
import { type Source, groupBySource, sumEndpoints } from './sources.ts';
import { AddRecord } from '../add-record.tsx';
import classes from './endpoints-page.module.css';

const texts = m.data;

const searchTextOf = ({ endpoint, name, namespaceDisplay }: EndpointSummary): string =>
  `${endpoint}\n${name}\n${namespaceDisplay?.name ?? ''}`.toLowerCase();

export function EndpointsPage() {
  const query = useQuery(endpoints);
  const [, setQuery] = useSearchParams();
  const [searchText] = useFindParameter();
  const summaries = query.data ?? [];
  const sources = groupBySource(
    summaries.filter((summary) => searchTextOf(summary).includes(searchText.toLowerCase())),
  );
  const total = sumEndpoints(summaries);

  return (
    <Page
      title={texts.pageTitle}
      lead={
        summaries.length > 0 ? texts.summary(groupBySource(summaries).length, total.records, total.bytes) : undefined
      }
      actions={
        <>
          <Button component={Link} to="/data/imports" leftSection={<IconDatabaseImport size={16} stroke={1.6} />}>
            {texts.importFile}
          </Button>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.6} />}
            onClick={() => setQuery({ add: '1' })}
          >
            {texts.add}
          </Button>
          <OverflowMenu label={m.shell.moreActions}>
            <Menu.Item component={Link} to={NOTES_PATH} leftSection={<IconNote size={16} stroke={1.6} />}>
              {m.notes.pageTitle}
            </Menu.Item>
            <Menu.Item component={Link} to="/data/imports" leftSection={<IconHistory size={16} stroke={1.6} />}>
              {m.imports.listTitle}
            </Menu.Item>
            <Menu.Item component={Link} to="/data/deleted" leftSection={<IconTrash size={16} stroke={1.6} />}>
              {texts.deletion.list.title}
            </Menu.Item>
          </OverflowMenu>
        </>
      }
    >
      <QueryBoundary query={query} rows={8} height={24} />
      {query.data !== undefined && summaries.length === 0 && (
        <EmptyState icon={IconDatabase} title={texts.empty.title} actions={<ExampleDataOffer />}>
          {texts.empty.text}
        </EmptyState>
      )}
      {summaries.length > 0 && (
        <>
          <ListSearchField
            total={summaries.length}
            hasMatches={sources.length > 0}
            texts={{ search: texts.filter, noMatch: texts.filterNone }}
          />
          {sources.length > 0 && <SourceTable sources={sources} />}
        </>
      )}
      <AddRecord />
    </Page>
  );
}

function SourceTable({ sources }: { sources: readonly Source[] }) {
  return (
    <table className={classes.table} aria-label={texts.list.label}>
      <thead>
        <tr>
          <th scope="col">{texts.list.endpoint}</th>
          <th scope="col">{texts.list.records}</th>
          <th scope="col" data-hidden-on-phone>
            {texts.list.size}
          </th>
          <th scope="col" data-hidden-on-tablet>
            {texts.list.since}
          </th>
          <th scope="col" data-hidden-on-phone>
            {texts.list.last}
          </th>
        </tr>
      </thead>
      {sources.map((source) => (
        <tbody key={source.namespace}>
          <SourceHeading source={source} />
          {source.endpoints.map((summary) => (
            <tr key={summary.endpoint} className={classes.endpoint}>
              <th scope="row">
                <span className={classes.name}>
                  <EndpointIcon icon={summary.icon} colour={summary.colour} />
                  <Link to={endpointPath(summary.endpoint)} data-list-item>
                    <UntrustedText>{summary.name}</UntrustedText>
                  </Link>
                  <span className={classes.path}>{summary.endpoint.slice(source.namespace.length + 1)}</span>
                </span>
              </th>
              <td>{number(summary.records)}</td>
              <td data-hidden-on-phone>{bytes(summary.bytes)}</td>
              <td data-hidden-on-tablet>{summary.firstRecord !== null && <RelativeTime at={summary.firstRecord} />}</td>
              <td data-hidden-on-phone>{summary.lastChange !== null && <RelativeTime at={summary.lastChange} />}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

function SourceHeading({ source }: { source: Source }) {
  const { namespace, title, display } = source;
  const [isEditing, dialog] = useDisclosure(false);
  return (
    <tr className={classes.source}>
      <th scope="rowgroup" colSpan={5}>
        <span className={classes.name}>
          <ChosenIcon icon={display.icon} colour={display.colour} />
          <UntrustedText>{title}</UntrustedText>
          {title !== namespace && <span className={classes.path}>{namespace}</span>}
          <ActionIcon
            variant="subtle"
            color="gray"
            size={28}
            aria-label={texts.source.edit(isolateText(title))}
            onClick={dialog.open}
          >
            <IconPencil size={15} stroke={1.6} />
          </ActionIcon>
        </span>
        <EditSource source={source} opened={isEditing} close={dialog.close} />
      </th>
    </tr>
  );
}
