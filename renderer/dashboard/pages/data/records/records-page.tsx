import { Loader } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy } from 'react';
import { useParams } from 'react-router';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';
import { endpointFields, type RecordSelection, endpoints, recordPage } from '../../../api/queries.ts';
import { deleteRecords } from '../../../components/deletion.tsx';
import { Position } from '../../../../shared/long-list/position.tsx';
import { useList } from '../../../../shared/long-list/use-list.ts';
import { Page } from '../../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { endpointNameOf } from '../../../../../server/wire/display-name.ts';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { AddRecord } from '../add-record.tsx';
import { useColumns } from './columns.ts';
import { EndpointActions } from '../endpoints/endpoint-actions.tsx';
import { RecordDrawer } from './record-drawer.tsx';
import { RecordGrid } from './record-grid.tsx';
import { RecordsJson } from './records-json.tsx';
import { RecordsToolbar } from './records-toolbar.tsx';
import classes from './records-page.module.css';
import { type RecordsView, useRecordsView } from './use-view.ts';

const words = m.data;

/** The chart library is larger than the rest of the page, so it is loaded separately. */
const EndpointChart = lazy(async () => ({ default: (await import('../charts/chart-view.tsx')).EndpointChart }));

const idOf = ({ recordId }: BrowsedRecord): string => recordId;

/** Records of one endpoint. */
export function RecordsPage() {
  const endpoint = useParams()['*'] ?? '';
  const [view, change] = useRecordsView();
  // The key resets the selection, the open record and the columns when the endpoint changes.
  return <Records key={endpoint} endpoint={endpoint} view={view} change={change} />;
}

interface RecordsProps {
  endpoint: string;
  view: RecordsView;
  change: (change: Partial<RecordsView>, options?: { replace?: boolean }) => void;
}

function Records({ endpoint, view, change }: RecordsProps) {
  const summary = useQuery(endpoints).data?.find((entry) => entry.endpoint === endpoint);
  const requested: RecordSelection = {
    endpoint,
    search: view.search,
    orderBy: view.orderBy,
    descending: view.descending,
  };
  const list = useList(
    {
      page: recordPage,
      items: ({ records }) => records,
      id: idOf,
      remove: (records) => deleteRecords(endpoint, records.map(idOf)),
    },
    requested,
  );
  const { firstPage, shownQuery, total } = list;
  const fields = useQuery(endpointFields(endpoint));
  const { columns, hidden } = useColumns(
    endpoint,
    fields.isPending ? undefined : firstPage.data?.records,
    fields.data?.fields,
  );
  const sortBy = (path: string) => {
    const isSameColumn = view.orderBy === path;
    change({ orderBy: path, descending: isSameColumn ? !view.descending : path === '', at: 0 });
    list.position.go(0);
  };

  const isEmpty = list.isCurrent && total === 0;
  return (
    <Page
      full
      title={isolateText(summary?.name ?? endpointNameOf(endpoint))}
      windowTitle={endpoint}
      crumbs={[
        { label: words.pageTitle, to: '/data' },
        {
          label: endpoint.slice(0, endpoint.indexOf('/')),
          to: `/data?find=${encodeURIComponent(endpoint.slice(0, endpoint.indexOf('/') + 1))}`,
        },
      ]}
      lead={
        summary !== undefined && (
          <span className={classes.facts}>
            <span className={classes.path}>{endpoint}</span>
            <span>{words.records(summary.records)}</span>
            <span>{bytes(summary.bytes)}</span>
            {summary.lastChange !== null && (
              <span>
                {words.endpoint.changed} <RelativeTime at={summary.lastChange} />
              </span>
            )}
          </span>
        )
      }
      actions={<EndpointActions endpoint={endpoint} summary={summary} />}
    >
      <RecordsToolbar
        view={view}
        columns={columns}
        matches={view.search === '' || firstPage.isPlaceholderData ? undefined : total}
        busy={firstPage.isPlaceholderData}
        selection={list.selection}
        onSearch={(search) => change({ search, at: 0 }, { replace: view.search !== '' })}
        onSort={(orderBy, descending) => change({ orderBy, descending, at: 0 })}
        // A chart shows all records, so a search would be hidden but in effect.
        onMode={(mode) => change(mode === 'chart' ? { mode, search: '', at: 0 } : { mode })}
      />
      {(firstPage.isPending || (fields.isPending && total > 0 && view.mode === 'table')) && (
        <LoadingSkeleton rows={12} height={20} />
      )}
      {firstPage.isError && <LoadError error={firstPage.error} retry={() => void firstPage.refetch()} />}
      {isEmpty && (
        <EmptyState
          icon={IconTable}
          title={view.search === '' ? words.endpoint.emptyTitle : words.endpoint.noneFound(view.search)}
        >
          {view.search === '' ? words.endpoint.emptyText(endpoint) : undefined}
        </EmptyState>
      )}
      {total > 0 && view.mode === 'chart' && summary !== undefined && (
        <Suspense fallback={<LoadingSkeleton rows={8} height={32} />}>
          <EndpointChart summary={summary} onOpen={(recordId) => change({ record: recordId })} />
        </Suspense>
      )}
      {total > 0 && view.mode === 'json' && (
        <RecordsJson
          selection={shownQuery}
          at={view.at}
          change={change}
          onOpen={({ recordId }) => change({ record: recordId })}
        />
      )}
      {total > 0 && view.mode === 'table' && !fields.isPending && (
        <>
          <RecordGrid
            key={JSON.stringify(shownQuery)}
            {...list.grid}
            selection={shownQuery}
            columns={columns}
            startAt={Math.min(view.at, total - 1)}
            onOpen={(record) => change({ record: record.recordId })}
            onSort={sortBy}
          />
          {list.pages.error !== null && <LoadError error={list.pages.error} retry={list.pages.retry} />}
          <Position
            {...list.position}
            words={words.endpoint}
            aside={hidden > 0 ? words.endpoint.columnsHidden(hidden) : undefined}
            savePosition={(at) => change({ at }, { replace: true })}
            savedPosition={view.at}
          />
        </>
      )}
      {firstPage.isFetching && firstPage.isPlaceholderData && <Loader size="xs" className={classes.busy ?? ''} />}
      <RecordDrawer
        id={view.record}
        {...list.findWithNeighbours(view.record)}
        open={(recordId) => change({ record: recordId }, { replace: true })}
        close={() => change({ record: null })}
      />
      <AddRecord endpoint={endpoint} />
    </Page>
  );
}
