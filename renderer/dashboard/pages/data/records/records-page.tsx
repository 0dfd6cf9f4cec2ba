import { Button, Group, Loader, Text } from '@mantine/core';
import { IconListNumbers, IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy, useState } from 'react';
import { useParams } from 'react-router';
import { MAX_EXPORTED_IDS, MAX_TABLE_SORTS } from '../../../../../server/wire/limits.ts';
import type { TableFilter } from '../../../../../server/wire/table.ts';
import type { BrowsedRecord, Field } from '../../../../shared/api/contract.ts';
import { endpointFields, type RecordSelection, endpoints, recordPage } from '../../../api/queries.ts';
import { deleteRecords } from '../../../components/deletion.tsx';
import { Position } from '../../../../shared/long-list/position.tsx';
import { useList } from '../../../../shared/long-list/use-list.ts';
import { Page } from '../../../components/page.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { endpointNameOf, namespaceOf } from '../../../../../server/wire/display-name.ts';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { useDataNames } from '../../../consent/use-data-names.ts';
import { ShareSelectedRecords } from '../../../shared-views/share-selected.tsx';
import { ShareTable } from '../../../shared-views/share-table.tsx';
import { AddRecord } from '../add-record.tsx';
import { AddFilter } from '../record-table/add-filter.tsx';
import { ColumnsDialog } from '../record-table/columns-dialog.tsx';
import { resizeColumn, omitAutomaticColumns } from '../record-table/column-choices.ts';
import { ExportMenu } from '../record-table/export-menu.tsx';
import { Facets } from '../record-table/facets.tsx';
import { MoveSelectedRecords } from '../record-table/move/move-selected.tsx';
import { RecordFilters } from '../record-table/record-filters.tsx';
import { SavedViews } from '../record-table/saved-views.tsx';
import { useFacetFields } from '../record-table/use-facet-fields.ts';
import { toggleSort } from '../record-table/view-parameters.ts';
import { automaticColumns, chooseColumns, useColumns } from './columns.ts';
import { nameWithoutUnit } from './field-name.ts';
import { EndpointActions } from '../endpoints/endpoint-actions.tsx';
import { ChosenIcon } from '../endpoints/endpoint-icon.tsx';
import { RecordDrawer } from './record-drawer.tsx';
import { RecordGrid } from './record-grid.tsx';
import { RecordsJson } from './records-json.tsx';
import { RecordsToolbar } from './records-toolbar.tsx';
import classes from './records-page.module.css';
import { type RecordsView, type ViewChange, viewParametersOf, useRecordsView, viewOf } from './use-view.ts';

const texts = m.data;

/** The chart library is larger than the rest of the page, so it is loaded separately. */
const EndpointChart = lazy(async () => ({ default: (await import('../charts/endpoint-chart.tsx')).EndpointChart }));

const tableTexts = m.recordTable;
const NO_FIELDS: readonly Field[] = [];
const TITLE_ICON_PX = 32;

const noMatchText = ({ search, filters }: RecordsView): string =>
  filters.length === 0 ? texts.endpoint.noneFound(search) : tableTexts.filters.none;

const idOf = ({ recordId }: BrowsedRecord): string => recordId;

export function RecordsPage() {
  const endpoint = useParams()['*'] ?? '';
  const [view, change] = useRecordsView();
  // Resets the selection, the edited record and the columns when the endpoint changes.
  return <Records key={endpoint} endpoint={endpoint} view={view} change={change} />;
}

interface RecordsProps {
  endpoint: string;
  view: RecordsView;
  change: (change: ViewChange, options?: { replace?: boolean }) => void;
}

