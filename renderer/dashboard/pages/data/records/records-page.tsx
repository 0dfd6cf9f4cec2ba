import { Loader } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';
import { type RecordSelection, endpoints, recordPage } from '../../../api/queries.ts';
import { deleteRecords } from '../../../components/deletion.tsx';
import { Position } from '../../../../shared/long-list/position.tsx';
import { useList } from '../../../../shared/long-list/use-list.ts';
import { Page } from '../../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { AddRecord } from '../add-record.tsx';
import { useColumns } from './columns.ts';
import { EndpointActions } from '../endpoints/endpoint-actions.tsx';
import { RecordDrawer } from './record-drawer.tsx';
import { RecordGrid } from './record-grid.tsx';
import { RecordsJson } from './records-json.tsx';
import { RecordsToolbar } from './records-toolbar.tsx';
import classes from './records-page.module.css';
import { type View, useView } from './use-view.ts';

const words = m.data;

const idOf = ({ recordId }: BrowsedRecord): string => recordId;

/** The records of one endpoint. */
export function RecordsPage() {
  const endpoint = useParams()['*'] ?? '';
  const [view, change] = useView();
  // A new endpoint is a new page: nothing chosen, nothing opened, its own columns.
  return <Records key={endpoint} endpoint={endpoint} view={view} change={change} />;
}

interface RecordsProps {
  endpoint: string;
  view: View;
  change: (change: Partial<View>, options?: { replace?: boolean }) => void;
}

function Records({ endpoint, view, change }: RecordsProps) {
  const held = useQuery(endpoints).data?.find((one) => one.endpoint === endpoint);
  const wanted: RecordSelection = { endpoint, search: view.search, orderBy: view.orderBy, descending: view.descending };
  const list = useList(
    {
      page: recordPage,
      items: ({ records }) => records,
      id: idOf,
      remove: (records) => deleteRecords(endpoint, records.map(idOf)),
    },
    wanted,
  );
  const { first, shown, total } = list;
  const { columns, hidden } = useColumns(endpoint, first.data?.records);
  const order = (path: string) => {
    const again = view.orderBy === path;
    change({ orderBy: path, descending: again ? !view.descending : path === '', at: 0 });
    list.position.go(0);
  };

  const nothing = list.isCurrent && total === 0;
  return (
    <Page
      full
      title={endpoint.slice(endpoint.indexOf('/') + 1)}
      windowTitle={endpoint}
      crumbs={[
        { label: words.pageTitle, to: '/data' },
        {
          label: endpoint.slice(0, endpoint.indexOf('/')),
          to: `/data?find=${encodeURIComponent(endpoint.slice(0, endpoint.indexOf('/') + 1))}`,
        },
      ]}
      lead={
        held !== undefined && (
          <span className={classes.facts}>
            <span>{words.records(held.records)}</span>
            <span>{bytes(held.bytes)}</span>
            {held.lastChange !== null && (
              <span>
                {words.endpoint.changed} <RelativeTime at={held.lastChange} />
              </span>
            )}
          </span>
        )
      }
      actions={<EndpointActions endpoint={endpoint} held={held} />}
    >
      <RecordsToolbar
        view={view}
        columns={columns}
        found={view.search === '' || first.isPlaceholderData ? undefined : total}
        busy={first.isPlaceholderData}
        selection={list.selection}
        onSearch={(search) => change({ search, at: 0 }, { replace: view.search !== '' })}
        onOrder={(orderBy, descending) => change({ orderBy, descending, at: 0 })}
        onJson={(json) => change({ json })}
      />
      {first.isPending && <LoadingSkeleton rows={12} height={20} />}
      {first.isError && <LoadError error={first.error} retry={() => void first.refetch()} />}
      {nothing && (
        <EmptyState
          icon={IconTable}
          title={view.search === '' ? words.endpoint.emptyTitle : words.endpoint.noneFound(view.search)}
        >
          {view.search === '' ? words.endpoint.emptyText(endpoint) : undefined}
        </EmptyState>
      )}
      {total > 0 && view.json && (
        <RecordsJson
          selection={shown}
          at={view.at}
          change={change}
          onOpen={({ recordId }) => change({ record: recordId })}
        />
      )}
      {total > 0 && !view.json && (
        <>
          <RecordGrid
            key={JSON.stringify(shown)}
            {...list.grid}
            selection={shown}
            columns={columns}
            startAt={Math.min(view.at, total - 1)}
            onOpen={(record) => change({ record: record.recordId })}
            onOrder={order}
          />
          {list.pages.error !== null && <LoadError error={list.pages.error} retry={list.pages.retry} />}
          <Position
            {...list.position}
            words={words.endpoint}
            aside={hidden > 0 ? words.endpoint.columnsHidden(hidden) : undefined}
            settle={(at) => change({ at }, { replace: true })}
            settled={view.at}
          />
        </>
      )}
      {first.isFetching && first.isPlaceholderData && <Loader size="xs" className={classes.busy ?? ''} />}
      <RecordDrawer
        id={view.record}
        {...list.around(view.record)}
        open={(recordId) => change({ record: recordId }, { replace: true })}
        close={() => change({ record: null })}
      />
      <AddRecord endpoint={endpoint} />
    </Page>
  );
}