function Records({ endpoint, view, change }: RecordsProps) {
  const summaries = useQuery(endpoints);
  const summary = summaries.data?.find((entry) => entry.endpoint === endpoint);
  const names = useDataNames();
  const { search, filters, sorts, oldestFirst } = view;
  const requestedSelection: RecordSelection = { endpoint, search, filters, sorts, oldestFirst };
  const list = useList(
    {
      page: recordPage,
      items: ({ records }) => records,
      id: idOf,
      remove: (records) => deleteRecords(endpoint, records.map(idOf)),
    },
    requestedSelection,
  );
  const { firstPage, shownQuery, total } = list;
  const fields = useQuery(endpointFields(endpoint));
  const fieldList = fields.data?.fields ?? NO_FIELDS;
  const { columns, shownColumns } = useColumns(
    endpoint,
    fields.isPending ? undefined : firstPage.data?.records,
    fields.data?.fields,
    view.columns,
  );
  const hiddenCount = columns.length - shownColumns.length;
  const tableColumns = view.mode === 'table' && shownColumns.length > 0 ? shownColumns : undefined;
  const [isChoosingColumns, setIsChoosingColumns] = useState(false);
  const [isSharing, setIsSharing] = useState(false);
  const [editedId, setEditedId] = useState<string | null>(null);
  const sortBy = (path: string, isAdditional: boolean) => {
    // A second click can come before the first click's sort order is rendered.
    change((current) =>
      path === ''
        ? { sorts: [], oldestFirst: current.sorts.length === 0 && !current.oldestFirst, at: 0 }
        : {
            sorts: toggleSort(current.sorts, path, { isAdditional, max: MAX_TABLE_SORTS }),
            oldestFirst: false,
            at: 0,
          },
    );
    list.position.scrollTo(0);
  };
  const changeFilters = (next: readonly TableFilter[]) => change({ filters: next, at: 0 });
  const nameOf = (path: string | undefined): string => {
    if (path === undefined) return texts.endpoint.created;
    const field = fieldList.find((candidate) => candidate.path === path);
    return isolateText(field === undefined ? path : nameWithoutUnit(field));
  };
  const isFiltered = search !== '' || filters.length > 0;
  const facetFields = useFacetFields(fieldList, firstPage.data?.records);
  const selectedIds = [...list.selected.keys()];
  const endpointName = summary?.name ?? endpointNameOf(endpoint);

  const isEmpty = list.isCurrent && total === 0;
  return (
    <Page
      fitsWindow
      growsWithContent={view.mode === 'chart'}
      title={isolateText(endpointName)}
      windowTitle={endpoint}
      picture={<ChosenIcon icon={summary?.icon} colour={summary?.colour} size={TITLE_ICON_PX} />}
      crumbs={[
        { label: texts.pageTitle, to: '/data' },
        {
          label: names.namespace(namespaceOf(endpoint)),
          to: `/data?find=${encodeURIComponent(`${namespaceOf(endpoint)}/`)}`,
        },
      ]}
      lead={
        summary !== undefined && (
          <Group gap="0.125rem 1.25rem">
            <span className={classes.path}>{endpoint}</span>
            <span>{texts.records(summary.records)}</span>
            <span>{bytes(summary.bytes)}</span>
            {summary.lastChange !== null && (
              <span>
                {texts.endpoint.changed} <RelativeTime at={summary.lastChange} />
              </span>
            )}
          </Group>
        )
      }
      actions={<EndpointActions endpoint={endpoint} summary={summary} />}
    >
      <RecordsToolbar
        view={view}
        columns={shownColumns}
        matches={isFiltered && list.isCurrent ? total : undefined}
        busy={firstPage.isPlaceholderData}
        selection={list.selection}
        onSearch={(search) => change({ search, at: 0 }, { replace: view.search !== '' })}
        onSort={(nextSorts, isOldestFirst) => change({ sorts: nextSorts, oldestFirst: isOldestFirst, at: 0 })}
        // A chart shows all records, so the search and the filters, which would have no effect, are removed.
        onMode={(mode) => change(mode === 'chart' ? { mode, search: '', filters: [], at: 0 } : { mode })}
        selectionActions={
          <>
            <ExportMenu
              size="xs"
              records={{ endpoint, ids: selectedIds, selection: requestedSelection }}
              columns={tableColumns}
              count={selectedIds.length}
              label={tableTexts.exports.selected(selectedIds.length)}
              disabledReason={
                selectedIds.length > MAX_EXPORTED_IDS ? tableTexts.exports.tooMany(MAX_EXPORTED_IDS) : undefined
              }
            />
            {tableColumns !== undefined && (
              <ShareSelectedRecords
                selection={requestedSelection}
                ids={selectedIds}
                columns={tableColumns}
                endpointName={endpointName}
              />
            )}
            <MoveSelectedRecords endpoint={endpoint} ids={selectedIds} done={list.selection.onClear} />
          </>
        }
      >
        <AddFilter fields={fieldList} filters={filters} change={changeFilters} />
        <Button
          variant={view.showsFacets ? 'light' : 'default'}
          aria-pressed={view.showsFacets}
          leftSection={<IconListNumbers size={16} stroke={1.6} />}
          onClick={() => change({ showsFacets: !view.showsFacets })}
        >
          {tableTexts.facets.show}
        </Button>
        <SavedViews
          endpoint={endpoint}
          current={viewParametersOf(view)}
          open={(savedView) => change({ ...viewOf(savedView), showsFacets: view.showsFacets })}
          chooseColumns={view.mode === 'table' ? () => setIsChoosingColumns(true) : undefined}
          share={tableColumns === undefined ? undefined : () => setIsSharing(true)}
        />
        <ExportMenu
          records={{ endpoint, selection: requestedSelection }}
          columns={tableColumns}
          count={total}
          label={tableTexts.exports.menu}
        />
      </RecordsToolbar>
      {view.mode !== 'chart' && (
        <RecordFilters
          fields={fieldList}
          filters={filters}
          nameOf={nameOf}
          leftOutCount={firstPage.isPlaceholderData ? 0 : (firstPage.data?.leftOut ?? 0)}
          change={changeFilters}
        />
      )}
      {firstPage.data?.indexing === true && !firstPage.isPlaceholderData && (
        <Text c="dimmed" role="status" mb="sm">
          {tableTexts.indexing}
        </Text>
      )}
      {(firstPage.isPending || (fields.isPending && total > 0 && view.mode === 'table')) && (
        <LoadingSkeleton rows={12} height={20} />
      )}
      {firstPage.isError && <LoadError error={firstPage.error} retry={() => void firstPage.refetch()} />}
      {isEmpty && (
        <EmptyState icon={IconTable} title={isFiltered ? noMatchText(view) : texts.endpoint.emptyTitle}>
          {isFiltered ? undefined : texts.endpoint.emptyText(endpoint)}
        </EmptyState>
      )}
      {total > 0 && view.mode === 'chart' && summary === undefined && (
        <QueryBoundary query={summaries} rows={8} height={32} />
      )}
      {total > 0 && view.mode === 'chart' && summary !== undefined && (
        <Suspense fallback={<LoadingSkeleton rows={8} height={32} />}>
          <EndpointChart summary={summary} onOpen={(recordId) => change({ record: recordId })} />
        </Suspense>
      )}
      {total > 0 && view.mode === 'json' && (
        <RecordsJson
          selection={shownQuery}
          at={Math.min(view.at, total - 1)}
          change={change}
          onOpen={({ recordId }) => change({ record: recordId })}
        />
      )}
      {view.mode === 'table' && !fields.isPending && (total > 0 || (view.showsFacets && isFiltered)) && (
        <>
          <div className={classes.content}>
            {view.showsFacets && (
              <Facets
                fields={facetFields}
                selection={requestedSelection}
                change={changeFilters}
                close={() => change({ showsFacets: false })}
              />
            )}
            {total > 0 && (
              <RecordGrid
                key={JSON.stringify(shownQuery)}
                {...list.grid}
                selection={shownQuery}
                columns={shownColumns}
                startAt={Math.min(view.at, total - 1)}
                onOpen={(record) => change({ record: record.recordId })}
                onEdit={({ recordId }) => {
                  setEditedId(recordId);
                  change({ record: recordId });
                }}
                onSort={sortBy}
                onResize={(path, widthChange, renderedWidths) =>
                  // A second key press can come before the width of the first one is rendered.
                  change(
                    (current) => {
                      const currentColumns = chooseColumns(columns, current.columns);
                      const resizedColumns = resizeColumn(
                        currentColumns,
                        { path, change: widthChange },
                        renderedWidths,
                      );
                      return { columns: omitAutomaticColumns(resizedColumns, automaticColumns(columns)) };
                    },
                    { replace: true },
                  )
                }
              />
            )}
          </div>
          {list.pages.error !== null && <LoadError error={list.pages.error} retry={list.pages.retry} />}
          <Position
            {...list.position}
            texts={texts.endpoint}
            aside={hiddenCount > 0 ? texts.endpoint.columnsHidden(hiddenCount) : undefined}
            savePosition={(at) => change({ at }, { replace: true })}
            savedPosition={view.at}
          />
        </>
      )}
      {firstPage.isFetching && firstPage.isPlaceholderData && (
        <div className={classes.loadingNotice} role="status">
          <Loader size="xs" />
          <Text className={classes.slowLoadingNotice ?? ''}>{tableTexts.reading}</Text>
        </div>
      )}
      <RecordDrawer
        id={view.record}
        {...list.findWithNeighbours(view.record)}
        open={(recordId) => change({ record: recordId }, { replace: true })}
        close={() => change({ record: null })}
        editedId={editedId}
        setEditedId={setEditedId}
      />
      <ColumnsDialog
        opened={isChoosingColumns}
        onClose={() => setIsChoosingColumns(false)}
        columns={columns}
        shownColumns={shownColumns}
        choices={view.columns}
        onChange={(choices) => change({ columns: choices }, { replace: true })}
      />
      <ShareTable
        selection={requestedSelection}
        columns={shownColumns}
        matchCount={total}
        endpointName={endpointName}
        viewParameters={viewParametersOf(view)}
        nameOf={nameOf}
        opened={isSharing}
        close={() => setIsSharing(false)}
      />
      <AddRecord endpoint={endpoint} />
    </Page>
  );
}
